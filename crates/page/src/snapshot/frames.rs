//! Queries all documents of a page.

use std::time::Duration;

use serde_json::{Value, json};
use szk_cdp::SessionId;

use super::ask::ScriptAnswer;
use super::error::ReadError;
use super::item::Key;
use super::view::View;
use super::world::World;
use crate::act::NodeRef;
use crate::page::Page;

/// How long a frame in the page may take to answer; after that the answer goes without it.
const PATIENCE: Duration = Duration::from_secs(4);
/// Most documents to query.
const MOST: usize = 60;
/// Most frames to watch at a time: some pages have dozens of them, for advertisements.
const WATCHED: usize = 16;

/// A reported node; valid as long as its document lives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Handle {
    world: u64,
    number: u32,
}

/// One document's answer.
#[derive(Debug, Clone)]
pub(crate) struct DocumentAnswer<T> {
    pub(crate) world: u64,
    pub(crate) value: T,
}

/// An answer that names the frames in its document.
pub(crate) trait Holds {
    fn frames(&self) -> &[u32];
}

impl Handle {
    /// Which node it is.
    pub(super) fn key(self) -> Key {
        Key {
            world: self.world,
            number: self.number,
        }
    }

    /// A node of the document that this world read.
    pub(crate) fn of(world: u64, number: u32) -> Self {
        Self { world, number }
    }
}

impl View {
    /// The frames that the page showed when it was read last, as pages of their own; not more than can be watched
    /// at a time.
    #[must_use]
    pub fn frames(&self, page: &Page) -> Vec<Page> {
        let inside = self.worlds.inside(&page.frame).take(WATCHED);
        inside
            .map(|(frame, session)| page.within(frame, session))
            .collect()
    }

    /// Runs our script in every document of the page, outermost first. Leaves out frames that do not
    /// answer.
    pub(crate) async fn ask_all<T: for<'de> serde::Deserialize<'de> + Holds>(
        &mut self,
        page: &Page,
        kind: &str,
        options: &Value,
    ) -> Result<Vec<DocumentAnswer<T>>, ReadError> {
        let (world, value) = self
            .ask_frame::<T>(page, &page.frame, &page.session, kind, options)
            .await?;
        let mut waiting: Vec<(World, Vec<u32>)> = vec![(world.clone(), value.frames().to_vec())];
        let mut all = vec![DocumentAnswer {
            world: world.serial,
            value,
        }];
        while let Some((outer, numbers)) = waiting.pop() {
            for number in numbers {
                if all.len() >= MOST {
                    return Ok(all);
                }
                let asked = self.ask_inside::<T>(page, &outer, number, kind, options);
                let Ok(Ok(Some((world, value)))) = tokio::time::timeout(PATIENCE, asked).await
                else {
                    continue;
                };
                waiting.push((world.clone(), value.frames().to_vec()));
                all.push(DocumentAnswer {
                    world: world.serial,
                    value,
                });
            }
        }
        Ok(all)
    }

    async fn ask_inside<T: for<'de> serde::Deserialize<'de>>(
        &mut self,
        page: &Page,
        outer: &World,
        number: u32,
        kind: &str,
        options: &Value,
    ) -> Result<Option<(World, T)>, ReadError> {
        let Some(frame) = outer.describe(number).await?.and_then(|node| node.frame_id) else {
            return Ok(None);
        };
        let session = page.session_of(&frame, &outer.session);
        let asked = self.ask_frame(page, &frame, &session, kind, options).await;
        asked.map(Some)
    }

    async fn ask_frame<T: for<'de> serde::Deserialize<'de>>(
        &mut self,
        page: &Page,
        frame: &str,
        session: &SessionId,
        kind: &str,
        options: &Value,
    ) -> Result<(World, T), ReadError> {
        let function = "function (kind, root, options) { return this.ask(kind, root, options); }";
        let args = [json!(kind), json!(0), options.clone()];
        let mut tried = 0;
        loop {
            let world = self.worlds.at(page, frame, session).await?;
            tried += 1;
            match world.call::<Option<ScriptAnswer<T>>>(function, &args).await {
                Err(ReadError::Call(error)) if crate::is_gone(&error) && tried == 1 => {
                    self.worlds.forget(frame);
                }
                // Closed trees may contain closed trees.
                Ok(Some(asked))
                    if tried > 3 || asked.suspects == 0 || world.reveal().await? == 0 =>
                {
                    world.release();
                    return Ok((world, asked.value));
                }
                Ok(Some(_)) => {}
                Ok(None) => return Err(szk_cdp::CallError::SessionGone.into()),
                Err(error) => return Err(error),
            }
        }
    }

    /// The node of a handle, to act on; `None` if it is gone.
    ///
    /// # Errors
    /// [`ReadError`].
    pub async fn node(&self, handle: Handle) -> Result<Option<NodeRef>, ReadError> {
        let Some((frame, world)) = self.worlds.of_serial(handle.world) else {
            return Ok(None);
        };
        let described = match world.describe(handle.number).await {
            Err(ReadError::Call(error)) if crate::is_gone(&error) => None,
            described => described?,
        };
        world.release();
        Ok(described.map(|node| NodeRef {
            session: world.session.clone(),
            frame: frame.to_owned(),
            backend_node_id: node.backend_node_id,
            words: None,
        }))
    }

    /// The handle of a ref, if it resolves.
    #[must_use]
    pub fn handle(&self, reference: &str) -> Option<Handle> {
        let known = self.refs.get(reference)?;
        Some(Handle::of(known.key.world, known.key.number))
    }
}
