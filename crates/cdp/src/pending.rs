//! Calls on the wire that are not answered yet.

use std::collections::HashMap;

use serde_json::value::RawValue;
use tokio::sync::oneshot;

use crate::member::MemberId;
use crate::{CallError, SessionId};

/// Ids stay below this: some protocol code reads them as signed 32-bit integers.
const ID_END: u32 = 1 << 31;

/// One unanswered call.
pub(crate) struct Call {
    /// The session it was sent on; the call ends with it.
    pub(crate) session: Option<SessionId>,
    /// Whether the answer contains the id of a new session.
    pub(crate) attaches: bool,
    /// Whether it ends when the renderer of its page dies, after which it would only be answered at the
    /// next navigation.
    pub(crate) ends_with_renderer: bool,
    pub(crate) caller: Caller,
}

/// Who gets the answer.
pub(crate) enum Caller {
    Default(oneshot::Sender<Result<Box<RawValue>, CallError>>),
    Member { member: MemberId, id: u64 },
}

/// The unanswered calls of all owners, under one counter.
#[derive(Default)]
pub(crate) struct Pending {
    calls: HashMap<u32, Call>,
    last: u32,
}

impl Pending {
    /// Adds a call and returns its id on the wire.
    pub(crate) fn insert(&mut self, call: Call) -> u32 {
        loop {
            self.last = if self.last + 1 == ID_END {
                1
            } else {
                self.last + 1
            };
            // After the ids wrap around, an old call may still hold this one.
            if !self.calls.contains_key(&self.last) {
                self.calls.insert(self.last, call);
                return self.last;
            }
        }
    }

    pub(crate) fn remove(&mut self, id: u64) -> Option<Call> {
        self.calls.remove(&u32::try_from(id).ok()?)
    }

    /// Removes and returns all calls on any of `sessions`, oldest first.
    pub(crate) fn take_on(&mut self, sessions: &[SessionId]) -> Vec<Call> {
        self.take(|call| call.session.as_ref().is_some_and(|s| sessions.contains(s)))
    }

    /// Removes and returns the default owner's calls on any of `sessions`, oldest first.
    pub(crate) fn take_defaults_on(&mut self, sessions: &[SessionId]) -> Vec<Call> {
        self.take(|call| {
            matches!(call.caller, Caller::Default(_))
                && call.session.as_ref().is_some_and(|s| sessions.contains(s))
        })
    }

    /// Removes and returns the calls on any of `sessions` that end with the renderer, oldest first.
    pub(crate) fn take_crashed(&mut self, sessions: &[SessionId]) -> Vec<Call> {
        self.take(|call| {
            call.ends_with_renderer && call.session.as_ref().is_some_and(|s| sessions.contains(s))
        })
    }

    /// Forgets the calls of a member.
    pub(crate) fn forget(&mut self, gone: MemberId) {
        self.take(|call| matches!(call.caller, Caller::Member { member, .. } if member == gone));
    }

    pub(crate) fn take_all(&mut self) -> Vec<Call> {
        self.take(|_| true)
    }

    pub(crate) fn len(&self) -> usize {
        self.calls.len()
    }

    fn take(&mut self, wanted: impl Fn(&Call) -> bool) -> Vec<Call> {
        let mut taken: Vec<_> = self.calls.extract_if(|_, call| wanted(call)).collect();
        taken.sort_unstable_by_key(|(id, _)| *id);
        taken.into_iter().map(|(_, call)| call).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call() -> Call {
        Call {
            session: None,
            attaches: false,
            ends_with_renderer: false,
            caller: Caller::Default(oneshot::channel().0),
        }
    }

    #[test]
    fn ids_wrap_below_two_to_the_31_and_skip_those_in_use() {
        let mut pending = Pending::default();
        assert_eq!(pending.insert(call()), 1);
        pending.last = ID_END - 2;
        assert_eq!(pending.insert(call()), ID_END - 1);
        assert_eq!(pending.insert(call()), 2);
    }

    #[test]
    fn an_unknown_id_has_no_caller() {
        let mut pending = Pending::default();
        pending.insert(call());
        assert!(pending.remove(u64::from(u32::MAX) + 2).is_none());
        assert!(pending.remove(1).is_some());
        assert!(pending.remove(1).is_none());
    }
}
