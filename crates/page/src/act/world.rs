//! Our isolated world in a frame, with the library of questions in it.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::value::to_raw_value;
use serde_json::{Value, json};
use szk_cdp::frames::{IsolatedWorld, random_name};
use szk_cdp::{CallError, Connection, SessionId};

use super::ActError;
use crate::dom::Described;

const LIBRARY: &str = concat!(
    "(() => {\n",
    include_str!("library/elements.js"),
    include_str!("library/questions.js"),
    "})()"
);
/// Most worlds to remember.
const KNOWN: usize = 256;

/// The worlds of a browser's frames, created on first use and again after their document is replaced.
#[derive(Default)]
pub struct Worlds {
    // A std mutex: nothing awaits under it.
    known: Mutex<HashMap<(SessionId, String), World>>,
}

/// The library in one frame's world.
#[derive(Clone)]
pub(super) struct World {
    connection: Connection,
    pub(super) session: SessionId,
    /// Remote object that holds the functions; reachable from nowhere in the page.
    library: Arc<str>,
    /// The world itself, for nodes that are to be brought into it.
    context: i64,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Evaluated {
    result: Remote,
    exception_details: Option<Thrown>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Remote {
    value: Option<Value>,
    object_id: Option<String>,
    description: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Thrown {
    text: String,
    exception: Option<Remote>,
}

#[derive(Deserialize)]
struct Resolved {
    object: Remote,
}

impl Worlds {
    /// Our world in a frame, as last known; it may be gone.
    pub(super) async fn of(
        &self,
        connection: &Connection,
        session: &SessionId,
        frame_id: &str,
    ) -> Result<World, ActError> {
        let key = (session.clone(), frame_id.to_owned());
        let known = self.known().get(&key).cloned();
        if let Some(world) = known {
            return Ok(world);
        }
        let world = World::make(connection, session, frame_id).await?;
        let mut worlds = self.known();
        if worlds.len() >= KNOWN {
            // Most belong to documents that are gone; the rest are created again on demand.
            worlds.clear();
        }
        worlds.insert(key, world.clone());
        Ok(world)
    }

    /// Forgets all worlds; they are created again on demand.
    pub(super) fn forget_all(&self) {
        self.known().clear();
    }

    fn known(&self) -> std::sync::MutexGuard<'_, HashMap<(SessionId, String), World>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl World {
    async fn make(
        connection: &Connection,
        session: &SessionId,
        frame_id: &str,
    ) -> Result<Self, ActError> {
        let made = IsolatedWorld::make_universal(connection, session, frame_id, name()).await?;
        let context = made.execution_context_id;
        let params = json!({"expression": LIBRARY, "contextId": context});
        let evaluated: Evaluated = connection
            .ask(Some(session), "Runtime.evaluate", &params)
            .await?;
        let library = evaluated.result.object_id.ok_or(ActError::Gone)?;
        Ok(Self {
            connection: connection.clone(),
            session: session.clone(),
            library: library.into(),
            context,
        })
    }

    /// Calls a function of the library. Sends the call now; the reply comes when its promise resolves.
    pub(super) fn ask<T: DeserializeOwned>(
        &self,
        function: &str,
        args: &[Value],
    ) -> impl Future<Output = Result<T, ActError>> + Send + use<T> {
        let answer = self.send(function, args, true);
        let function = function.to_owned();
        async move {
            let value = answer.await?.result.value.unwrap_or_default();
            serde_json::from_value(value)
                .map_err(|error| ActError::Call(unreadable(&function, &error)))
        }
    }

    /// The same for an answer that stays in the page: a handle on it for the browser's own commands.
    pub(super) async fn handle(&self, id: u32) -> Result<String, ActError> {
        let answer = self.send("at", &[json!(id)], false).await?;
        answer.result.object_id.ok_or(ActError::Stale)
    }

    /// Brings a node into this world, and names it there.
    pub(super) async fn adopt(&self, backend_node_id: i64) -> Result<u32, ActError> {
        let params = json!({"backendNodeId": backend_node_id, "executionContextId": self.context});
        let resolved: Resolved =
            self.command("DOM.resolveNode", &params)
                .await
                .map_err(|error| match error {
                    // Chromium's words for a node that is no more, and for one of another document than the
                    // world, which may be the world's fault.
                    ActError::Call(CallError::Remote { message, .. })
                        if message.contains("No node") =>
                    {
                        ActError::Stale
                    }
                    ActError::Call(CallError::Remote { message, .. })
                        if message.contains("does not belong") =>
                    {
                        ActError::Gone
                    }
                    error => error,
                })?;
        let object = resolved.object.object_id.ok_or(ActError::Stale)?;
        let params = json!({
            "objectId": self.library,
            "functionDeclaration": "function (el) { return this.hold(el.nodeType === 1 ? el : el.parentElement); }",
            "arguments": [{"objectId": object}],
            "returnByValue": true,
        });
        let answer: Evaluated = self.command("Runtime.callFunctionOn", &params).await?;
        let id = answer.result.value.as_ref().and_then(Value::as_u64);
        id.and_then(|id| u32::try_from(id).ok())
            .ok_or(ActError::Stale)
    }

    /// Shows the library the closed tree of an element; returns whether there was an unknown one.
    pub(super) async fn unseal(&self, id: u32) -> Result<bool, ActError> {
        let handle = self.handle(id).await?;
        let described: Described = self
            .command("DOM.describeNode", &json!({"objectId": handle}))
            .await?;
        let Some(closed) = described.node.closed_tree() else {
            return Ok(false);
        };
        let params = json!({"backendNodeId": closed, "executionContextId": self.context});
        let resolved: Resolved = self.command("DOM.resolveNode", &params).await?;
        let params = json!({
            "objectId": self.library,
            "functionDeclaration": "function (tree) { return this.seal(tree); }",
            "arguments": [{"objectId": resolved.object.object_id}],
            "returnByValue": true,
        });
        let answer: Evaluated = self.command("Runtime.callFunctionOn", &params).await?;
        Ok(answer.result.value == Some(Value::Bool(true)))
    }

    /// Sends a browser command about this frame.
    pub(super) async fn command<T: DeserializeOwned>(
        &self,
        method: &str,
        params: &Value,
    ) -> Result<T, ActError> {
        Ok(self
            .connection
            .ask(Some(&self.session), method, params)
            .await?)
    }

    fn send(
        &self,
        function: &str,
        args: &[Value],
        by_value: bool,
    ) -> impl Future<Output = Result<Evaluated, ActError>> + Send + use<> {
        let mut arguments = vec![json!({"value": function})];
        arguments.extend(args.iter().map(|value| json!({"value": value})));
        let params = json!({
            "objectId": self.library,
            "functionDeclaration": "function (name, ...args) { return this[name](...args); }",
            "arguments": arguments,
            "returnByValue": by_value,
            "awaitPromise": true,
        });
        let reply = self.connection.post_raw(
            Some(&self.session),
            "Runtime.callFunctionOn",
            to_raw_value(&params).ok(),
        );
        let function = function.to_owned();
        async move {
            let answer = reply.await?;
            let answer: Evaluated =
                szk_cdp::lenient::read(answer.get()).map_err(|reason| CallError::Unreadable {
                    method: function.clone(),
                    reason,
                })?;
            match answer.exception_details {
                None => Ok(answer),
                Some(thrown) => {
                    let said = thrown.exception.and_then(|thrown| thrown.description);
                    let said = said.unwrap_or(thrown.text);
                    tracing::warn!(function, said, "a question failed in the page");
                    Err(ActError::Stale)
                }
            }
        }
    }
}

fn unreadable(function: &str, error: &serde_json::Error) -> CallError {
    CallError::Remote {
        code: 0,
        message: format!("`{function}` answered something else: {error}"),
        data: None,
    }
}

/// A different name in every process, so that nothing can look for it.
fn name() -> &'static str {
    static NAME: OnceLock<String> = OnceLock::new();
    NAME.get_or_init(random_name)
}
