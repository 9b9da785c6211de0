//! Whether the front end of a call can ask a person, and what the person has approved.

use std::future::Future;

use szk_wire::CAN_ASK;

tokio::task_local! {
    /// The approval header of the current task's calls.
    static HEADER: String;
}

/// Who can approve a call.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Approver<'a> {
    /// Nobody: a call that needs an approval fails.
    #[default]
    Nobody,
    /// A person whom the front end asks.
    Person,
    /// A person who has agreed; with the token of the failure that they were asked about.
    Agreed(&'a str),
}

impl Approver<'_> {
    /// Makes the calls of a future so.
    pub(crate) async fn hold<T>(self, work: impl Future<Output = T>) -> T {
        match self {
            Self::Nobody => work.await,
            Self::Person => HEADER.scope(CAN_ASK.to_owned(), work).await,
            Self::Agreed(token) => HEADER.scope(token.to_owned(), work).await,
        }
    }
}

/// The approval header of the current task's calls, if they have one.
pub(crate) fn header() -> Option<String> {
    HEADER.try_with(Clone::clone).ok()
}
