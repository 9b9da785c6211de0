//! Handlers of `workflow_*`: what takes a person several steps, on top of what `browser_*` does in one.
//!
//! [`bench`] is the page that is worked at: read anew before each step, because a step may lead
//! elsewhere.

mod form;
mod login;
mod page;
mod scrape;
mod secret;

pub(crate) use form::fill_form;
pub(crate) use login::{Logins, login};
pub(crate) use scrape::scrape;
