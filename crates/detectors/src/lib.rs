//! What a page can find out about the browser it is in, compared with an ordinary one.
//!
//! A [`Server`] serves pages that open every kind of realm (frames, popups, workers, worklets); each
//! realm runs the probes of `pages/probes` and sends back what it saw. The result is a [`Report`] per
//! mode. [`compare`] holds it against the *gold* report, which the same browser made when it was started
//! by hand, [`Allowed`] knows the differences that have a reason, and [`Table`] shows all of it.
//!
//! Nothing here starts a browser: whoever has one opens [`Run::url`] in it. Without gold, as in the
//! product, verdicts remain:
//!
//! ```no_run
//! use szk_detectors::{Server, Suite, explain};
//!
//! let server = Server::start()?;
//! let run = server.expect("szk", Suite::Short);
//! // … a browser opens `run.url()` …
//! let report = run.report(std::time::Duration::from_secs(60))?;
//! for (realm, check, seen) in report.failed() {
//!     eprintln!("{check} in {realm}: {seen}: {}", explain(check));
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod allowed;
mod compare;
mod explain;
mod pages;
mod report;
mod server;
mod table;

pub use allowed::{Allowed, AllowedError, Entry, Judgement};
pub use compare::{Change, Difference, compare};
pub use explain::explain;
pub use pages::Suite;
pub use report::{Checks, Outcome, Report};
pub use server::{Run, Server, ServerError, Unfinished};
pub use table::Table;
