//! Who owns which session.
//!
//! Sessions form a tree: one is attached *on* another, or on the root. A new one belongs to the owner of
//! the one it was attached on. When a session ends, all below it end too, because Chromium reports their
//! end only on the session above, which no longer exists.
//!
//! Events for sessions without an owner are not kept. All owners share one pipe, and Chromium announces
//! a session before anything happens on it, so an unknown session is one that went away or whose member
//! left; its events are discarded.

use std::collections::{HashMap, HashSet, VecDeque};

use crate::SessionId;
use crate::member::MemberId;

/// Number of detached sessions to remember, to fail late calls without a round trip.
const GONE: usize = 4096;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Owner {
    /// The supervisor.
    Default,
    Member(MemberId),
    /// None, because the member left; the session ends when Chromium says so.
    Nobody,
}

struct Known {
    owner: Owner,
    parent: Option<SessionId>,
    /// Known from the event; unknown while only the reply has been seen.
    target: Option<String>,
    /// Whether its renderer has died, without a navigation since.
    crashed: bool,
}

/// The live sessions and their owners, and the ones that ended recently.
#[derive(Default)]
pub(crate) struct Sessions {
    known: HashMap<SessionId, Known>,
    gone: HashSet<SessionId>,
    gone_order: VecDeque<SessionId>,
}

impl Sessions {
    /// The owner of a session; `None` for an unknown one.
    pub(crate) fn owner(&self, session: Option<&str>) -> Option<Owner> {
        match session {
            None => Some(Owner::Default),
            Some(id) => self.known.get(id).map(|known| known.owner),
        }
    }

    /// The shared id, if the session is known; saves an allocation per event.
    pub(crate) fn id(&self, session: &str) -> SessionId {
        match self.known.get_key_value(session) {
            Some((id, _)) => id.clone(),
            None => SessionId::from(session),
        }
    }

    pub(crate) fn is_gone(&self, session: &SessionId) -> bool {
        self.gone.contains(session)
    }

    /// Records that a session was attached on `parent`. Chromium says so twice, in an event and in a
    /// reply, in either order; the first one decides the owner.
    pub(crate) fn attached(&mut self, session: &str, parent: Option<&str>, target: Option<&str>) {
        if let Some(known) = self.known.get_mut(session) {
            known.target = known.target.take().or(target.map(str::to_owned));
            return;
        }
        if self.gone.contains(session) {
            return; // The reply to an attach call, overtaken by the end of what it attached.
        }
        let known = Known {
            owner: self.owner(parent).unwrap_or(Owner::Nobody),
            parent: parent.map(|id| self.id(id)),
            target: target.map(str::to_owned),
            crashed: false,
        };
        self.known.insert(SessionId::from(session), known);
    }

    /// A member claims a session with all below it, unless another member owns it.
    pub(crate) fn claim(&mut self, session: &SessionId, member: MemberId) -> bool {
        let owner = self.owner(Some(session.as_str()));
        if matches!(owner, Some(Owner::Member(other)) if other != member) || self.is_gone(session) {
            return false;
        }
        self.attached(session.as_str(), None, None);
        for id in self.tree(session.as_str()) {
            if let Some(known) = self.known.get_mut(&id) {
                known.owner = Owner::Member(member);
            }
        }
        true
    }

    /// Records that a session was detached; returns it and all below it.
    pub(crate) fn detached(&mut self, session: &str) -> Vec<SessionId> {
        let tree = self.tree(session);
        for id in &tree {
            self.known.remove(id);
            if self.gone.insert(id.clone()) {
                self.gone_order.push_back(id.clone());
            }
        }
        while self.gone_order.len() > GONE {
            if let Some(old) = self.gone_order.pop_front() {
                self.gone.remove(&old);
            }
        }
        tree
    }

    /// The sessions with one target.
    pub(crate) fn on_target(&self, target: &str) -> Vec<SessionId> {
        self.known
            .iter()
            .filter(|(_, known)| known.target.as_deref() == Some(target))
            .map(|(id, _)| id.clone())
            .collect()
    }

    /// Whether the renderer of a session has died.
    pub(crate) fn has_crashed(&self, session: &SessionId) -> bool {
        self.known.get(session).is_some_and(|known| known.crashed)
    }

    /// Records that the renderer of these sessions died, or that they have a new one.
    pub(crate) fn set_crashed(&mut self, sessions: &[SessionId], crashed: bool) {
        for session in sessions {
            if let Some(known) = self.known.get_mut(session) {
                known.crashed = crashed;
            }
        }
    }

    /// Records that a member left: its sessions have no owner any more.
    pub(crate) fn abandon(&mut self, member: MemberId) {
        for known in self.known.values_mut() {
            if known.owner == Owner::Member(member) {
                known.owner = Owner::Nobody;
            }
        }
    }

    /// A session and all below it, even if the session itself is unknown.
    fn tree(&self, session: &str) -> Vec<SessionId> {
        let mut tree = vec![self.id(session)];
        let mut next = 0;
        while let Some(above) = tree.get(next).cloned() {
            let below = self.known.iter();
            let below: Vec<_> = below
                .filter(|(_, known)| known.parent.as_ref() == Some(&above))
                // Nothing keeps a confused browser from announcing a cycle.
                .filter(|(id, _)| !tree.contains(id))
                .map(|(id, _)| id.clone())
                .collect();
            tree.extend(below);
            next += 1;
        }
        tree
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn member(n: u64) -> MemberId {
        MemberId(n)
    }

    fn owned(sessions: &Sessions, id: &str) -> Option<Owner> {
        sessions.owner(Some(id))
    }

    #[test]
    fn ownership_is_inherited_from_the_session_above() {
        let mut sessions = Sessions::default();
        sessions.attached("page", None, Some("T"));
        sessions.attached("frame", Some("page"), None);
        sessions.attached("stray", Some("unheard"), None);
        assert_eq!(owned(&sessions, "frame"), Some(Owner::Default));
        assert_eq!(owned(&sessions, "stray"), Some(Owner::Nobody));
        assert_eq!(owned(&sessions, "unheard"), None);
    }

    #[test]
    fn a_claim_moves_the_tree_but_never_from_another_member() {
        let mut sessions = Sessions::default();
        sessions.attached("own", None, None);
        sessions.attached("page", Some("own"), None);
        assert!(sessions.claim(&"own".into(), member(1)));
        assert!(sessions.claim(&"own".into(), member(1)));
        assert!(!sessions.claim(&"page".into(), member(2)));
        assert_eq!(owned(&sessions, "page"), Some(Owner::Member(member(1))));
        sessions.abandon(member(1));
        assert_eq!(owned(&sessions, "page"), Some(Owner::Nobody));
    }

    #[test]
    fn a_cycle_of_sessions_ends() {
        let mut sessions = Sessions::default();
        sessions.attached("a", Some("b"), None);
        sessions.attached("b", Some("a"), None);
        assert_eq!(sessions.detached("a").len(), 2);
    }

    #[test]
    fn a_reply_after_the_end_does_not_revive_the_session() {
        let mut sessions = Sessions::default();
        sessions.attached("page", None, None);
        sessions.detached("page");
        sessions.attached("page", None, None);
        assert_eq!(owned(&sessions, "page"), None);
    }

    #[test]
    fn detaching_takes_all_below_and_is_remembered_for_a_while() {
        let mut sessions = Sessions::default();
        sessions.attached("page", None, None);
        sessions.attached("frame", Some("page"), None);
        sessions.attached("worker", Some("frame"), None);
        assert_eq!(sessions.detached("page").len(), 3);
        assert!(sessions.is_gone(&"worker".into()));
        assert!(!sessions.claim(&"worker".into(), member(1)));
        for n in 0..GONE {
            sessions.detached(&n.to_string());
        }
        assert!(!sessions.is_gone(&"worker".into()));
        assert_eq!(sessions.gone.len(), GONE);
    }
}
