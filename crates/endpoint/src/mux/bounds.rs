//! The limits of `[policy]`, for one client.

use serde_json::json;
use serde_json::value::RawValue;
use szk_cdp::{Event, RemoteError, raw};
use szk_config::{Deed, EndpointIdentity};

use super::client::Client;
use super::commands::Addressed;
use crate::{actions, message, scrub};

impl Client {
    /// Whether the configuration lets the client do this.
    pub(super) fn within_bounds(&self, command: &Addressed) -> Result<(), RemoteError> {
        // The profile's own folder holds them, whatever a client asks for.
        let kept = self.rules.identity == EndpointIdentity::Profile
            && command.method == "Browser.setDownloadBehavior";
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

    /// What the client hears of an event, where that is not all of it.
    pub(super) fn scrubbed(&self, event: &Event) -> Option<Box<RawValue>> {
        match self.rules.bounds.check(Deed::Export) {
            Ok(()) => None,
            Err(_) => scrub::scrubbed(event),
        }
    }

    /// In a browser context that a client made, Chromium would download to wherever it likes.
    pub(super) fn bound_downloads(&self, context: &str) {
        let bounds = &self.rules.bounds;
        if bounds.check(Deed::Download).is_ok() && bounds.policy().write.is_none() {
            return;
        }
        let params = json!({
            "behavior": self.downloads.behavior(),
            "downloadPath": self.downloads.own(),
            "browserContextId": context,
        });
        let connection = self.browser.connection();
        // Before the client hears of the context.
        drop(connection.post_raw(None, "Browser.setDownloadBehavior", Some(raw(&params))));
    }
}
