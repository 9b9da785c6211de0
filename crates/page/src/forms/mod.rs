//! What a page asks for: its fields and buttons in all its documents, its messages, and what that
//! means for someone who wants to sign in.
//!
//! [`survey`] reads; [`find`] finds a field by the name people use for it; [`stage`] says which step
//! of a login a page is at, and [`words`] what its messages mean. Nothing here acts.

mod find;
mod stage;
mod submit;
mod survey;
mod words;

pub use find::{Fits, find};
pub use stage::{Stage, stage};
pub use submit::submit_button;
pub use survey::{Button, Choice, Document, Field, Marks, Message, Survey, Wanted, survey};
pub use words::{Verdict, verdict, verdict_of_text};
