//! The parts of CDP events that reveal what an act caused.

use serde::Deserialize;

/// Fields of `Page.*` events; each event has some of them.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct PageEvent {
    pub(super) frame_id: String,
    pub(super) url: String,
    /// Of `Page.frameNavigated`.
    pub(super) frame: Option<Frame>,
    /// Of `Page.frameRequestedNavigation`: `currentTab`, `newTab`, `newWindow`, `download`.
    pub(super) disposition: String,
    /// Of `Page.frameStartedNavigating`.
    pub(super) navigation_type: String,
    /// Of `Page.frameDetached`: `remove`, or `swap` if the frame goes on in another process.
    pub(super) reason: String,
    /// Of `Page.javascriptDialogOpening`.
    pub(super) message: String,
    /// Kind of dialog, or of navigation.
    pub(super) r#type: String,
    /// Of `Page.javascriptDialogClosed`: accepted.
    pub(super) result: bool,
    /// Of `Page.downloadWillBegin`.
    pub(super) suggested_filename: String,
    /// Of `Page.fileChooserOpened`.
    pub(super) backend_node_id: i64,
    /// Of `Page.fileChooserOpened`: `selectSingle` or `selectMultiple`.
    pub(super) mode: String,
}

/// A frame that has arrived somewhere.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Frame {
    pub(super) id: String,
    pub(super) loader_id: String,
    pub(super) url: String,
    /// The address that could not be loaded: what came is the browser's own page, which says so.
    pub(super) unreachable_url: Option<String>,
}

/// Fields of `Network.*` events.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct NetworkEvent {
    pub(super) request_id: String,
    pub(super) frame_id: String,
    pub(super) r#type: String,
    /// Of `Network.responseReceived`.
    pub(super) response: Answered,
    /// Of `Network.loadingFailed`, such as `net::ERR_CONNECTION_REFUSED`.
    pub(super) error_text: String,
}

/// A server's response.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Answered {
    #[serde(deserialize_with = "szk_cdp::json::or_default")]
    pub(super) status: u16,
}

/// Fields of `Target.*` events.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct TargetEvent {
    pub(super) session_id: String,
    pub(super) target_info: TargetInfo,
}

/// An attached target.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct TargetInfo {
    pub(super) target_id: String,
    pub(super) r#type: String,
    pub(super) subtype: Option<String>,
    pub(super) opener_id: Option<String>,
}
