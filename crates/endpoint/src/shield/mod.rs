//! The shield: clients believe that `Runtime` is enabled, and pages do not.
//!
//! A page can notice an enabled `Runtime` domain: what it logs is looked at. No other domain shows. So
//! `Runtime.enable` of a shielded client never reaches a page, frame or worker, and the events that it
//! would bring are made here. `contexts` announces the realms in which scripts run, `console` turns
//! the messages of the harmless `Console` domain into those of `Runtime`, `errors` hears of uncaught
//! errors, `bindings` keeps the functions that a client gives to pages, `sources` takes the names of
//! drivers out of the scripts they send.
//!
//! Nothing here sends or awaits. Each function says what is to be done, in order, as [`Act`]s; the
//! client's task does it on the client's own sessions, so that answers come between the client's own
//! messages, in the order of the wire.

mod act;
mod bindings;
mod commands;
mod console;
mod contexts;
mod errors;
mod events;
mod frames;
mod realm;
mod replies;
mod sources;

use std::collections::HashMap;

pub(super) use act::{Act, Ask, Caller};
pub(super) use commands::Domain;
pub(super) use realm::Kind;

use realm::Realm;
use szk_cdp::SessionId;
use szk_cdp::uncaught::Names;

/// The shield of one client.
pub(super) struct Shield {
    realms: HashMap<SessionId, Realm>,
    /// Numbers what is announced and asked; never used twice.
    last: u64,
    /// Of what the shield itself puts into pages, where they cannot see it.
    names: Names,
}

impl Shield {
    pub(super) fn new() -> Self {
        Self {
            realms: HashMap::new(),
            last: 0,
            names: Names::random(),
        }
    }

    /// Forgets sessions that ended; who waited for one of them waits no more.
    pub(super) fn ended(&mut self, lives: impl Fn(&SessionId) -> bool) -> Vec<Act> {
        let gone = self.realms.extract_if(|session, _| !lives(session));
        gone.filter_map(|(_, realm)| realm.starting)
            .map(|(caller, _)| Act::Answer(caller))
            .collect()
    }

    fn next(&mut self) -> u64 {
        self.last += 1;
        self.last
    }
}
