//! The parts of CDP events that we keep; the rest is not even parsed.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;
use szk_cdp::json::or_default;

macro_rules! event {
    ($(#[$doc:meta])* $name:ident { $($(#[$how:meta])* $field:ident: $type:ty),* $(,)? }) => {
        $(#[$doc])*
        #[derive(Debug, Default, Deserialize)]
        #[serde(rename_all = "camelCase", default)]
        pub(super) struct $name {
            $($(#[$how])* pub(super) $field: $type,)*
        }
    };
}

event!(Attached {
    session_id: String,
    target_info: Target,
});
event!(Target {
    target_id: String,
    r#type: String,
});
event!(Detached { session_id: String });
event!(ConsoleAdded {
    message: ConsoleMessage,
});
event!(ConsoleMessage {
    level: String,
    text: String,
    url: String,
    #[serde(deserialize_with = "or_default")]
    line: u32,
});
event!(LogAdded { entry: LogEntry });
event!(LogEntry {
    source: String, level: String, text: String, url: String, timestamp: f64,
    #[serde(deserialize_with = "or_default")]
    line_number: Option<u32>,
    worker_id: Option<String>,
});
event!(WillBeSent {
    request_id: String, loader_id: String, frame_id: String, request: Sent, timestamp: f64, wall_time: f64, r#type: String,
    redirect_response: Option<Answered>,
});
event!(Sent { url: String, method: String, headers: BTreeMap<String, Value>, has_post_data: bool, });
event!(Received {
    request_id: String,
    r#type: String,
    response: Answered,
});
event!(Answered {
    #[serde(deserialize_with = "or_default")]
    status: u16,
    status_text: String, headers: BTreeMap<String, Value>, mime_type: String,
    protocol: String, from_disk_cache: bool, from_service_worker: bool, from_prefetch_cache: bool,
    encoded_data_length: f64,
});
event!(Served { request_id: String });
event!(Finished {
    request_id: String,
    timestamp: f64,
    encoded_data_length: f64,
});
event!(Failed {
    request_id: String,
    timestamp: f64,
    error_text: String,
    canceled: bool,
    blocked_reason: String,
});
event!(DialogOpening {
    message: String,
    r#type: String,
    default_prompt: String,
});
event!(DialogClosed { result: bool });
event!(ChooserOpened { mode: String, frame_id: String, backend_node_id: Option<i64>, });
event!(DownloadBegins {
    frame_id: String,
    guid: String,
    url: String,
    suggested_filename: String,
});
event!(DownloadGoesOn {
    guid: String, received_bytes: f64, state: String, file_path: Option<String>,
});
event!(Navigated { frame: Frame });
event!(Frame { id: String, loader_id: String, parent_id: Option<String>, });
event!(FrameDetached {
    frame_id: String,
    reason: String,
});
