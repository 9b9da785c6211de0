//! Our script in one frame's isolated world: the page cannot see it, and its prototypes are its own.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use serde::Deserialize;
use serde_json::{Value, json};
use szk_cdp::frames::{IsolatedWorld, random_name};
use szk_cdp::{CallError, Connection, SessionId};

use super::error::ReadError;
use super::script::SCRIPT;
use crate::dom::{Described, Node};
use crate::remote::{Evaluated, RemoteObject, Thrown};

/// The script at work in one document. It ends with the document.
#[derive(Clone)]
pub(super) struct World {
    connection: Connection,
    pub(super) session: SessionId,
    /// Never the same for two worlds, so that a node's number cannot be taken for another's.
    pub(super) serial: u64,
    context: i64,
    /// Id of the object the script evaluates to.
    object: String,
}

#[derive(Deserialize)]
struct Resolved {
    object: RemoteObject,
}

#[derive(Deserialize)]
struct Properties {
    result: Vec<Property>,
}

#[derive(Deserialize)]
struct Property {
    name: String,
    value: Option<RemoteObject>,
}

impl World {
    /// Starts the script in a frame of this session.
    pub(super) async fn start(
        connection: &Connection,
        session: &SessionId,
        frame: &str,
    ) -> Result<Self, ReadError> {
        let made = IsolatedWorld::make(connection, session, frame, name()).await?;
        let context = made.execution_context_id;
        let params = json!({"expression": SCRIPT, "contextId": context});
        let evaluated: Evaluated = connection
            .ask(Some(session), "Runtime.evaluate", &params)
            .await?;
        static SERIAL: AtomicU64 = AtomicU64::new(1);
        Ok(Self {
            connection: connection.clone(),
            session: session.clone(),
            serial: SERIAL.fetch_add(1, Ordering::Relaxed),
            context,
            object: evaluated.ok()?.object_id.unwrap_or_default(),
        })
    }

    /// Calls a function with the script as `this`, and reads what it returns.
    pub(super) async fn call<T: for<'de> Deserialize<'de>>(
        &self,
        function: &str,
        args: &[Value],
    ) -> Result<T, ReadError> {
        let arguments: Vec<Value> = args.iter().map(|value| json!({"value": value})).collect();
        let object = self.function(function, &arguments, true).await?;
        let text = object.value.as_deref().map_or("null", |value| value.get());
        let read = serde_json::from_str(text).or_else(|_| szk_cdp::lenient::read(text));
        read.map_err(|error| Thrown(format!("an answer has another shape: {error}")).into())
    }

    /// The remote object of a numbered node; `None` when it is gone.
    pub(super) async fn object(&self, number: u32) -> Result<Option<String>, ReadError> {
        let function = "function (known) { return this.node(known); }";
        let object = self
            .function(function, &[json!({"value": number})], false)
            .await?;
        Ok(object.object_id)
    }

    /// What CDP knows about a numbered node; `None` if it is gone.
    pub(super) async fn describe(&self, number: u32) -> Result<Option<Node>, ReadError> {
        match self.object(number).await? {
            Some(object) => Ok(Some(self.describe_object(&object).await?)),
            None => Ok(None),
        }
    }

    async fn describe_object(&self, object: &str) -> Result<Node, CallError> {
        let params = json!({"objectId": object});
        let described: Described = self
            .connection
            .ask(Some(&self.session), "DOM.describeNode", &params)
            .await?;
        Ok(described.node)
    }

    /// Asks CDP for closed shadow roots of the elements that the last reading found suspicious, and
    /// hands them to the script. Answers how many there were.
    pub(super) async fn reveal(&self) -> Result<usize, ReadError> {
        let suspects = self
            .function("function () { return this.suspects(); }", &[], false)
            .await?;
        let params = json!({"objectId": suspects.object_id, "ownProperties": true});
        let properties: Properties = self
            .connection
            .ask(Some(&self.session), "Runtime.getProperties", &params)
            .await?;
        let hosts = properties
            .result
            .into_iter()
            .filter(|property| property.name.parse::<u32>().is_ok());
        let hosts = hosts.filter_map(|property| property.value?.object_id);
        let found = futures_util::future::join_all(hosts.map(|host| self.reveal_one(host))).await;
        found.into_iter().try_fold(0, |sum, one| Ok(sum + one?))
    }

    async fn reveal_one(&self, host: String) -> Result<usize, ReadError> {
        let node = self.describe_object(&host).await?;
        let Some(closed) = node.closed_tree() else {
            return Ok(0);
        };
        let params = json!({"backendNodeId": closed, "executionContextId": self.context});
        let resolved: Resolved = self
            .connection
            .ask(Some(&self.session), "DOM.resolveNode", &params)
            .await?;
        let args = [
            json!({"objectId": host}),
            json!({"objectId": resolved.object.object_id}),
        ];
        self.function(
            "function (host, root) { this.reveal(host, root); }",
            &args,
            true,
        )
        .await?;
        Ok(1)
    }

    async fn function(
        &self,
        function: &str,
        arguments: &[Value],
        by_value: bool,
    ) -> Result<RemoteObject, ReadError> {
        let params = json!({
            "objectId": self.object,
            "functionDeclaration": function,
            "arguments": arguments,
            "returnByValue": by_value,
            // Objects of one reading are let go at the start of the next.
            "objectGroup": GROUP,
        });
        let evaluated: Evaluated = self
            .connection
            .ask(Some(&self.session), "Runtime.callFunctionOn", &params)
            .await?;
        Ok(evaluated.ok()?)
    }

    /// Lets go of the objects that were handed out; they would keep nodes alive.
    pub(super) fn release(&self) {
        let params = serde_json::value::to_raw_value(&json!({"objectGroup": GROUP})).ok();
        drop(
            self.connection
                .post_raw(Some(&self.session), "Runtime.releaseObjectGroup", params),
        );
    }
}

/// The group of short-lived objects.
const GROUP: &str = "reading";

/// A different name in every process, so that nothing can look for it.
fn name() -> &'static str {
    static NAME: OnceLock<String> = OnceLock::new();
    NAME.get_or_init(random_name)
}
