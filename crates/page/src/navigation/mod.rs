//! Navigations: their start, moves in the history, and the wait for the document.
//!
//! [`start`] sends a page to an address, [`history`] through its history, and [`Arrival`] watches what
//! becomes of it. [`between`] tells a page that is stuck between two documents from one that loads.

mod arrival;
mod between;
mod history;
mod start;

pub use arrival::{Ahead, Arrival, Arrived, Awaited, End, Milestone, Next, WatchError};
pub use between::{is_between_documents, stays_between};
pub use history::{Move, MoveError, history};
pub use szk_cdp::net_error::NO_CONTENT;

pub use start::{PendingStart, Started, leave_for_blank, start};
