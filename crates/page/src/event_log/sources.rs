//! Commands that make the browser report what the log keeps.

use std::path::Path;

use szk_cdp::own::{DisableConsoleParams, EnableConsoleParams};
use szk_cdp::protocol::browser::{SetDownloadBehaviorBehavior, SetDownloadBehaviorParams};
use szk_cdp::protocol::page::{EventFrameRequestedNavigation, EventFrameStartedNavigating};
use szk_cdp::protocol::runtime::DiscardConsoleEntriesParams;
use szk_cdp::{Connection, Done, Event, Request, SessionId};

/// Reports what a page writes to its console, also what it wrote before; or ends that. `Console`, which
/// pages cannot notice, and never `Runtime`, which they can.
#[must_use]
pub fn console(report: bool) -> Request {
    match report {
        true => Request::of(&EnableConsoleParams {}),
        false => Request::of(&DisableConsoleParams {}),
    }
}

/// Takes what a page has written to its console since the last time, without listening in between.
///
/// The messages come as events, as of one that is listened to: enabling repeats what Chromium has kept,
/// which is then discarded. The three are on the pipe together, so the page hardly ever runs between them;
/// what it writes just there comes twice.
pub fn take_console(
    connection: &Connection,
    session: &SessionId,
) -> impl Future<Output = ()> + Send + use<> {
    let commands = [
        Request::of(&EnableConsoleParams {}),
        Request::of(&DiscardConsoleEntriesParams {}),
        Request::of(&DisableConsoleParams {}),
    ];
    let replies = commands.map(|command| connection.post::<Done>(Some(session), &command));
    async move {
        for reply in replies {
            // Err: it has no console, or is gone.
            let _ = reply.await;
        }
    }
}

/// Whether this says that a document is about to be left: its console goes with it.
#[must_use]
pub fn is_leaving(event: &Event) -> bool {
    [
        EventFrameRequestedNavigation::IDENTIFIER,
        EventFrameStartedNavigating::IDENTIFIER,
    ]
    .contains(&event.method.as_str())
}

/// Has downloads reported, and saved in a folder under their ids; refused without a folder.
pub fn save_downloads(connection: &Connection, folder: Option<&Path>) {
    let behavior = match folder {
        Some(_) => SetDownloadBehaviorBehavior::AllowAndName,
        None => SetDownloadBehaviorBehavior::Deny,
    };
    let params = SetDownloadBehaviorParams {
        download_path: folder.map(|folder| folder.to_string_lossy().into_owned()),
        events_enabled: Some(true),
        ..SetDownloadBehaviorParams::new(behavior)
    };
    connection.tell(None, &params);
}
