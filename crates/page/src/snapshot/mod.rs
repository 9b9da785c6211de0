//! The page as the accessibility tree, with refs.
//!
//! [`View`] is what szk knows about one tab: it reads the tree, gives out refs, resolves them and
//! reports what has changed. Below it, `world` is our script in one frame, `gather` merges frames,
//! `refs` keeps the numbers, `lines` writes the text, `cut` serves it in parts. Text from the page is
//! data: it cannot end a line, close a quote or forge a ref.

mod error;
mod options;
mod refs;
mod view;

mod around;
mod ask;
mod begun;
mod candidates;
mod condition;
mod cut;
mod diff;
mod find;
mod fold;
mod frames;
mod gather;
mod heirs;
mod identify;
mod item;
mod kept;
mod lines;
mod listeners;
mod marks;
mod named;
mod page_state;
mod past;
mod place;
mod resolve;
mod script;
mod since;
mod transform;
mod world;

pub use around::Covers;
pub use begun::Begun;
pub use condition::{Condition, Identified, Watched};
pub use cut::Budget;
pub use diff::Changes;
pub use error::{ReadError, Stale};
pub use find::{Found, Matches, Pattern};
pub use frames::Handle;
pub(crate) use frames::Holds;
pub use identify::{
    Candidates, Designation, Element, ElementSource, Elements, KnownElement, is_control,
};
pub use kept::Kept;
pub use named::{Candidate, Named};
pub use options::{Mode, Options, Scope};
pub use past::GoneOn;
pub use refs::Node;
pub(crate) use script::WATCH;
pub use since::Since;
pub use view::{Snapshot, View};
