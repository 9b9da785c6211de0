//! The shared endpoint: one browser for any number of unmodified DevTools clients.
//!
//! [`Listener`] binds the profile's own loopback port and lets in clients that show the token; `http`
//! answers what Chromium would answer under `/json`; `mux` gives every WebSocket its own browser session
//! on the one pipe. What a client may do to a browser that it shares is one table, in `policy`; what
//! `[policy]` of the configuration lets it do is another, in `actions`, for every method of the protocol;
//! `shield` keeps pages from noticing clients. Nothing here starts a browser or knows a profile's files:
//! the browser comes and goes behind [`SupervisedBrowser`], and [`Gate`] says when its targets may run.

mod gate;
mod listener;
mod port;

mod access;
mod http;
mod json;
mod linger;
mod peer;
mod route;
mod serve;
mod upgrade;
mod windows;

mod actions;
mod clients;
mod create;
mod limits;
mod message;
mod mux;
mod names;
mod policy;
mod rules;
mod scrub;
mod shield;
mod visibility;

#[cfg(test)]
mod tests;

use std::sync::Arc;

use szk_cdp::{Connection, SessionId};

pub use clients::{ClientInfo, Scope};
pub use gate::{Gate, NotReady, Progress};
pub use listener::{Listener, ListenerError, ListenerOptions};
pub use rules::Rules;

/// What the endpoint needs of a supervised browser.
pub trait SupervisedBrowser: Send + Sync + 'static {
    /// The pipe.
    fn connection(&self) -> Connection;
    /// Says when a target may run.
    fn gate(&self) -> Gate;
    /// The supervisor's own session with a page.
    fn page_session(&self, target_id: &str) -> Option<SessionId>;
    /// Targets in the order of tabs, the current one first: of each the page, then Chromium's own tab
    /// around it.
    fn tab_order(&self) -> Vec<String>;
    /// The target id of Chromium's own tab around a page.
    fn tab_target(&self, page: &str) -> Option<String>;
    /// A client sends this emulation itself in a browser context of its own; the profile stops sending it
    /// there.
    fn yield_emulation(&self, context: &str, emulation: &'static str);
    /// The client that made a browser context resumes its popups itself.
    fn yield_popups(&self, context: &str);
    /// A client made a browser context for itself and answers the dialogs there.
    fn context_created(&self, context: &str);
    /// A browser context that a client made was disposed of.
    fn context_disposed(&self, context: &str);
    /// A client clears cookies or storage of the profile.
    fn storage_cleared(&self);
}

/// The browser as it is passed around.
type SharedBrowser = Arc<dyn SupervisedBrowser>;

/// Kinds of target that are Chromium's own: not listed, and not set up by the supervisor, because
/// they run nobody's scripts.
const INTERNAL_KINDS: [&str; 3] = ["browser", "tab", "browser_ui"];
