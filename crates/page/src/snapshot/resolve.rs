//! Resolves refs and selectors to nodes.

use serde::Deserialize;
use serde_json::json;
use szk_cdp::CallError;

use super::error::{ReadError, Stale};
use super::frames::Handle;
use super::gather::Start;
use super::item::Kind;
use super::options::Scope;
use super::refs::{Known, Node, words};
use super::view::View;
use crate::page::Page;

/// What a node is now.
const NOW: &str = "function (known, kind) { return this.now(known, kind); }";

#[derive(Deserialize)]
struct Now {
    role: String,
    name: String,
}

#[derive(Deserialize)]
struct Selected {
    count: u32,
    first: Vec<u32>,
}

impl View {
    /// Finds the node of a ref and checks that it is still what it was.
    ///
    /// # Errors
    /// [`Stale`].
    pub async fn resolve(&self, reference: &str) -> Result<Node, Stale> {
        let (node, known) = self.locate(reference).await?;
        // The element around a text need not match what the text said.
        let same = node.role == known.role && node.name == known.name;
        if known.kind == Kind::Text || same {
            return Ok(node);
        }
        Err(Stale::Changed {
            reference: reference.to_owned(),
            was: known.words(),
            now: words(&node.role, &node.name),
        })
    }

    /// Finds the node of a ref, whatever it has become.
    ///
    /// # Errors
    /// [`Stale`], but never because it changed.
    pub async fn resolve_changed(&self, reference: &str) -> Result<Node, Stale> {
        self.locate(reference).await.map(|(node, _)| node)
    }

    async fn locate(&self, reference: &str) -> Result<(Node, &Known), Stale> {
        let known = self
            .refs
            .get(reference)
            .ok_or_else(|| Stale::Unknown(reference.to_owned()))?;
        let gone = || Stale::Gone {
            reference: reference.to_owned(),
            was: known.words(),
        };
        let (frame, world) = self.worlds.of_serial(known.key.world).ok_or_else(gone)?;
        let number = known.key.number;
        let args = [json!(number), json!(known.kind.letter())];
        let asked = futures_util::future::try_join(
            world.call::<Option<Now>>(NOW, &args),
            world.describe(number),
        );
        let (now, described) = match asked.await {
            Ok(both) => both,
            // A frame's session goes away with the frame.
            Err(ReadError::Call(CallError::SessionGone)) => return Err(gone()),
            Err(ReadError::Call(error)) if crate::is_gone(&error) => return Err(gone()),
            Err(ReadError::Call(error)) => return Err(error.into()),
            Err(_) => return Err(gone()),
        };
        world.release();
        let (Some(now), Some(described)) = (now, described) else {
            return Err(gone());
        };
        let node = Node {
            session: world.session.clone(),
            frame: frame.to_owned(),
            backend_node_id: described.backend_node_id,
            role: now.role,
            name: now.name,
        };
        Ok((node, known))
    }

    /// Where to start reading.
    pub(super) async fn start(
        &mut self,
        page: &Page,
        scope: Option<&Scope>,
    ) -> Result<Start, ReadError> {
        let whole = Start {
            frame: page.frame.clone(),
            session: page.session.clone(),
            root: None,
        };
        match scope {
            None => Ok(whole),
            Some(Scope::Ref(reference)) => {
                let node = self.resolve(reference).await;
                // Show what is there now, even if it has become something else.
                let known = match (&node, self.refs.get(reference)) {
                    (Ok(_) | Err(Stale::Changed { .. }), Some(known)) => known,
                    _ => {
                        return Err(node
                            .err()
                            .unwrap_or_else(|| Stale::Unknown(reference.clone()))
                            .into());
                    }
                };
                let world = self.worlds.of_serial(known.key.world);
                let (frame, world) = world.ok_or_else(|| Stale::Unknown(reference.clone()))?;
                Ok(Start {
                    frame: frame.to_owned(),
                    session: world.session.clone(),
                    root: Some(known.key.number),
                })
            }
            Some(Scope::Selector(selector)) => {
                let selected = self.select(page, selector).await?;
                Ok(Start {
                    root: Some(selected),
                    ..whole
                })
            }
        }
    }

    async fn select(&mut self, page: &Page, selector: &str) -> Result<u32, ReadError> {
        let function = "function (selector) { return this.select(selector); }";
        let args = [json!(selector)];
        let mut tried = false;
        let selected: Selected = loop {
            let world = self.worlds.at(page, &page.frame, &page.session).await?;
            match world.call(function, &args).await {
                Err(ReadError::Call(error)) if crate::is_gone(&error) && !tried => {
                    tried = true;
                    self.worlds.forget(&page.frame);
                }
                Err(ReadError::Script(_)) => return Err(ReadError::Selector(selector.to_owned())),
                other => break other?,
            }
        };
        match selected.first[..] {
            [] => Err(ReadError::Nothing(selector.to_owned())),
            [only] => Ok(only),
            ref several => {
                let world = self.worlds.at(page, &page.frame, &page.session).await?;
                let handles = several.iter().map(|one| Handle::of(world.serial, *one));
                let handles: Vec<Handle> = handles.collect();
                let lines = Box::pin(self.lines_of(page, &handles)).await?;
                Err(ReadError::Many {
                    selector: selector.to_owned(),
                    count: selected.count,
                    candidates: lines.into_iter().flatten().collect(),
                })
            }
        }
    }
}
