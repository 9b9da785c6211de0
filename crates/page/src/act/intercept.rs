//! What an act takes from the browser for its own time, and gives back.

use szk_cdp::protocol::input::SetInterceptDragsParams;
use szk_cdp::protocol::page::SetInterceptFileChooserDialogParams;
use szk_cdp::{Connection, Done, Reply, SessionId};

use super::ActError;
use super::actor::Scene;

/// What can be taken.
#[derive(Debug, Clone, Copy)]
pub(super) enum Taken {
    /// Drags that the page has begun.
    Drags,
    /// File choosers that the page opens.
    Choosers,
}

/// Drags or choosers of a page come to us as long as this lives. A person's own must work again, also
/// when the act failed or was given up in the middle.
pub(super) struct Intercepting {
    connection: Connection,
    session: SessionId,
    taken: Taken,
    on: bool,
}

impl Intercepting {
    pub(super) async fn begin(scene: &Scene<'_>, taken: Taken) -> Result<Self, ActError> {
        let one = Self {
            connection: scene.connection.clone(),
            session: scene.session.clone(),
            taken,
            on: true,
        };
        one.set(true).await?;
        Ok(one)
    }

    /// Stops intercepting, and waits until that is in effect.
    pub(super) async fn end(mut self) -> Result<(), ActError> {
        let ended = self.set(false).await;
        self.on = false;
        ended.map(drop)?;
        Ok(())
    }

    /// Leaves it on: whoever goes on ends it.
    pub(super) fn leave_on(mut self) {
        self.on = false;
    }

    fn set(&self, on: bool) -> Reply<Done> {
        let session = Some(&self.session);
        match self.taken {
            Taken::Drags => {
                let params = SetInterceptDragsParams::new(on);
                self.connection.post(session, &params)
            }
            Taken::Choosers => {
                let params = SetInterceptFileChooserDialogParams::new(on);
                self.connection.post(session, &params)
            }
        }
    }
}

impl Drop for Intercepting {
    fn drop(&mut self) {
        if self.on {
            drop(self.set(false));
        }
    }
}
