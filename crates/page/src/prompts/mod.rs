//! Answers to what pages ask a person: dialogs, file choosers, downloads and HTTP logins.

pub mod files;
pub mod http_login;

use szk_cdp::protocol::browser::CancelDownloadParams;
use szk_cdp::protocol::page::{HandleJavaScriptDialogParams, SetInterceptFileChooserDialogParams};
use szk_cdp::{Connection, Done, Reply, SessionId};

use crate::event_log::{Prompt, Prompted};

/// Closes a dialog; a prompt with a text. Without one it is accepted with what its field holds, as by OK in
/// a browser's own dialog: to Chromium, no text is an empty one.
pub fn close_dialog(
    connection: &Connection,
    prompt: &Prompt,
    accept: bool,
    text: Option<String>,
) -> Reply<Done> {
    let held = match &prompt.what {
        Prompted::Dialog { r#type, text, .. } if accept && r#type == "prompt" => Some(text.clone()),
        _ => None,
    };
    let params = HandleJavaScriptDialogParams {
        prompt_text: text.or(held),
        ..HandleJavaScriptDialogParams::new(accept)
    };
    connection.post(Some(&prompt.session), &params)
}

/// Has the file choosers of a page or frame reported to us, or shown to the person. Chromium reports a
/// chooser only to a session that intercepts it, and then shows none.
pub fn intercept_choosers(
    connection: &Connection,
    session: &SessionId,
    intercept: bool,
) -> Reply<Done> {
    let params = SetInterceptFileChooserDialogParams::new(intercept);
    connection.post(Some(session), &params)
}

/// Cancels a download by its id.
pub fn cancel_download(connection: &Connection, guid: &str) -> Reply<Done> {
    connection.post(None, &CancelDownloadParams::new(guid))
}
