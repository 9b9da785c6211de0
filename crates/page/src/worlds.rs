//! Our own world in each page: it sees the DOM, and the page cannot see it.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use serde_json::{Value, json};
use szk_cdp::frames::random_name;
use szk_cdp::world::{Evaluated, Object, World};
use szk_cdp::{CallError, Reply};

use crate::{Page, was_gone};

/// The worlds of pages, found again without asking the browser; cheap to clone.
#[derive(Clone, Default)]
pub struct Worlds {
    // A std mutex: nothing awaits under it. The global object of our world by the page's target.
    globals: Arc<Mutex<HashMap<String, String>>>,
}

/// Most worlds to remember.
const KNOWN: usize = 256;
/// How often a world that ended with its document is made again in one call.
const RETRIES: usize = 3;

impl Worlds {
    /// Calls `function` with `args` in our world of the page, and waits for its promise. Recreates a
    /// world that ended with its document, as long as nothing has run.
    ///
    /// # Errors
    /// [`CallError`] when the page is gone, or its document changes while the function runs.
    pub async fn call(
        &self,
        page: &Page,
        function: &str,
        args: &[Value],
    ) -> Result<Evaluated, CallError> {
        let mut retries = 0;
        loop {
            let global = match self.known(&page.frame) {
                Some(global) => global,
                None => self.make(page).await?,
            };
            let object = Object::at(&page.connection, &page.session, global);
            let call = object.function(function).values(args).awaited();
            match call.for_value().await {
                Err(error) if retries < RETRIES && was_gone(&error) => {
                    retries += 1;
                    self.forget(&page.frame);
                }
                other => return other,
            }
        }
    }

    /// Evaluates an expression that only reads, in a world of its own that reaches no other origin.
    pub(crate) async fn look(
        page: &Page,
        expression: &str,
        limit: Duration,
    ) -> Result<Evaluated, CallError> {
        static NAME: OnceLock<String> = OnceLock::new();
        let name = NAME.get_or_init(random_name);
        let world = World::make(&page.connection, &page.session, &page.frame, name).await?;
        world.look(expression, limit).await
    }

    /// Creates our world in a document that has just been committed and calls `function` in it, in a
    /// single round trip after the creation: a page is busy while its document loads.
    pub(crate) async fn renew(
        &self,
        page: &Page,
        function: &str,
        arg: Option<&str>,
    ) -> Result<Evaluated, CallError> {
        self.forget(&page.frame);
        let world = create(page).await?;
        // Sent in this order and at once.
        let (kept, answer) = tokio::join!(
            self.keep(page, world.hold("globalThis")),
            world.evaluate(format!("({function})({})", json!(arg))),
        );
        kept?;
        answer
    }

    /// Makes our world in a document that has come, for the next call.
    ///
    /// # Errors
    /// [`CallError`] when the page is gone.
    pub async fn prepare(&self, page: &Page) -> Result<(), CallError> {
        if self.known(&page.frame).is_none() {
            self.make(page).await?;
        }
        Ok(())
    }

    async fn make(&self, page: &Page) -> Result<String, CallError> {
        let world = create(page).await?;
        self.keep(page, world.hold("globalThis")).await
    }

    async fn keep(&self, page: &Page, global: Reply<Evaluated>) -> Result<String, CallError> {
        let global = global.await?.result.object_id.unwrap_or_default();
        let mut globals = self.lock();
        if globals.len() >= KNOWN {
            // Most belong to tabs that were closed long ago; the rest are created again on demand.
            globals.clear();
        }
        globals.insert(page.frame.clone(), global.clone());
        Ok(global)
    }

    fn known(&self, target: &str) -> Option<String> {
        self.lock().get(target).cloned()
    }

    /// The document of this target has gone, and the world with it.
    pub(crate) fn forget(&self, target: &str) {
        self.lock().remove(target);
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, String>> {
        self.globals.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

async fn create(page: &Page) -> Result<World, CallError> {
    World::make_universal(&page.connection, &page.session, &page.frame, name()).await
}

/// Different in every process, so that no page can look for it.
fn name() -> &'static str {
    static NAME: OnceLock<String> = OnceLock::new();
    NAME.get_or_init(random_name)
}

#[cfg(test)]
mod tests {
    use szk_cdp::testing::Answer;

    use super::*;
    use crate::testing;

    const GONE: &str = "Could not find object with given id";

    #[tokio::test]
    async fn a_world_is_found_again_and_recreated_after_its_document_is_replaced() {
        let script = testing::pages().nth("Runtime.callFunctionOn", 3, Answer::error(-32000, GONE));
        let (page, peer) = testing::page(script);
        let worlds = Worlds::default();
        for _ in 0..3 {
            worlds.call(&page, "f", &[json!(1)]).await.unwrap();
        }
        let made = |method: &str| peer.methods().iter().filter(|one| *one == method).count();
        assert_eq!(made("Page.createIsolatedWorld"), 2);
        assert_eq!(made("Runtime.callFunctionOn"), 4);
    }

    #[tokio::test]
    async fn a_document_that_keeps_changing_ends_the_call() {
        let script = testing::pages().answer("Runtime.callFunctionOn", Answer::error(-32000, GONE));
        let (page, _peer) = testing::page(script);
        let failed = Worlds::default().call(&page, "f", &[]).await;
        assert!(was_gone(&failed.unwrap_err()));
    }
}
