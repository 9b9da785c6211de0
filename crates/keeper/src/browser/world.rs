//! Our own world in a page: it sees the DOM, and the page cannot see it.

use std::collections::HashMap;
use std::sync::{Mutex, OnceLock, PoisonError};

use serde::Deserialize;
use serde_json::{Value, json};
use szk_cdp::frames::{IsolatedWorld, random_name};
use szk_cdp::{CallError, Connection};
use szk_runtime::supervisor::Tab;

/// The global objects of our worlds, by target. An object id names its isolate too, so one of an older
/// document is refused and never mistaken for another.
#[derive(Default)]
pub(crate) struct Worlds {
    // A std mutex: nothing awaits under it.
    globals: Mutex<HashMap<String, String>>,
}

/// What a function gave back.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Evaluated {
    pub(crate) result: RemoteObject,
    pub(crate) exception_details: Option<Exception>,
}

/// A value of a page; by value where JSON can hold it.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct RemoteObject {
    pub(crate) r#type: String,
    pub(crate) subtype: Option<String>,
    pub(crate) value: Option<Value>,
    pub(crate) unserializable_value: Option<String>,
    pub(crate) description: Option<String>,
    pub(crate) object_id: Option<String>,
}

/// Something was thrown.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Exception {
    pub(crate) text: String,
    #[serde(default)]
    pub(crate) line_number: u32,
    pub(crate) exception: Option<RemoteObject>,
    pub(crate) stack_trace: Option<Value>,
}

/// Worlds kept in mind.
const KNOWN: usize = 256;

impl Worlds {
    /// Calls `function` with `args` in our world of the tab, and waits for what it promises. A world
    /// that went with its document is made anew, as long as nothing has run.
    pub(crate) async fn call(
        &self,
        connection: &Connection,
        tab: &Tab,
        function: &str,
        args: &[Value],
    ) -> Result<Evaluated, CallError> {
        let session = &tab.page.session;
        let mut tried = 0;
        loop {
            let global = match self.known(&tab.page.target_id) {
                Some(global) => global,
                None => self.make(connection, tab).await?,
            };
            let arguments: Vec<Value> = args.iter().map(|value| json!({"value": value})).collect();
            let params = json!({
                "objectId": global,
                "functionDeclaration": function,
                "arguments": arguments,
                "returnByValue": true,
                "awaitPromise": true,
            });
            match connection
                .ask(Some(session), "Runtime.callFunctionOn", &params)
                .await
            {
                Err(error) if tried < 3 && szk_page::was_gone(&error) => {
                    tried += 1;
                    self.forget(&tab.page.target_id);
                }
                other => return other,
            }
        }
    }

    /// Makes our world in the document that came just now, and calls `function` in it without another way
    /// there and back: the page is busy when a document comes.
    pub(crate) async fn renew(
        &self,
        connection: &Connection,
        tab: &Tab,
        function: &str,
        arg: Option<&str>,
    ) -> Result<Evaluated, CallError> {
        self.forget(&tab.page.target_id);
        let context = create(connection, tab).await?;
        let params = json!({
            "expression": format!("({function})({})", json!(arg)),
            "contextId": context,
            "returnByValue": true,
            "awaitPromise": true,
        });
        // Sent in this order and at once.
        let (kept, said) = tokio::join!(
            self.keep(connection, tab, context),
            connection.ask(Some(&tab.page.session), "Runtime.evaluate", &params),
        );
        kept?;
        said
    }

    async fn make(&self, connection: &Connection, tab: &Tab) -> Result<String, CallError> {
        let context = create(connection, tab).await?;
        self.keep(connection, tab, context).await
    }

    /// Keeps a world in mind by its global object.
    async fn keep(
        &self,
        connection: &Connection,
        tab: &Tab,
        context: i64,
    ) -> Result<String, CallError> {
        let params = json!({"expression": "globalThis", "contextId": context});
        let evaluated: Evaluated = connection
            .ask(Some(&tab.page.session), "Runtime.evaluate", &params)
            .await?;
        let global = evaluated.result.object_id.unwrap_or_default();
        let mut globals = self.globals.lock().unwrap_or_else(PoisonError::into_inner);
        if globals.len() >= KNOWN {
            // Most are of tabs that were closed long ago; the rest are made again when asked for.
            globals.clear();
        }
        globals.insert(tab.page.target_id.clone(), global.clone());
        Ok(global)
    }

    fn known(&self, target_id: &str) -> Option<String> {
        self.globals
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .get(target_id)
            .cloned()
    }

    fn forget(&self, target_id: &str) {
        self.globals
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .remove(target_id);
    }
}

/// Makes our world in the tab's document; its number there.
async fn create(connection: &Connection, tab: &Tab) -> Result<i64, CallError> {
    // A page's main frame has the id of its target.
    let (session, frame) = (&tab.page.session, &tab.page.target_id);
    let world = IsolatedWorld::make_universal(connection, session, frame, name()).await?;
    Ok(world.execution_context_id)
}

/// Another name in every process, so that nothing can look for it.
fn name() -> &'static str {
    static NAME: OnceLock<String> = OnceLock::new();
    NAME.get_or_init(random_name)
}
