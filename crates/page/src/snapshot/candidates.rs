//! Names nodes among which a caller has to choose.

use super::error::ReadError;
use super::frames::Handle;
use super::item::Kind;
use super::named;
use super::options::{Mode, Options};
use super::view::View;
use crate::act::NodeRef;
use crate::page::Page;

impl View {
    /// Role, name and ref of each of these; nothing for what has no line of its own.
    ///
    /// # Errors
    /// [`ReadError`].
    pub async fn lines_of(
        &mut self,
        page: &Page,
        handles: &[Handle],
    ) -> Result<Vec<Option<String>>, ReadError> {
        let items = self.items(page, &Options::of(Mode::Full)).await?;
        let lines = handles.iter().map(|handle| {
            let is_it = |item: &&super::item::Item| {
                item.key == handle.key() && !matches!(item.kind, Kind::Text | Kind::Note)
            };
            let item = items.iter().find(is_it)?;
            Some(named::line(item, self.refs.number(item)))
        });
        Ok(lines.collect())
    }

    /// The same for nodes that an act has found.
    ///
    /// # Errors
    /// [`ReadError`].
    pub async fn lines_of_nodes(
        &mut self,
        page: &Page,
        nodes: &[NodeRef],
    ) -> Result<Vec<Option<String>>, ReadError> {
        let mut handles = Vec::new();
        for node in nodes {
            let world = self.worlds.at(page, &node.frame, &node.session).await?;
            let number = world.number(node.backend_node_id).await?;
            handles.push(Handle::of(world.serial, number));
        }
        self.lines_of(page, &handles).await
    }
}
