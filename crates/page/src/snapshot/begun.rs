//! Starts the script in a document before anybody reads it. Its round trips cost no time while
//! the page is still loading.

use super::error::ReadError;
use super::view::View;
use super::world::World;
use crate::page::Page;

/// The script, started in the document that a page has now.
pub struct Begun {
    frame: String,
    world: World,
}

impl Begun {
    /// Starts it.
    ///
    /// # Errors
    /// [`ReadError`], if the document is gone.
    pub async fn start(page: &Page) -> Result<Self, ReadError> {
        let world = World::start(&page.connection, &page.session, &page.frame).await?;
        let frame = page.frame.clone();
        Ok(Self { frame, world })
    }
}

impl View {
    /// Whether anything was asked of this page's documents so far.
    #[must_use]
    pub fn has_read(&self, page: &Page) -> bool {
        self.worlds.in_frame(&page.frame).is_some()
    }

    /// Later readings of the page use it.
    pub fn go_on_in(&mut self, begun: Begun) {
        self.worlds.begin(begun.frame, begun.world);
    }
}
