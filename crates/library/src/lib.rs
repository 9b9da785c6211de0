//! szk for Rust programs: opens profiles in this process, without a keeper, and works in their pages.
//!
//! [`Szk`] opens and closes profiles, and a [`Page`] is one tab: [`Page::navigate`], [`Page::snapshot`],
//! [`Page::act`] and the ways to extract what it says. Nothing of it can be seen by the page. A program that
//! wants to share a session with other clients of szk goes through a keeper instead, with `szk-client`.
//!
//! ```no_run
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! use szk_library::{LaunchOptions, Mode, Page, Szk};
//!
//! let szk = Szk::from_process()?;
//! let session = szk.launch("work", LaunchOptions::default()).await?;
//! let mut page = Page::current(&session)?;
//! page.navigate("https://example.com").await?;
//! println!("{}", page.snapshot(Mode::Full).await?);
//! page.click("a").await?;
//! szk.close_session("work").await;
//! # Ok(())
//! # }
//! ```
//!
//! Deliberately absent: answers to dialogs, which the keeper gives. A page that shows one holds up what is
//! done in it until the time is over.

mod error;
mod page;

pub use error::PageError;
pub use page::{Loaded, Page};
pub use szk_config::Origin;
pub use szk_page::act::{Act, Clicking, Did, DropAt, Scroll, State, Wait};
pub use szk_page::extract::Listed;
pub use szk_page::snapshot::Mode;
pub use szk_runtime::library::{LaunchOptions, LibraryError, Listed as ListedSession, Szk};
pub use szk_runtime::session::Session;
