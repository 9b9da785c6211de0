//! Our own world in a page: it sees the DOM, and the page cannot see it.

use std::collections::HashMap;
use std::sync::{Mutex, OnceLock, PoisonError};

use serde_json::{Value, json};
use szk_cdp::frames::random_name;
use szk_cdp::world::{Evaluated, Object, World};
use szk_cdp::{CallError, Connection, Reply};
use szk_runtime::supervisor::Tab;

/// The global objects of our worlds, by target. An object id names its isolate too, so one of an older
/// document is refused and never mistaken for another.
#[derive(Default)]
pub(crate) struct Worlds {
    // A std mutex: nothing awaits under it.
    globals: Mutex<HashMap<String, String>>,
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
            let object = Object::at(connection, session, global);
            let call = object.function(function).values(args).awaited();
            match call.for_value().await {
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
        let world = create(connection, tab).await?;
        // Sent in this order and at once.
        let (kept, said) = tokio::join!(
            self.keep(tab, world.hold("globalThis")),
            world.evaluate(format!("({function})({})", json!(arg))),
        );
        kept?;
        said
    }

    async fn make(&self, connection: &Connection, tab: &Tab) -> Result<String, CallError> {
        let world = create(connection, tab).await?;
        self.keep(tab, world.hold("globalThis")).await
    }

    /// Keeps a world in mind by its global object.
    async fn keep(&self, tab: &Tab, global: Reply<Evaluated>) -> Result<String, CallError> {
        let global = global.await?.result.object_id.unwrap_or_default();
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

/// Makes our world in the tab's document.
async fn create(connection: &Connection, tab: &Tab) -> Result<World, CallError> {
    // A page's main frame has the id of its target.
    let (session, frame) = (&tab.page.session, &tab.page.target_id);
    World::make_universal(connection, session, frame, name()).await
}

/// Another name in every process, so that nothing can look for it.
fn name() -> &'static str {
    static NAME: OnceLock<String> = OnceLock::new();
    NAME.get_or_init(random_name)
}
