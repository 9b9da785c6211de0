//! The limits of `[policy]` for one client.

use serde_json::value::RawValue;
use szk_cdp::protocol::browser::SetDownloadBehaviorParams;
use szk_cdp::{Event, RemoteError};
use szk_config::{Action, EndpointIdentity};

use super::client::Client;
use super::commands::Addressed;
use crate::{actions, message, scrub};

impl Client {
    /// Checks that the configuration allows what the client does.
    pub(super) fn within_bounds(&self, command: &Addressed) -> Result<(), RemoteError> {
        // Downloads go to the profile's own folder, whatever a client asks for.
        let kept = self.rules.identity == EndpointIdentity::Profile
            && command.method == SetDownloadBehaviorParams::IDENTIFIER;
        if kept {
            return Ok(());
        }
        let shield = self.shield.as_ref();
        let isolated = |named: &actions::Named| {
            shield.is_some_and(|shield| shield.is_isolated(&command.session, named))
        };
        actions::check(
            &self.rules.bounds,
            &command.method,
            command.params.as_deref(),
            isolated,
        )
        .map_err(|denied| {
            tracing::debug!(method = command.method, "refused by the policy");
            message::refused(format!("`{}` is refused: {denied}", command.method))
        })
    }

    /// The reduced form of an event, if the client may not see all of it.
    pub(super) fn scrubbed(&self, event: &Event) -> Option<Box<RawValue>> {
        match self.rules.bounds.check(Action::Export) {
            Ok(()) => None,
            Err(_) => scrub::scrubbed(event),
        }
    }

    /// In a browser context that a client created, Chromium would download to any folder.
    pub(super) fn bound_downloads(&self, context: &str) {
        let bounds = &self.rules.bounds;
        if bounds.check(Action::Download).is_ok() && bounds.policy().write.is_none() {
            return;
        }
        // The profile hears of them, and puts what is complete in its place.
        let command = self.downloads.kept(Some(context.to_owned()), true);
        // Before the client learns about the context.
        self.browser.connection().tell(None, &command);
    }
}
