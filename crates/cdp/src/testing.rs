//! A scripted browser, for tests of this crate and of those that build on it.
//!
//! ```
//! use serde_json::json;
//! use szk_cdp::protocol::browser::GetVersionParams;
//! use szk_cdp::testing::Script;
//!
//! # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
//! let (connection, _events, peer) = Script::new()
//!     .answer("Browser.getVersion", json!({"product": "Chrome/156"}))
//!     .start();
//! #[derive(serde::Deserialize)]
//! struct Version {
//!     product: String,
//! }
//! let version: Version = connection.ask(None, &GetVersionParams {}).await.unwrap();
//! assert_eq!(version.product, "Chrome/156");
//! assert_eq!(peer.calls().len(), 1);
//! # });
//! ```
//!
//! A method without an answer gets `{}`, so a script names only what a test is about.

mod answer;
mod peer;
mod script;

pub use answer::{Answer, Call};
pub use peer::Peer;
pub use script::Script;
