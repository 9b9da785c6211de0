//! Browser contexts that clients made for themselves, and what the supervisor leaves to them there.
//!
//! Chromium keeps the emulation of each session apart. Which session wins depends on who attached last
//! and on the process that asks. So the supervisor withdraws its own emulation from every target of the
//! context when the client is about to set one, and does not send it to targets that open there later.

use std::collections::{HashMap, HashSet};

use szk_cdp::SessionId;

use super::Supervisor;
use crate::stealth::Kind;

/// What is left to clients, by browser context.
#[derive(Debug, Default)]
pub(super) struct ClientContexts {
    /// The emulation commands that the client sends itself.
    emulation: HashMap<String, HashSet<&'static str>>,
    /// Contexts whose popups the client resumes once it has set them up.
    popups: HashSet<String>,
    /// Contexts that clients made. They answer the dialogs there.
    made: HashSet<String>,
}

impl ClientContexts {
    /// Leaves an emulation to the client. False if it was the client's already.
    fn add(&mut self, context: &str, method: &'static str) -> bool {
        let methods = self.emulation.entry(context.to_owned()).or_default();
        methods.insert(method)
    }

    /// Whether the supervisor sends this emulation in a browser context.
    pub(super) fn emulates(&self, context: Option<&str>, method: &str) -> bool {
        let left = context.and_then(|context| self.emulation.get(context));
        !left.is_some_and(|methods| methods.contains(method))
    }

    /// Whether the client resumes the popups of a browser context.
    pub(super) fn leaves_popups(&self, context: Option<&str>) -> bool {
        context.is_some_and(|context| self.popups.contains(context))
    }

    fn remove(&mut self, context: &str) {
        self.emulation.remove(context);
        self.popups.remove(context);
        self.made.remove(context);
    }
}

impl Supervisor {
    /// Leaves what this method emulates in a browser context to a client. The commands that withdraw the
    /// profile's own are on the pipe when this returns.
    pub(crate) fn yield_emulation(&self, context: &str, method: &'static str) {
        let Some(undo) = self.stealth.undo(method) else {
            return;
        };
        if !self
            .targets
            .client_contexts(|contexts| contexts.add(context, method))
        {
            return;
        }
        let within = |of: &super::TargetInfo| of.browser_context.as_deref() == Some(context);
        let targets = self.targets.all().into_iter().filter(within);
        let sessions: Vec<SessionId> = targets
            .filter(|of| Kind::of(&of.kind).is_some_and(|kind| self.stealth.has(kind, method)))
            .map(|of| of.session)
            .collect();
        for session in sessions {
            // The target may be gone, or another session may have set the locale of its process.
            self.connection.tell(Some(&session), &undo.command);
        }
    }

    /// Leaves it to a client to resume the popups in its browser context. Chromium resumes a popup as soon
    /// as one session asks. The supervisor would ask before the client has sent its emulation, which would
    /// then miss the popup's first request.
    pub(crate) fn yield_popups(&self, context: &str) {
        self.targets
            .client_contexts(|contexts| contexts.popups.insert(context.to_owned()));
    }

    /// Records that a client made this browser context, so that the client answers its dialogs.
    pub(crate) fn context_created(&self, context: &str) {
        self.targets
            .client_contexts(|contexts| contexts.made.insert(context.to_owned()));
    }

    /// Whether a target is in a browser context that a client made for itself.
    #[must_use]
    pub fn is_clients(&self, target_id: &str) -> bool {
        let targets = self.targets.all().into_iter();
        let context = targets
            .filter(|target| target.target_id == target_id)
            .find_map(|target| target.browser_context);
        context.is_some_and(|context| {
            self.targets
                .client_contexts(|contexts| contexts.made.contains(&context))
        })
    }

    /// Forgets a client's browser context that is gone.
    pub(crate) fn context_disposed(&self, context: &str) {
        self.targets
            .client_contexts(|contexts| contexts.remove(context));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_emulation_is_left_to_the_client_in_its_context_alone() {
        let mut contexts = ClientContexts::default();
        assert!(contexts.add("C", "Emulation.setUserAgentOverride"));
        assert!(!contexts.add("C", "Emulation.setUserAgentOverride"));
        let check = |context, method, expected| {
            assert_eq!(
                contexts.emulates(context, method),
                expected,
                "{context:?} {method}"
            );
        };
        check(Some("C"), "Emulation.setUserAgentOverride", false);
        check(Some("C"), "Emulation.setLocaleOverride", true);
        check(Some("D"), "Emulation.setUserAgentOverride", true);
        check(None, "Emulation.setUserAgentOverride", true);
        contexts.remove("C");
        assert!(contexts.emulates(Some("C"), "Emulation.setUserAgentOverride"));
    }
}
