//! Handlers of `workflow_*`: what takes a person several steps, built on the single steps of
//! `browser_*`.
//!
//! [`page`] is the page a workflow works on. It is read anew before each step, because a step may
//! navigate.

mod crawl;
mod form;
mod login;
mod own_tab;
mod page;
mod scrape;
mod secret;

pub(crate) use crawl::crawl;
pub(crate) use form::fill_form;
pub(crate) use login::{Logins, login};
pub(crate) use scrape::scrape;
pub(crate) use secret::{hide_filled, of_name as secret_of_name};
