//! Commands that make the browser report what the log keeps.

use std::path::Path;

use szk_cdp::own::{DisableConsoleParams, EnableConsoleParams};
use szk_cdp::protocol::browser::{SetDownloadBehaviorBehavior, SetDownloadBehaviorParams};
use szk_cdp::{Connection, Request};

/// Reports what a page writes to its console, also what it wrote before; or ends that. `Console`, which
/// pages cannot notice, and never `Runtime`, which they can.
#[must_use]
pub fn console(report: bool) -> Request {
    match report {
        true => Request::of(&EnableConsoleParams {}),
        false => Request::of(&DisableConsoleParams {}),
    }
}

/// Has downloads reported and saved in a folder under their own names; refused without a folder.
pub fn save_downloads(connection: &Connection, folder: Option<&Path>) {
    let behavior = match folder {
        Some(_) => SetDownloadBehaviorBehavior::Allow,
        None => SetDownloadBehaviorBehavior::Deny,
    };
    let params = SetDownloadBehaviorParams {
        download_path: folder.map(|folder| folder.to_string_lossy().into_owned()),
        events_enabled: Some(true),
        ..SetDownloadBehaviorParams::new(behavior)
    };
    connection.tell(None, &params);
}
