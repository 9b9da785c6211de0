//! Our worlds in each page: they see the DOM, and the page cannot see them. One is for scripts of ours,
//! the other one for code of clients, which may change everything in it.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use serde_json::{Value, json};
use szk_cdp::frames::{our_world, random_name};
use szk_cdp::world::{Evaluated, Object, World};
use szk_cdp::{CallError, Reply};

use crate::{Page, was_gone};

/// The worlds of pages, found again without asking the browser; cheap to clone.
#[derive(Clone, Default)]
pub struct Worlds {
    // A std mutex: nothing awaits under it. By the page's target.
    known: Arc<Mutex<HashMap<String, Globals>>>,
}

/// The global objects of the worlds in a page's document, as far as they are known.
#[derive(Default)]
struct Globals {
    ours: Option<String>,
    codes: Option<String>,
    /// Whether clients ran code since a document was last prepared.
    runs_code: bool,
}

/// Which world is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Whose {
    Ours,
    Codes,
}

/// Most pages to remember.
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
        self.call_in(Whose::Ours, page, function, args).await
    }

    /// Does so in the world of clients' code.
    pub(crate) async fn call_code(
        &self,
        page: &Page,
        function: &str,
        args: &[Value],
    ) -> Result<Evaluated, CallError> {
        let answer = self.call_in(Whose::Codes, page, function, args).await;
        self.lock().entry(page.frame.clone()).or_default().runs_code = true;
        answer
    }

    async fn call_in(
        &self,
        whose: Whose,
        page: &Page,
        function: &str,
        args: &[Value],
    ) -> Result<Evaluated, CallError> {
        let mut retries = 0;
        loop {
            let global = match self.known(&page.frame, whose) {
                Some(global) => global,
                None => self.make(page, whose).await?,
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
        let world = create(page, Whose::Ours).await?;
        // Sent in this order and at once.
        let (kept, answer) = tokio::join!(
            self.keep(page, Whose::Ours, world.hold("globalThis")),
            world.evaluate(format!("({function})({})", json!(arg))),
        );
        kept?;
        answer
    }

    /// Makes the worlds in a document that has come, for the next call: that of code only if some ran in the
    /// document before.
    ///
    /// # Errors
    /// [`CallError`] when the page is gone.
    pub async fn prepare(&self, page: &Page) -> Result<(), CallError> {
        let ran_code = match self.lock().get_mut(&page.frame) {
            Some(globals) => std::mem::take(&mut globals.runs_code),
            None => false,
        };
        let codes = ran_code.then_some(Whose::Codes);
        for whose in [Whose::Ours].into_iter().chain(codes) {
            if self.known(&page.frame, whose).is_none() {
                self.make(page, whose).await?;
            }
        }
        Ok(())
    }

    async fn make(&self, page: &Page, whose: Whose) -> Result<String, CallError> {
        let world = create(page, whose).await?;
        self.keep(page, whose, world.hold("globalThis")).await
    }

    async fn keep(
        &self,
        page: &Page,
        whose: Whose,
        global: Reply<Evaluated>,
    ) -> Result<String, CallError> {
        let global = global.await?.result.object_id.unwrap_or_default();
        let mut known = self.lock();
        if known.len() >= KNOWN {
            // Most belong to tabs that were closed long ago; the rest are created again on demand.
            known.clear();
        }
        let globals = known.entry(page.frame.clone()).or_default();
        match whose {
            Whose::Ours => globals.ours = Some(global.clone()),
            Whose::Codes => globals.codes = Some(global.clone()),
        }
        Ok(global)
    }

    fn known(&self, target: &str, whose: Whose) -> Option<String> {
        let known = self.lock();
        let globals = known.get(target)?;
        match whose {
            Whose::Ours => globals.ours.clone(),
            Whose::Codes => globals.codes.clone(),
        }
    }

    /// The document of this target has gone, and its worlds with it.
    pub(crate) fn forget(&self, target: &str) {
        if let Some(globals) = self.lock().get_mut(target) {
            (globals.ours, globals.codes) = (None, None);
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, Globals>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

async fn create(page: &Page, whose: Whose) -> Result<World, CallError> {
    let name = match whose {
        Whose::Ours => our_world(),
        Whose::Codes => codes_world(),
    };
    World::make_universal(&page.connection, &page.session, &page.frame, name).await
}

/// Different in every process, so that no page can look for it.
fn codes_world() -> &'static str {
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
    async fn scripts_of_ours_share_a_world_and_code_has_one_where_it_runs() {
        let (page, peer) = testing::page(testing::says(&json!(1)));
        let worlds = Worlds::default();
        let mut seen = 0;
        // Whose worlds were made since the last look.
        let mut made = || {
            let calls = peer.calls();
            let made = calls
                .iter()
                .filter(|call| call.method == "Page.createIsolatedWorld");
            let ours: Vec<bool> = made
                .map(|call| call.params["worldName"] == our_world())
                .collect();
            let new = ours[seen..].to_vec();
            seen = ours.len();
            new
        };
        worlds.call(&page, "f", &[]).await.unwrap();
        assert_eq!(made(), [true]);
        worlds.forget(&page.frame);
        worlds.prepare(&page).await.unwrap();
        assert_eq!(made(), [true], "no code has run");
        worlds.call_code(&page, "f", &[]).await.unwrap();
        assert_eq!(made(), [false]);
        worlds.forget(&page.frame);
        worlds.prepare(&page).await.unwrap();
        assert_eq!(made(), [true, false], "code may run again");
        worlds.forget(&page.frame);
        worlds.prepare(&page).await.unwrap();
        assert_eq!(made(), [true], "it did not");
    }

    #[tokio::test]
    async fn a_document_that_keeps_changing_ends_the_call() {
        let script = testing::pages().answer("Runtime.callFunctionOn", Answer::error(-32000, GONE));
        let (page, _peer) = testing::page(script);
        let failed = Worlds::default().call(&page, "f", &[]).await;
        assert!(was_gone(&failed.unwrap_err()));
    }
}
