//! Emulation that the profile leaves to a client, in a browser context of the client's own.
//!
//! Chromium keeps what each session emulates apart, and which session wins depends on who attached
//! last and on the process that looks. So the supervisor takes back what the client is about to set,
//! in everything of that context, and does not order it for what comes there later.

use std::collections::{HashMap, HashSet};

use szk_cdp::SessionId;

use super::Supervisor;
use crate::stealth::Kind;

/// What is left to clients, by browser context.
#[derive(Debug, Default)]
pub(super) struct Yielded {
    orders: HashMap<String, HashSet<&'static str>>,
    /// Where the client holds what opens until it has set it up.
    holding: HashSet<String>,
    /// What clients have made and answer for.
    made: HashSet<String>,
}

impl Yielded {
    /// Leaves an order to the client; false if it was left already.
    fn add(&mut self, context: &str, method: &'static str) -> bool {
        let methods = self.orders.entry(context.to_owned()).or_default();
        methods.insert(method)
    }

    /// Whether the supervisor orders this in a browser context.
    pub(super) fn holds(&self, context: Option<&str>, method: &str) -> bool {
        let yielded = context.and_then(|context| self.orders.get(context));
        !yielded.is_some_and(|methods| methods.contains(method))
    }

    /// Whether a popup in a browser context is the client's to let go.
    pub(super) fn holds_popups(&self, context: Option<&str>) -> bool {
        context.is_some_and(|context| self.holding.contains(context))
    }

    fn remove(&mut self, context: &str) {
        self.orders.remove(context);
        self.holding.remove(context);
        self.made.remove(context);
    }
}

impl Supervisor {
    /// Leaves to a client what this method emulates in a browser context. What takes it back is on the
    /// pipe when this returns.
    pub(crate) fn yields(&self, context: &str, method: &'static str) {
        let Some(undo) = self.stealth.undo(method) else {
            return;
        };
        if !self.targets.yielded(|yielded| yielded.add(context, method)) {
            return;
        }
        let within = |of: &super::TargetInfo| of.browser_context.as_deref() == Some(context);
        let targets = self.targets.all().into_iter().filter(within);
        let sessions: Vec<SessionId> = targets
            .filter(|of| Kind::of(&of.kind).is_some_and(|kind| self.stealth.has(kind, method)))
            .map(|of| of.session)
            .collect();
        for session in sessions {
            // It may be gone, or have a process whose locale another session has set.
            self.connection.tell(Some(&session), &undo.command);
        }
    }

    /// Leaves it to a client to let popups in its browser context go. Chromium lets one go when the first
    /// session says so, and the supervisor would be faster than the client, whose emulation would miss
    /// the popup's first request.
    pub(crate) fn leaves_popups(&self, context: &str) {
        self.targets
            .yielded(|yielded| yielded.holding.insert(context.to_owned()));
    }

    /// A client made this browser context: whatever its pages ask is the client's to answer.
    pub(crate) fn made_context(&self, context: &str) {
        self.targets
            .yielded(|yielded| yielded.made.insert(context.to_owned()));
    }

    /// Whether a target is in a browser context that a client made for itself.
    #[must_use]
    pub fn is_clients(&self, target_id: &str) -> bool {
        let targets = self.targets.all().into_iter();
        let context = targets
            .filter(|target| target.target_id == target_id)
            .find_map(|target| target.browser_context);
        context.is_some_and(|context| self.targets.yielded(|it| it.made.contains(&context)))
    }

    /// A client's browser context is gone.
    pub(crate) fn disposed(&self, context: &str) {
        self.targets.yielded(|yielded| yielded.remove(context));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_order_is_left_to_the_client_in_its_context_alone() {
        let mut yielded = Yielded::default();
        assert!(yielded.add("C", "Emulation.setUserAgentOverride"));
        assert!(!yielded.add("C", "Emulation.setUserAgentOverride"));
        let check = |context, method, expected| {
            assert_eq!(
                yielded.holds(context, method),
                expected,
                "{context:?} {method}"
            );
        };
        check(Some("C"), "Emulation.setUserAgentOverride", false);
        check(Some("C"), "Emulation.setLocaleOverride", true);
        check(Some("D"), "Emulation.setUserAgentOverride", true);
        check(None, "Emulation.setUserAgentOverride", true);
        yielded.remove("C");
        assert!(yielded.holds(Some("C"), "Emulation.setUserAgentOverride"));
    }
}
