//! Calls that wait for a person's approval: `[policy] approve`.
//!
//! Such a call is refused before it starts. A front end that can ask a person gets a token with the
//! refusal, and makes the call again with it. The token is good once, for a while, and only for the call
//! that the person was asked about: its digest covers the operation, its whole input, the files it names,
//! the session, the tab, and the address of the page at that moment.

mod words;

#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, UNIX_EPOCH};

use sha2::{Digest, Sha256};
use szk_tools::failure::Approval;
use szk_tools::{Call, Code, Failure};
use szk_wire::CAN_ASK;
use szk_wire::events::Happening;
use tokio::time::Instant;

use crate::browser::told;
use crate::context::Keeper;

/// Most calls that can wait at the same time.
const MOST: usize = 64;

/// Who can approve a call.
#[derive(Clone, Default)]
pub(crate) enum Approver {
    /// Nobody: a call that needs an approval fails.
    #[default]
    Nobody,
    /// A person whom the front end asks.
    Person,
    /// A person who has agreed to the call with this token.
    Agreed(String),
}

impl Approver {
    /// Reads the header.
    pub(crate) fn read(header: Option<&str>) -> Self {
        match header {
            None => Self::Nobody,
            Some(CAN_ASK) => Self::Person,
            Some(token) => Self::Agreed(token.to_owned()),
        }
    }
}

/// The calls that wait for an approval, by token.
#[derive(Default)]
pub(crate) struct Approvals {
    // A std mutex: nothing awaits under it.
    waiting: Mutex<HashMap<String, Waiting>>,
}

struct Waiting {
    digest: Vec<u8>,
    until: Instant,
}

impl Approvals {
    /// A token for a call; none if too many wait, or the system has no randomness.
    fn offer(&self, digest: Vec<u8>, time: Duration) -> Option<String> {
        let mut random = [0; 32];
        getrandom::fill(&mut random).ok()?;
        let token = hex(&random);
        let now = Instant::now();
        let mut waiting = self.lock();
        waiting.retain(|_, one| one.until > now);
        if waiting.len() >= MOST {
            return None;
        }
        let until = now + time;
        waiting.insert(token.clone(), Waiting { digest, until });
        Some(token)
    }

    /// Uses up a token: whether it is good for this call.
    fn take(&self, token: &str, digest: &[u8]) -> bool {
        let one = self.lock().remove(token);
        one.is_some_and(|one| one.digest == digest && Instant::now() < one.until)
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, Waiting>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Checks that a call needs no approval, or has it.
pub(crate) fn check(keeper: &Keeper, call: &Call) -> Result<(), Failure> {
    let policy = keeper.bounds().policy();
    if policy.approve.is_empty() {
        return Ok(());
    }
    let needs = words::needs(call).into_iter();
    let needs: Vec<_> = needs
        .filter(|(need, _)| policy.approve.contains(need))
        .collect();
    if needs.is_empty() {
        return Ok(());
    }
    let tab = keeper.peek(call.input().tab()).map(|(_, tab)| tab);
    let at = tab.as_ref().map(|tab| (&*tab.id, &*tab.page.url));
    let digest = digest(keeper.session.name().as_str(), at, call)?;
    if let Approver::Agreed(token) = &keeper.approver
        && keeper.approvals.take(token, &digest)
    {
        return Ok(());
    }
    let kinds: Vec<_> = needs.iter().map(|(need, _)| need.word()).collect();
    let what: Vec<_> = needs.iter().map(|(_, what)| &**what).collect();
    let page = match at {
        Some((id, url)) => format!(", tab {id} at `{}`", told::address(url)),
        None => String::new(),
    };
    let session = keeper.session.name();
    let what = format!("{} in session `{session}`{page}", what.join(", and "));
    let message = format!(
        "a person has to approve this (`[policy] approve`: {}): {what}",
        kinds.join(", ")
    );
    Err(refused(keeper, &message, &what, digest))
}

fn refused(keeper: &Keeper, message: &str, what: &str, digest: Vec<u8>) -> Failure {
    let failure = Failure::new(Code::NeedsApproval, message);
    let time = Duration::from_secs(keeper.bounds().policy().approve_seconds);
    let token = match keeper.approver {
        Approver::Person => keeper.approvals.offer(digest, time),
        // It was given for another call, before, or too late; whoever agreed is not asked again.
        Approver::Agreed(_) => {
            return failure.hint("the approval came too late, or what it was given for has changed since; make the call again to ask again");
        }
        Approver::Nobody => None,
    };
    match token {
        Some(token) => {
            let client = keeper.visit.client();
            keeper.events.tell(Happening::ApprovalAsked {
                client: client.map_or_else(String::new, |client| client.name.clone()),
                what: what.to_owned(),
            });
            Failure {
                approval: Some(Approval {
                    token,
                    seconds: time.as_secs(),
                }),
                ..failure
            }
            .hint("do it another way, or ask the person")
        }
        None => failure.hint("nobody can be asked here: make it a call of its own, not a step of a batch, from an MCP client that can ask its person, or have a person run it with `szk` in a terminal"),
    }
}

/// What a token is bound to.
fn digest(session: &str, at: Option<(&str, &str)>, call: &Call) -> Result<Vec<u8>, Failure> {
    let mut files = Vec::new();
    let mut copy = call.clone();
    copy.input_mut()
        .each_path(&mut |path: &mut PathBuf| files.push(state_of(path)));
    let whole = serde_json::json!([call.spec().name, call.encode()?, session, at, files]);
    Ok(Sha256::digest(whole.to_string()).to_vec())
}

/// Length and last change of a file, so that a person does not approve one and another is taken.
fn state_of(path: &Path) -> Option<(u64, u128)> {
    let meta = std::fs::metadata(path).ok()?;
    let changed = meta.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
    Some((meta.len(), changed.as_nanos()))
}

fn hex(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(2 * bytes.len());
    for byte in bytes {
        // Writing to a string does not fail.
        let _ = write!(text, "{byte:02x}");
    }
    text
}
