//! Running our own functions in an isolated world of a document. The world has the document's storage
//! and nothing of the page's own scripts, nor they of it.

use std::sync::OnceLock;

use serde::Serialize;
use serde::de::DeserializeOwned;
use szk_cdp::frames::random_name;
use szk_cdp::json::Unreadable;
use szk_cdp::protocol::runtime::CallFunctionOnParams;
use szk_cdp::world::World;
use szk_cdp::{CallError, Connection, SessionId};

/// Calls `function` with `argument` as JSON text, awaits its promise and reads the JSON text it
/// returns. Text both ways, because strings of a page need not be Unicode.
///
/// What the function throws comes as [`CallError::Remote`] with code 0. The caller sets the time limit:
/// a page may be busy, or stopped by a dialog.
pub(crate) async fn run<A: Serialize, T: DeserializeOwned>(
    connection: &Connection,
    session: &SessionId,
    frame: &str,
    function: &str,
    argument: &A,
) -> Result<T, CallError> {
    let world = World::make(connection, session, frame, name()).await?;
    let text = serde_json::to_string(argument).map_err(|_| CallError::NotSent)?;
    let call = world.function(function).value(text).awaited();
    let result = call.for_value().await?.ok();
    let result = result.map_err(|thrown| CallError::Remote {
        code: 0,
        message: format!("the script failed: {thrown}"),
        data: None,
    })?;
    let text: Option<String> = result.read().map_err(unreadable)?;
    // Strictly: what is mended is not as it was.
    serde_json::from_str(&text.unwrap_or_default()).map_err(|error| {
        unreadable(Unreadable {
            path: ".".to_owned(),
            problem: format!(
                "what the script returned does not fit (column {})",
                error.column()
            ),
        })
    })
}

fn unreadable(reason: Unreadable) -> CallError {
    CallError::Unreadable {
        method: CallFunctionOnParams::IDENTIFIER.to_owned(),
        reason,
    }
}

/// The name of our world in this process. One name: the same name in the same document is the same
/// world, so that looking at a page a thousand times leaves one world behind. Nobody guesses it.
pub(super) fn name() -> &'static str {
    static NAME: OnceLock<String> = OnceLock::new();
    NAME.get_or_init(random_name)
}
