//! Whether the front end of a call can ask a person, and what the person has approved. Deleting has no
//! keeper that asks, so the client itself asks about it.

use std::future::Future;
use std::time::Duration;

use sha2::{Digest, Sha256};
use szk_config::{CallOptions, NeedsApproval};
use szk_tools::Failure;
use szk_tools::failure::Approval;
use szk_wire::approvals::{Agreed, Approver as Given};
use szk_wire::{CAN_ASK, failure};

use crate::Client;

tokio::task_local! {
    /// The approval header of the current task's calls.
    static HEADER: Option<String>;
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
            Self::Person => HEADER.scope(Some(CAN_ASK.to_owned()), work).await,
            Self::Agreed(token) => HEADER.scope(Some(token.to_owned()), work).await,
        }
    }
}

/// The approval header of the current task's calls, if they have one.
pub(crate) fn header() -> Option<String> {
    HEADER.try_with(Clone::clone).ok().flatten()
}

/// Makes the calls of a future so that nobody is asked, whoever could be asked around it.
pub(crate) async fn unasked<T>(work: impl Future<Output = T>) -> T {
    HEADER.scope(None, work).await
}

impl Client {
    /// Checks that deleting these profiles needs no approval (`[policy] approve` with `close`), or has it.
    pub(crate) fn may_delete(&self, names: &[String]) -> Result<(), Failure> {
        let resolved = self
            .config()
            .resolve(None, None, &CallOptions::default())
            .map_err(|errors| failure::config(&errors))?;
        let policy = resolved.settings.policy;
        if !policy.approve.contains(&NeedsApproval::Close) {
            return Ok(());
        }
        let what = format!("delete {}", names.join(", "));
        let digest = Sha256::digest(&what).to_vec();
        let kinds = vec![NeedsApproval::Close.word().to_owned()];
        let refused = Failure::needs_approval(kinds, &what);
        let time = Duration::from_secs(policy.approve_seconds);
        match Given::read(header().as_deref()) {
            Given::Agreed(token) => match self.approvals.take(&token, &digest) {
                Some(_) => Ok(()),
                None => Err(refused.hint("the approval came too late, or other profiles match now; repeat the call to ask again")),
            },
            Given::Person => {
                let approval = self.approvals.offer(digest, vec![Agreed { what, to: None }], time)
                .map(|token| Box::new(Approval {
                    token,
                    seconds: time.as_secs(),
                }));
                Err(Failure { approval, ..refused }.hint("ask the person"))
            }
            Given::Nobody => Err(refused.hint("nobody can be asked from here: have a person run `szk delete` in a terminal")),
        }
    }
}
