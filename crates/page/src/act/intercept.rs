//! What an act takes from the browser for its own time, and gives back.

use serde_json::{Value, json, value::to_raw_value};
use szk_cdp::{Connection, SessionId};

use super::ActError;
use super::actor::Scene;

/// Drags or choosers of a page come to us as long as this lives. A person's own must work again, also
/// when the act failed or was given up in the middle.
pub(super) struct Intercepting {
    connection: Connection,
    session: SessionId,
    method: &'static str,
    on: bool,
}

impl Intercepting {
    pub(super) async fn begin(scene: &Scene<'_>, method: &'static str) -> Result<Self, ActError> {
        let one = Self {
            connection: scene.connection.clone(),
            session: scene.session.clone(),
            method,
            on: true,
        };
        one.set(true).await?;
        Ok(one)
    }

    /// Stops intercepting, and waits until that is in effect.
    pub(super) async fn end(mut self) -> Result<(), ActError> {
        let ended = self.set(false).await;
        self.on = false;
        ended
    }

    async fn set(&self, on: bool) -> Result<(), ActError> {
        let params = json!({"enabled": on});
        self.connection
            .ask::<Value>(Some(&self.session), self.method, &params)
            .await?;
        Ok(())
    }
}

impl Drop for Intercepting {
    fn drop(&mut self) {
        if self.on {
            let params = to_raw_value(&json!({"enabled": false})).ok();
            drop(
                self.connection
                    .post_raw(Some(&self.session), self.method, params),
            );
        }
    }
}
