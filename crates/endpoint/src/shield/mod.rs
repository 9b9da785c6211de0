//! The shield: clients believe that `Runtime` is enabled, and pages cannot tell, because it is not.
//!
//! A page can detect an enabled `Runtime` domain, because Chromium then inspects what the page logs. It
//! cannot detect any other domain. So `Runtime.enable` of a shielded client never reaches a page, frame
//! or worker, and the shield generates the events that it would bring. `contexts` announces the realms
//! in which scripts run, `console` turns messages of the harmless `Console` domain into those of
//! `Runtime`, `errors` receives uncaught errors, `bindings` keeps the functions that a client gives to
//! pages, and `sources` removes the names of drivers from the scripts they send.
//!
//! Nothing here sends or awaits. Each function returns what to do, in order, as [`Act`]s; the client's
//! task does it on the client's own sessions, so that answers come between the client's own messages, in
//! wire order.

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
    /// Numbers announcements and questions; never reused.
    last: u64,
    /// Names of what the shield itself adds to pages, out of their sight.
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

    /// Forgets sessions that ended, and everyone who waits for one of them.
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
