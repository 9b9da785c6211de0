//! Runs JavaScript of ours: the only way in which szk evaluates anything in a page.
//!
//! A [`World`] is an isolated world of one document, and an [`Object`] is something in it that functions
//! are called on. The result is an [`Evaluated`]: a value, a handle, or an exception. None of this needs
//! `Runtime.enable`: the command that creates a world returns its id.

use std::sync::OnceLock;
use std::time::Duration;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;

use crate::frames::{IsolatedWorld, random_name};
use crate::json::{self, Unreadable};
use crate::own::AddBindingParams;
use crate::protocol::dom::{BackendNodeId, ResolveNodeParams};
use crate::protocol::runtime::{
    CallArgument, CallFunctionOnParams, EvaluateParams, ExecutionContextId, RemoteObjectId,
    TimeDelta,
};
use crate::{CallError, Connection, Reply, SessionId};

/// A world of ours in one document, and the session that reaches it. It ends with the document.
#[derive(Clone)]
pub struct World {
    connection: Connection,
    session: SessionId,
    context: i64,
}

impl World {
    /// Creates a world in a frame. In the same document, the same name is the same world.
    ///
    /// # Errors
    /// [`CallError`] if the frame is gone.
    pub async fn make(
        connection: &Connection,
        session: &SessionId,
        frame: &str,
        name: &str,
    ) -> Result<Self, CallError> {
        let made = IsolatedWorld::make(connection, session, frame, name).await?;
        Ok(Self::known(connection, session, made))
    }

    /// Creates one that can also reach into documents of other origins.
    ///
    /// # Errors
    /// [`CallError`] if the frame is gone.
    pub async fn make_universal(
        connection: &Connection,
        session: &SessionId,
        frame: &str,
        name: &str,
    ) -> Result<Self, CallError> {
        let made = IsolatedWorld::make_universal(connection, session, frame, name).await?;
        Ok(Self::known(connection, session, made))
    }

    fn known(connection: &Connection, session: &SessionId, made: IsolatedWorld) -> Self {
        Self {
            connection: connection.clone(),
            session: session.clone(),
            context: made.execution_context_id,
        }
    }

    /// Evaluates an expression now and awaits its promise; the answer has the value.
    pub fn evaluate(&self, expression: impl Into<String>) -> Reply<Evaluated> {
        let params = EvaluateParams {
            context_id: Some(ExecutionContextId::new(self.context)),
            ..by_value(expression)
        };
        self.connection.post(Some(&self.session), &params)
    }

    /// Evaluates an expression that only reads: what would change or send anything throws before it
    /// does, and it ends after `limit`.
    pub fn look(&self, expression: impl Into<String>, limit: Duration) -> Reply<Evaluated> {
        let params = EvaluateParams {
            context_id: Some(ExecutionContextId::new(self.context)),
            return_by_value: Some(true),
            throw_on_side_effect: Some(true),
            timeout: Some(TimeDelta::new(limit.as_secs_f64() * 1000.0)),
            ..EvaluateParams::new(expression)
        };
        self.connection.post(Some(&self.session), &params)
    }

    /// Evaluates an expression now; the answer has a handle.
    pub fn hold(&self, expression: impl Into<String>) -> Reply<Evaluated> {
        let params = EvaluateParams {
            context_id: Some(ExecutionContextId::new(self.context)),
            ..EvaluateParams::new(expression)
        };
        self.connection.post(Some(&self.session), &params)
    }

    /// A function to call without a `this`.
    pub fn function(&self, declaration: &str) -> Function<'_> {
        Function::new(&self.connection, &self.session, declaration, |params| {
            params.execution_context_id = Some(ExecutionContextId::new(self.context));
        })
    }

    /// Adds a function to this world that tells what it is called with as `Runtime.bindingCalled`.
    pub fn bind(&self, function: &str) {
        let params = AddBindingParams {
            name: function.to_owned(),
            execution_context_id: self.context,
        };
        self.connection.tell(Some(&self.session), &params);
    }

    /// An object in this world, by its handle.
    #[must_use]
    pub fn object(&self, id: impl Into<String>) -> Object {
        Object::at(&self.connection, &self.session, id)
    }

    /// Brings a node into this world and returns its handle here.
    ///
    /// # Errors
    /// [`CallError`] if the node or the world is gone.
    pub async fn bring(&self, backend_node_id: i64) -> Result<Option<String>, CallError> {
        let params = ResolveNodeParams {
            execution_context_id: Some(ExecutionContextId::new(self.context)),
            ..resolve(backend_node_id)
        };
        let resolved: Resolved = self.connection.ask(Some(&self.session), &params).await?;
        Ok(resolved.object.object_id)
    }
}

/// A handle on a node in the page's own world, for what the browser knows of it alone. It runs nothing of
/// the page's, and is let go with its group.
///
/// # Errors
/// [`CallError`] if the node is gone.
pub async fn page_node(
    connection: &Connection,
    session: &SessionId,
    backend_node_id: i64,
    group: &str,
) -> Result<Option<String>, CallError> {
    let params = ResolveNodeParams {
        object_group: Some(group.to_owned()),
        ..resolve(backend_node_id)
    };
    let resolved: Resolved = connection.ask(Some(session), &params).await?;
    Ok(resolved.object.object_id)
}

fn resolve(backend_node_id: i64) -> ResolveNodeParams {
    ResolveNodeParams {
        backend_node_id: Some(BackendNodeId::new(backend_node_id)),
        ..ResolveNodeParams::default()
    }
}

/// The answer to `DOM.resolveNode`.
#[derive(Deserialize)]
struct Resolved {
    object: RemoteObject,
}

/// Evaluates an expression in the page's own world now and awaits its promise. Without a world's id, a
/// stack shows `<anonymous>` and nothing of ours.
pub fn evaluate_in_page(
    connection: &Connection,
    session: &SessionId,
    expression: impl Into<String>,
) -> Reply<Evaluated> {
    connection.post(Some(session), &by_value(expression))
}

/// A handle on the window of the page's own world, for what the browser knows of it alone. It runs
/// nothing of the page's.
pub fn page_window(connection: &Connection, session: &SessionId) -> Reply<Evaluated> {
    connection.post(Some(session), &EvaluateParams::new("window"))
}

fn by_value(expression: impl Into<String>) -> EvaluateParams {
    EvaluateParams {
        return_by_value: Some(true),
        await_promise: Some(true),
        ..EvaluateParams::new(expression)
    }
}

/// An object in a world, by its handle: the `this` of functions that are called on it. A handle names
/// its process too, so that one of an older document is refused and never mistaken for another.
#[derive(Clone)]
pub struct Object {
    connection: Connection,
    session: SessionId,
    id: String,
}

impl Object {
    /// The object of this handle.
    #[must_use]
    pub fn at(connection: &Connection, session: &SessionId, id: impl Into<String>) -> Self {
        Self {
            connection: connection.clone(),
            session: session.clone(),
            id: id.into(),
        }
    }

    /// A function to call on it.
    pub fn function(&self, declaration: &str) -> Function<'_> {
        Function::new(&self.connection, &self.session, declaration, |params| {
            params.object_id = Some(RemoteObjectId::new(self.id.as_str()));
        })
    }
}

/// A function call under construction.
#[must_use = "it is sent only by requesting its value or a handle"]
pub struct Function<'a> {
    connection: &'a Connection,
    session: &'a SessionId,
    params: CallFunctionOnParams,
}

impl<'a> Function<'a> {
    fn new(
        connection: &'a Connection,
        session: &'a SessionId,
        declaration: &str,
        place: impl FnOnce(&mut CallFunctionOnParams),
    ) -> Self {
        let mut params = CallFunctionOnParams {
            arguments: Some(Vec::new()),
            ..CallFunctionOnParams::new(declaration)
        };
        place(&mut params);
        Self {
            connection,
            session,
            params,
        }
    }

    /// Adds a value as the next argument.
    pub fn value(self, value: impl Into<Value>) -> Self {
        self.argument(CallArgument {
            value: Some(value.into()),
            ..CallArgument::default()
        })
    }

    /// Adds values as the next arguments.
    pub fn values(self, values: &[Value]) -> Self {
        values.iter().cloned().fold(self, Self::value)
    }

    /// Adds an object as the next argument.
    pub fn object(self, id: impl Into<String>) -> Self {
        self.argument(CallArgument {
            object_id: Some(RemoteObjectId::new(id)),
            ..CallArgument::default()
        })
    }

    fn argument(mut self, argument: CallArgument) -> Self {
        self.params.arguments.get_or_insert_default().push(argument);
        self
    }

    /// Awaits the promise it returns.
    pub fn awaited(mut self) -> Self {
        self.params.await_promise = Some(true);
        self
    }

    /// Puts returned handles into a group that is released as one.
    pub fn in_group(mut self, group: &str) -> Self {
        self.params.object_group = Some(group.to_owned());
        self
    }

    /// Calls it now; the answer has the value.
    pub fn for_value(self) -> Reply<Evaluated> {
        self.call(true)
    }

    /// Calls it now; the answer has a handle.
    pub fn for_handle(self) -> Reply<Evaluated> {
        self.call(false)
    }

    fn call(mut self, by_value: bool) -> Reply<Evaluated> {
        self.params.return_by_value = Some(by_value);
        self.connection.post(Some(self.session), &self.params)
    }
}

/// The result of JavaScript.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Evaluated {
    /// The result; meaningless if something was thrown.
    pub result: RemoteObject,
    /// The exception, if one was thrown.
    pub exception_details: Option<Exception>,
}

impl Evaluated {
    /// The result, unless something was thrown.
    ///
    /// # Errors
    /// [`Thrown`].
    pub fn ok(self) -> Result<RemoteObject, Thrown> {
        match self.exception_details {
            None => Ok(self.result),
            Some(exception) => {
                // The first line says what happened, the others where in our own script.
                let words = exception.words();
                Err(Thrown(words.lines().next().unwrap_or_default().to_owned()))
            }
        }
    }
}

/// JavaScript of ours threw: a bug, or the page is in an unexpected state.
#[derive(Debug, Clone, thiserror::Error)]
#[error("{0}")]
pub struct Thrown(pub String);

/// A value of a page; by value if JSON can hold it.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct RemoteObject {
    /// Its `typeof`.
    pub r#type: String,
    /// `array`, `null`, `node`, …
    pub subtype: Option<String>,
    /// The value, if requested; absent for `null` and `undefined`.
    pub value: Option<Box<RawValue>>,
    /// A value that JSON cannot express: `NaN`, `-0`, `1n`.
    pub unserializable_value: Option<String>,
    /// Its description for people.
    pub description: Option<String>,
    /// Its handle, if it was not requested by value.
    pub object_id: Option<String>,
}

impl RemoteObject {
    /// Reads the value, or `null` if the result has no value.
    ///
    /// # Errors
    /// [`Unreadable`] if it does not fit.
    pub fn read<T: DeserializeOwned>(&self) -> Result<T, Unreadable> {
        json::read(self.value.as_deref().map_or("null", RawValue::get))
    }

    /// The value as JSON, if there is one.
    #[must_use]
    pub fn json(&self) -> Option<Value> {
        json::read(self.value.as_deref()?.get()).ok()
    }
}

/// An exception.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Exception {
    /// Chromium's message: `Uncaught`.
    pub text: String,
    /// The line, counted from 0.
    #[serde(deserialize_with = "json::or_default")]
    pub line_number: u32,
    /// The thrown value.
    pub exception: Option<RemoteObject>,
    /// The stack; absent for text that is not JavaScript.
    pub stack_trace: Option<Value>,
}

impl Exception {
    /// The thrown value with its stack, as shown to people.
    #[must_use]
    pub fn words(self) -> String {
        let said = self.exception.and_then(|object| object.description);
        said.unwrap_or(self.text)
    }
}

/// Calls `function` with `argument` as JSON text, awaits its promise and reads the JSON text it returns.
/// Text both ways, because strings of a page need not be valid Unicode.
///
/// What the function throws becomes [`CallError::Remote`] with code 0. The caller sets the time limit: a
/// page may be busy, or blocked by a dialog.
pub async fn run<A: Serialize, T: DeserializeOwned>(
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
    // Strictly, because a repaired value would differ from the original.
    serde_json::from_str(&text.unwrap_or_default()).map_err(|error| {
        unreadable(Unreadable {
            path: ".".to_owned(),
            problem: format!(
                "the script returned an unexpected value (column {})",
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

/// The random name of our world in this process. In the same document, the same name is the same world,
/// so reading a page a thousand times leaves only one world behind.
pub fn name() -> &'static str {
    static NAME: OnceLock<String> = OnceLock::new();
    NAME.get_or_init(random_name)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::testing::Script;

    #[tokio::test]
    async fn each_way_to_run_something_sends_only_what_it_needs() {
        let script =
            Script::new().answer("Page.createIsolatedWorld", json!({"executionContextId": 7}));
        let script = script.answer("DOM.resolveNode", json!({"object": {"objectId": "N"}}));
        let (connection, _events, peer) = script.start();
        let session = "S".into();
        let world = World::make(&connection, &session, "F", "w").await.unwrap();
        world.evaluate("1").await.unwrap();
        world.hold("globalThis").await.unwrap();
        evaluate_in_page(&connection, &session, "2").await.unwrap();
        let function = world.function("f").value("a").awaited();
        function.for_value().await.unwrap();
        let object = world.object("O");
        let function = object.function("g").object("P").values(&[json!(null)]);
        function.in_group("G").for_handle().await.unwrap();
        assert_eq!(world.bring(5).await.unwrap().as_deref(), Some("N"));
        let said: Vec<_> = peer
            .calls()
            .into_iter()
            .skip(1)
            .map(|call| call.params)
            .collect();
        let expected = [
            json!({"expression": "1", "contextId": 7, "returnByValue": true, "awaitPromise": true}),
            json!({"expression": "globalThis", "contextId": 7}),
            json!({"expression": "2", "returnByValue": true, "awaitPromise": true}),
            json!({"functionDeclaration": "f", "executionContextId": 7, "arguments": [{"value": "a"}],
                "awaitPromise": true, "returnByValue": true}),
            json!({"functionDeclaration": "g", "objectId": "O", "arguments": [{"objectId": "P"}, {"value": null}],
                "objectGroup": "G", "returnByValue": false}),
            json!({"backendNodeId": 5, "executionContextId": 7}),
        ];
        assert_eq!(said, expected);
        assert!(!peer.methods().contains(&"Runtime.enable".to_owned()));
    }

    #[test]
    fn an_exception_is_reported_by_its_first_line() {
        let text = r#"{"result": {"type": "object"}, "exceptionDetails": {"text": "Uncaught", "exception":
            {"description": "Error: no\n    at f"}}}"#;
        let evaluated: Evaluated = json::read(text).unwrap();
        assert_eq!(evaluated.ok().unwrap_err().to_string(), "Error: no");
        let evaluated: Evaluated = json::read(r#"{"result": {"value": "a\ud83d"}}"#).unwrap();
        assert_eq!(
            evaluated.ok().unwrap().read::<String>(),
            Ok("a\u{fffd}".to_owned())
        );
    }
}
