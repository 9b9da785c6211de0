//! Opens the shared endpoint of a session.

use std::sync::{Arc, PoisonError};

use szk_config::{Bounds, EndpointSettings};
use szk_endpoint::{Listener, ListenerOptions, Rules};
use szk_store::{DownloadFolder, Profile, Token};

use super::{Inner, Running, SessionError};

/// The warning about an unreadable token.
pub(super) const TOKEN_REPLACED: &str = "the endpoint's token was unreadable, so szk made a new one: programs need the new address, see `session_endpoint`";

impl Inner {
    /// Opens the listener on the profile's own port.
    pub(super) async fn open_listener(&self, running: &Running) -> Result<Listener, SessionError> {
        let trouble = |reason: String| SessionError::Endpoint { reason };
        let token = self
            .profile
            .token()
            .map_err(|error| trouble(error.to_string()))?;
        if token.is_replacement() {
            self.warnings
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .push(TOKEN_REPLACED.to_owned());
        }
        let options = options(
            &self.profile,
            &self.downloads,
            &self.resolved.settings.endpoint,
            &self.plan.bounds,
            token,
        );
        let listener = Listener::open(options, Arc::new(running.supervisor.clone()))
            .await
            .map_err(|error| trouble(error.to_string()))?;
        tracing::info!(port = listener.port(), "the endpoint is open");
        Ok(listener)
    }
}

/// The options of the profile's listener.
pub(super) fn options(
    profile: &Profile,
    downloads: &DownloadFolder,
    settings: &EndpointSettings,
    bounds: &Bounds,
    token: Token,
) -> ListenerOptions {
    ListenerOptions {
        name: profile.name().clone(),
        store_path: profile.store().root().to_owned(),
        token,
        auth: settings.auth,
        allowed_origins: settings.allowed_origins.clone(),
        max_clients: settings.max_clients,
        rules: Rules::of(settings, bounds.clone()),
        downloads: downloads.clone(),
    }
}
