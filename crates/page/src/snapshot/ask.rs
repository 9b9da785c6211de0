//! Other queries of a page, and the last answer.

use serde::Deserialize;
use serde_json::{Value, json};

use super::cut;
use super::error::ReadError;
use super::kept::Kept;
use super::options::Scope;
use super::view::View;
use crate::page::Page;

#[derive(Deserialize)]
pub(super) struct ScriptAnswer<T> {
    pub(super) value: T,
    pub(super) suspects: u32,
}

impl View {
    /// Keeps content so it can be served in parts.
    pub fn keep_content(&mut self, content: Kept) {
        self.taken += 1;
        self.content_id = self.taken;
        self.content = content;
    }

    /// The position that a cursor of the kept content points to.
    #[must_use]
    pub fn kept_from(&self, cursor: &str) -> Option<usize> {
        cut::line_of(cursor, self.content_id)
    }

    /// As much of the kept content as fits, and a cursor for the rest.
    #[must_use]
    pub fn content(&self, from: usize, limit: usize, bytes: usize) -> (Kept, Option<String>) {
        let (piece, next) = self.content.piece(from, limit, bytes);
        (piece, next.map(|next| cut::cursor(self.content_id, next)))
    }

    /// Queries our script for something other than the tree.
    pub(crate) async fn ask<T: for<'de> Deserialize<'de>>(
        &mut self,
        page: &Page,
        scope: Option<&Scope>,
        kind: &str,
        options: &Value,
    ) -> Result<T, ReadError> {
        let start = self.start(page, scope).await?;
        let function = "function (kind, root, options) { return this.ask(kind, root, options); }";
        let args = [json!(kind), json!(start.root.unwrap_or(0)), options.clone()];
        let mut tried = 0;
        loop {
            let world = self.worlds.at(page, &start.frame, &start.session).await?;
            tried += 1;
            match world.call::<Option<ScriptAnswer<T>>>(function, &args).await {
                Err(ReadError::Call(error))
                    if crate::is_gone(&error) && tried == 1 && start.root.is_none() =>
                {
                    self.worlds.forget(&start.frame);
                }
                // Closed trees may contain closed trees.
                Ok(Some(asked))
                    if tried > 3 || asked.suspects == 0 || world.reveal().await? == 0 =>
                {
                    world.release();
                    return Ok(asked.value);
                }
                Ok(Some(_)) => {}
                Ok(None) => return Err(szk_cdp::CallError::SessionGone.into()),
                Err(error) => return Err(error),
            }
        }
    }
}
