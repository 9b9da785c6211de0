//! The parts that the supervisor reads of Chromium's events about targets.

use serde::Deserialize;
use szk_cdp::SessionId;

/// A session of ours began.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Attached {
    pub(super) session_id: SessionId,
    pub(super) target_info: Info,
}

/// A session of ours ended.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Detached {
    pub(super) session_id: String,
}

/// The address or title of a target changed.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Changed {
    pub(super) target_info: Info,
}

/// A frame has a new document.
#[derive(Debug, Deserialize)]
pub(super) struct Navigated {
    pub(super) frame: Frame,
}

/// A frame.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Frame {
    pub(super) parent_id: Option<String>,
    /// That of the request for the document.
    #[serde(default)]
    pub(super) loader_id: String,
    /// The address that could not be loaded.
    pub(super) unreachable_url: Option<String>,
}

/// A target. Its id is required; everything else may be missing.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Info {
    pub(super) target_id: String,
    #[serde(default)]
    pub(super) r#type: String,
    #[serde(default)]
    pub(super) title: String,
    #[serde(default)]
    pub(super) url: String,
    pub(super) opener_id: Option<String>,
    #[serde(default)]
    pub(super) can_access_opener: bool,
    pub(super) browser_context_id: Option<String>,
    pub(super) subtype: Option<String>,
}

impl Info {
    /// A page that is not visible yet: its tab may navigate to it.
    pub(super) fn is_prerendered(&self) -> bool {
        self.subtype.as_deref() == Some("prerender")
    }
}
