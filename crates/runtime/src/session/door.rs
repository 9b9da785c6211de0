//! The door of a session's endpoint.

use std::sync::Arc;

use super::{Inner, Running, SessionError};
use crate::endpoint::{Door, DoorOptions};

impl Inner {
    /// Opens the door on the profile's own port.
    pub(super) async fn make_door(&self, running: &Running) -> Result<Door, SessionError> {
        let trouble = |reason: String| SessionError::Door { reason };
        let token = self.profile.token().map_err(|error| trouble(error.to_string()))?;
        let settings = &self.resolved.settings.endpoint;
        let options = DoorOptions {
            name: self.profile.name().clone(),
            store_path: self.profile.store().root().to_owned(),
            token,
            auth: settings.auth,
            allowed_origins: settings.allowed_origins.clone(),
        };
        let door = Door::open(options, Arc::new(running.supervisor.clone()))
            .await
            .map_err(|error| trouble(error.to_string()))?;
        tracing::info!(port = door.port(), "the endpoint is open");
        Ok(door)
    }
}
