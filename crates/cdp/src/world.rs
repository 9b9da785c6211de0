//! Running JavaScript of ours: the one way in which szk evaluates anything in a page.
//!
//! A [`World`] is an isolated world of one document, an [`Object`] something in it that functions are
//! called on. What they give back is an [`Evaluated`]: a value, a handle, or what was thrown.
//! `Runtime.enable` is never needed for it: the command that makes a world tells its number.

use std::sync::OnceLock;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;

use crate::frames::{IsolatedWorld, random_name};
use crate::json::{self, Unreadable};
use crate::protocol::dom::{BackendNodeId, ResolveNodeParams};
use crate::protocol::runtime::{
    CallArgument, CallFunctionOnParams, EvaluateParams, ExecutionContextId, RemoteObjectId,
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
    /// Makes a world in a frame. The same name in the same document is the same world.
    ///
    /// # Errors
    /// [`CallError`] when the frame is gone.
    pub async fn make(
        connection: &Connection,
        session: &SessionId,
        frame: &str,
        name: &str,
    ) -> Result<Self, CallError> {
        let made = IsolatedWorld::make(connection, session, frame, name).await?;
        Ok(Self::known(connection, session, made))
    }

    /// Makes one that also reaches into documents of other origins.
    ///
    /// # Errors
    /// [`CallError`] when the frame is gone.
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

    /// Evaluates an expression now and waits for what it promises; the answer has its value.
    pub fn evaluate(&self, expression: impl Into<String>) -> Reply<Evaluated> {
        let params = EvaluateParams {
            context_id: Some(ExecutionContextId::new(self.context)),
            ..by_value(expression)
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

    /// A function to be called without a `this`.
    pub fn function(&self, declaration: &str) -> Function<'_> {
        Function::new(&self.connection, &self.session, declaration, |params| {
            params.execution_context_id = Some(ExecutionContextId::new(self.context));
        })
    }

    /// Something in this world by its handle.
    #[must_use]
    pub fn object(&self, id: impl Into<String>) -> Object {
        Object::at(&self.connection, &self.session, id)
    }

    /// Brings a node into this world; its handle here.
    ///
    /// # Errors
    /// [`CallError`] when the node or the world is gone.
    pub async fn bring(&self, backend_node_id: i64) -> Result<Option<String>, CallError> {
        #[derive(Deserialize)]
        struct Resolved {
            object: RemoteObject,
        }
        let params = ResolveNodeParams {
            backend_node_id: Some(BackendNodeId::new(backend_node_id)),
            execution_context_id: Some(ExecutionContextId::new(self.context)),
            ..ResolveNodeParams::default()
        };
        let resolved: Resolved = self.connection.ask(Some(&self.session), &params).await?;
        Ok(resolved.object.object_id)
    }
}

/// Evaluates an expression in the page's own world now and waits for what it promises. Without a world's
/// number a stack shows `<anonymous>` and nothing of ours.
pub fn evaluate_in_page(
    connection: &Connection,
    session: &SessionId,
    expression: impl Into<String>,
) -> Reply<Evaluated> {
    connection.post(Some(session), &by_value(expression))
}

fn by_value(expression: impl Into<String>) -> EvaluateParams {
    EvaluateParams {
        return_by_value: Some(true),
        await_promise: Some(true),
        ..EvaluateParams::new(expression)
    }
}

/// Something in a world, by its handle: `this` of the functions that are called on it. A handle names its
/// process too, so that one of an older document is refused and never mistaken for another.
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

    /// A function to be called on it.
    pub fn function(&self, declaration: &str) -> Function<'_> {
        Function::new(&self.connection, &self.session, declaration, |params| {
            params.object_id = Some(RemoteObjectId::new(self.id.as_str()));
        })
    }
}

/// A call of a function that is being put together.
#[must_use = "it is sent by asking for its value or a handle"]
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

    /// With a value for its next argument.
    pub fn value(self, value: impl Into<Value>) -> Self {
        self.argument(CallArgument {
            value: Some(value.into()),
            ..CallArgument::default()
        })
    }

    /// With values for its next arguments.
    pub fn values(self, values: &[Value]) -> Self {
        values.iter().cloned().fold(self, Self::value)
    }

    /// With an object for its next argument.
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

    /// Waits for what it promises.
    pub fn awaited(mut self) -> Self {
        self.params.await_promise = Some(true);
        self
    }

    /// Puts handles that come of it into a group that is let go as one.
    pub fn in_group(mut self, group: &str) -> Self {
        self.params.object_group = Some(group.to_owned());
        self
    }

    /// Calls it now; the answer has its value.
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

/// What JavaScript gave back.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Evaluated {
    /// The result; of no meaning where something was thrown.
    pub result: RemoteObject,
    /// What was thrown.
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

/// JavaScript of ours threw, which is a defect, or the page is in a state that we did not think of.
#[derive(Debug, Clone, thiserror::Error)]
#[error("{0}")]
pub struct Thrown(pub String);

/// A value of a page; by value where JSON can hold it.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct RemoteObject {
    /// As `typeof` says.
    pub r#type: String,
    /// `array`, `null`, `node`, …
    pub subtype: Option<String>,
    /// The value, when it was asked for; neither there for `null` nor for `undefined`.
    pub value: Option<Box<RawValue>>,
    /// A value that JSON has no form for: `NaN`, `-0`, `1n`.
    pub unserializable_value: Option<String>,
    /// How it is shown to people.
    pub description: Option<String>,
    /// Its handle, when it was not asked for by value.
    pub object_id: Option<String>,
}

impl RemoteObject {
    /// Reads the value, which is `null` where there is none.
    ///
    /// # Errors
    /// [`Unreadable`] when it does not fit.
    pub fn read<T: DeserializeOwned>(&self) -> Result<T, Unreadable> {
        json::read(self.value.as_deref().map_or("null", RawValue::get))
    }

    /// The value as JSON, where there is one.
    #[must_use]
    pub fn json(&self) -> Option<Value> {
        json::read(self.value.as_deref()?.get()).ok()
    }
}

/// Something was thrown.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Exception {
    /// Chromium's words: `Uncaught`.
    pub text: String,
    /// Where, counted from 0.
    #[serde(deserialize_with = "json::or_default")]
    pub line_number: u32,
    /// What was thrown.
    pub exception: Option<RemoteObject>,
    /// How the script got there; none for text that is not JavaScript.
    pub stack_trace: Option<Value>,
}

impl Exception {
    /// What was thrown, with its stack, as people see it.
    #[must_use]
    pub fn words(self) -> String {
        let said = self.exception.and_then(|object| object.description);
        said.unwrap_or(self.text)
    }
}

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

/// The name of our world in this process. One name: the same name in the same document is the same
/// world, so that looking at a page a thousand times leaves one world behind. Nobody guesses it.
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
    async fn each_way_to_run_something_says_what_it_needs_and_no_more() {
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
    fn what_was_thrown_is_told_by_its_first_line() {
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
