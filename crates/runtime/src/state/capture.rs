//! Reads what an origin has stored, from an open document.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use szk_cdp::protocol::page::FrameId;
use szk_cdp::protocol::storage::GetStorageKeyParams;
use szk_cdp::{CallError, Connection, SessionId, world};

use super::schema::{Database, Item, OriginState};
use super::text::Text;
use super::warning::Warning;

const FUNCTION: &str = concat!(
    "async function (text) { const codec = (",
    include_str!("codec.js"),
    ")(); return (",
    include_str!("capture.js"),
    ")(codec, JSON.parse(text)); }"
);

/// Limits for reading.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CaptureOptions {
    /// Whether to read databases; they may be large.
    pub indexed_db: bool,
    /// Maximum size of the databases of one origin, in bytes, approximately as on disk. One that does
    /// not fit is left out with a warning.
    pub max_bytes: u64,
    /// How long to wait for a database that is being changed or deleted.
    pub open_limit: Duration,
}

impl Default for CaptureOptions {
    fn default() -> Self {
        Self {
            indexed_db: true,
            max_bytes: 64 * 1024 * 1024,
            open_limit: Duration::from_millis(500),
        }
    }
}

/// What an origin has stored.
#[derive(Debug, Clone, PartialEq)]
pub struct OriginStorage {
    /// localStorage and databases.
    pub state: OriginState,
    /// sessionStorage of the document's tab.
    pub session_storage: Vec<Item>,
    /// Databases that exist but were not read; earlier knowledge of them stays valid.
    pub unread: Vec<Text>,
    /// One per thing that is missing.
    pub warnings: Vec<Warning>,
}

/// Reads the storage of a frame's document. `None` if it has none that could be restored: it is not a
/// web page (`about:blank`, files, extensions), it is sandboxed, or it is inside another site's page,
/// where it has partitioned storage.
///
/// # Errors
/// [`CallError`] if the document went away or its script could not run; an unreadable part is a
/// warning instead. There is no time limit: a page that is busy, or blocked by a dialog, does not
/// answer.
pub async fn capture_origin(
    connection: &Connection,
    session: &SessionId,
    frame: &str,
) -> Result<Option<OriginStorage>, CallError> {
    capture_origin_with(connection, session, frame, &CaptureOptions::default()).await
}

/// Like [`capture_origin`], with limits.
///
/// # Errors
/// The same.
pub async fn capture_origin_with(
    connection: &Connection,
    session: &SessionId,
    frame: &str,
    options: &CaptureOptions,
) -> Result<Option<OriginStorage>, CallError> {
    let argument = Argument {
        indexed_db: options.indexed_db,
        max_bytes: options.max_bytes,
        open_ms: options.open_limit.as_millis(),
    };
    let read: Read = world::run(connection, session, frame, FUNCTION, &argument).await?;
    let website = ["http://", "https://"]
        .iter()
        .any(|scheme| read.origin.starts_with(scheme));
    // Top-level documents have no partition. Do not ask for their key: right after a navigation the
    // browser process may still report that of the previous document.
    let own =
        website && (read.top || has_own_key(connection, session, frame, &read.origin).await?);
    Ok(own.then(|| read.into()))
}

/// Whether Chromium's key for a frame's storage is the origin alone: `https://x.test/`. Anything after
/// that is a partition.
async fn has_own_key(
    connection: &Connection,
    session: &SessionId,
    frame: &str,
    origin: &str,
) -> Result<bool, CallError> {
    let asked = GetStorageKeyParams {
        frame_id: Some(FrameId::new(frame)),
    };
    match connection.ask(Some(session), &asked).await {
        Ok(StorageKey { storage_key: key }) => Ok(key.strip_suffix('/') == Some(origin)),
        // Opaque origins have no key.
        Err(CallError::Remote { .. }) => Ok(false),
        Err(error) => Err(error),
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct StorageKey {
    storage_key: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Argument {
    #[serde(rename = "indexedDB")]
    indexed_db: bool,
    max_bytes: u64,
    open_ms: u128,
}

/// The result of `capture.js`.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Read {
    origin: String,
    top: bool,
    local_storage: Vec<Item>,
    session_storage: Vec<Item>,
    #[serde(rename = "indexedDB")]
    indexed_db: Option<Vec<Database>>,
    #[serde(default)]
    unread: Vec<Text>,
    warnings: Vec<ScriptWarning>,
}

/// A warning from one of our scripts.
#[derive(Deserialize)]
pub(super) struct ScriptWarning {
    about: Text,
    reason: Text,
}

impl ScriptWarning {
    pub(super) fn of(&self, origin: &str) -> Warning {
        Warning::new(
            format!("{origin}: {}", self.about.to_str()),
            self.reason.to_str(),
        )
    }
}

impl From<Read> for OriginStorage {
    fn from(mut read: Read) -> Self {
        // Chromium lists them in an order that is another one after each load: no change must be read into it.
        read.local_storage.sort();
        read.session_storage.sort();
        let warnings = read
            .warnings
            .iter()
            .map(|said| said.of(&read.origin))
            .collect();
        let state = OriginState {
            origin: read.origin,
            local_storage: read.local_storage,
            indexed_db: read.indexed_db,
            opfs: None,
        };
        Self {
            state,
            session_storage: read.session_storage,
            unread: read.unread,
            warnings,
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use szk_cdp::testing::{Answer, Peer, Script};

    use super::*;

    fn page(returned: &str) -> Script {
        Script::new()
            .answer("Page.createIsolatedWorld", json!({"executionContextId": 7}))
            .answer(
                "Runtime.callFunctionOn",
                json!({"result": {"type": "string", "value": returned}}),
            )
    }

    async fn capture(script: Script) -> (Result<Option<OriginStorage>, CallError>, Peer) {
        let (connection, _events, peer) = script.start();
        (capture_origin(&connection, &"S".into(), "F").await, peer)
    }

    fn returned(origin: &str, top: bool) -> String {
        json!({"origin": origin, "top": top, "localStorage": [{"name": "a", "value": "1"}], "sessionStorage": [{"name": "b", "value": "2"}],
            "unread": ["big"], "warnings": [{"about": "database big", "reason": "it is too large"}]})
        .to_string()
    }

    #[test]
    fn the_order_of_the_entries_does_not_matter() {
        let read = [("a", "b"), ("b", "a")].map(|(first, second)| {
            let items = json!([{"name": first, "value": "1"}, {"name": second, "value": "1"}]);
            let read = json!({"origin": "https://x.test", "top": true, "localStorage": items, "sessionStorage": items, "warnings": []});
            OriginStorage::from(serde_json::from_value::<Read>(read).unwrap())
        });
        let [first, second] = read;
        assert_eq!(first.state.local_storage, second.state.local_storage);
        assert_eq!(first.session_storage, second.session_storage);
    }

    #[tokio::test]
    async fn reads_in_an_isolated_world_only() {
        let (captured, peer) = capture(page(&returned("https://x.test", true))).await;
        let captured = captured.unwrap().unwrap();
        assert_eq!(captured.state.local_storage.len(), 1);
        assert_eq!(captured.session_storage.len(), 1);
        assert_eq!(
            captured.warnings[0].to_string(),
            "https://x.test: database big: it is too large"
        );
        assert_eq!(
            peer.methods(),
            ["Page.createIsolatedWorld", "Runtime.callFunctionOn"]
        );
        let [world, call] = [&peer.calls()[0].params, &peer.calls()[1].params];
        assert_eq!(world["worldName"], world::name());
        assert_eq!(call["executionContextId"], 7);
        assert!(call.get("userGesture").is_none());
    }

    #[tokio::test]
    async fn partitioned_and_opaque_storage_is_left_alone() {
        for origin in ["null", "chrome-extension://abc", "file://"] {
            assert_eq!(
                capture(page(&returned(origin, true))).await.0.unwrap(),
                None,
                "{origin}"
            );
        }
        let frame = || page(&returned("https://x.test", false));
        for (key, own) in [
            ("https://x.test/", true),
            ("https://x.test/^0https://top.test", false),
            ("https://y.test/", false),
            ("", false),
        ] {
            let captured =
                capture(frame().answer("Storage.getStorageKey", json!({"storageKey": key})))
                    .await
                    .0;
            assert_eq!(captured.unwrap().is_some(), own, "{key}");
        }
        let opaque = frame().answer("Storage.getStorageKey", Answer::error(-32000, "opaque"));
        assert_eq!(capture(opaque).await.0.unwrap(), None);
    }

    #[tokio::test]
    async fn an_exception_of_the_script_is_reported() {
        let thrown = json!({"result": {"type": "object"}, "exceptionDetails": {"text": "Uncaught", "exception": {"description": "TypeError: x\n at y"}}});
        let script = page("").nth("Runtime.callFunctionOn", 1, Answer::ok(thrown));
        assert_eq!(
            capture(script).await.0.unwrap_err().to_string(),
            "the script failed: TypeError: x (0)"
        );
    }
}
