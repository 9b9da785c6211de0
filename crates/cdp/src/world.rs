//! Running our own functions in an isolated world of a document.
//!
//! `Runtime.enable` is never sent: `Page.createIsolatedWorld` tells the context by itself. The world
//! has the document's storage and nothing of the page's own scripts, nor they of it.

use std::sync::OnceLock;

use crate::frames::{IsolatedWorld, random_name};
use crate::lenient::Unreadable;
use crate::{CallError, Connection, SessionId};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// Calls `function` with `argument` as JSON text, awaits its promise and reads the JSON text it
/// returns. Text both ways, because strings of a page need not be Unicode.
///
/// What the function throws comes as [`CallError::Remote`] with code 0. The caller sets the time limit:
/// a page may be busy, or stopped by a dialog.
pub async fn run<A: Serialize, T: DeserializeOwned>(
    connection: &Connection,
    session: &SessionId,
    frame: &str,
    function: &str,
    argument: &A,
) -> Result<T, CallError> {
    let world = IsolatedWorld::make(connection, session, frame, name()).await?;
    let text = serde_json::to_string(argument).map_err(|_| CallError::NotSent)?;
    let call = CallFunction {
        function_declaration: function,
        execution_context_id: world.execution_context_id,
        arguments: [Argument { value: &text }],
        await_promise: true,
        return_by_value: true,
    };
    let returned: Returned = connection
        .ask(Some(session), "Runtime.callFunctionOn", &call)
        .await?;
    if let Some(thrown) = returned.exception_details {
        let words = thrown
            .exception
            .and_then(|exception| exception.description)
            .unwrap_or(thrown.text);
        // The first line says what happened, the others where in our own script.
        let message = format!(
            "the script failed: {}",
            words.lines().next().unwrap_or_default()
        );
        return Err(CallError::Remote {
            code: 0,
            message,
            data: None,
        });
    }
    // Strictly: leniency would mend what must come back as it was.
    let text = returned.result.value.unwrap_or_default();
    serde_json::from_str(&text).map_err(|error| {
        let problem = format!(
            "what the script returned does not fit (column {})",
            error.column()
        );
        let reason = Unreadable {
            path: ".".to_owned(),
            problem,
        };
        CallError::Unreadable {
            method: "Runtime.callFunctionOn".to_owned(),
            reason,
        }
    })
}

/// The name of our world in this process. One name: the same name in the same document is the same
/// world, so that looking at a page a thousand times leaves one world behind. Nobody guesses it.
pub fn name() -> &'static str {
    static NAME: OnceLock<String> = OnceLock::new();
    NAME.get_or_init(random_name)
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct CallFunction<'a> {
    function_declaration: &'a str,
    execution_context_id: i64,
    arguments: [Argument<'a>; 1],
    await_promise: bool,
    return_by_value: bool,
}

#[derive(Serialize)]
struct Argument<'a> {
    value: &'a str,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Returned {
    result: Remote,
    exception_details: Option<Thrown>,
}

#[derive(Deserialize)]
struct Remote {
    value: Option<String>,
}

#[derive(Deserialize)]
struct Thrown {
    #[serde(default)]
    text: String,
    exception: Option<Exception>,
}

#[derive(Deserialize)]
struct Exception {
    description: Option<String>,
}
