//! Steps that wait for a person's approval: `[policy] approve`.
//!
//! What a call says it will do is asked before it starts; what an act turns out to do is stopped and asked
//! then (`acts`). A front end that can ask a person gets a token with the refusal, and makes the call again
//! with it. The token is good once, for a while, and only for the call that the person was asked about: its
//! digest covers the operation, its whole input, the files it names, the session, the tab, and the address
//! of the page at that moment; and it names each step that the person has read. Where no front end can
//! ask, a person in the live view is asked while the call waits (`people`).

mod acts;
mod people;
mod words;

#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, UNIX_EPOCH};

use sha2::{Digest, Sha256};
use szk_config::NeedsApproval;
use szk_tools::failure::Approval;
use szk_tools::{Call, Done, Failure};
use szk_wire::approvals::{Agreed, Approver};
use szk_wire::events::Happening;

use crate::browser::told;
use crate::context::Keeper;

pub(crate) use acts::{Permits, Watching, foreseen, ready};
pub(crate) use people::{People, Question};

/// A step that a person may have to approve.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Step {
    pub(crate) kind: NeedsApproval,
    /// In words for that person.
    pub(crate) what: String,
    /// The address that it leads to, or the name of the file that it downloads.
    pub(crate) to: Option<String>,
}

/// What is known of the approvals of one call.
#[derive(Default)]
pub(crate) struct CallApprovals {
    // A std mutex: nothing awaits under it.
    call: Mutex<Option<OneCall>>,
}

struct OneCall {
    digest: Vec<u8>,
    /// The page that the call began at, in words.
    at: String,
    /// What a person has read and agreed to.
    agreed: Vec<Agreed>,
    /// The token was good for this call.
    good: bool,
    /// Where steps that were agreed to lead to.
    allowed: Vec<String>,
}

impl CallApprovals {
    fn lock(&self) -> MutexGuard<'_, Option<OneCall>> {
        self.call.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Where steps that were agreed to lead to.
    fn allowed(&self) -> Vec<String> {
        let call = self.lock();
        call.as_ref()
            .map(|call| call.allowed.clone())
            .unwrap_or_default()
    }
}

/// Checks that what a call says it will do needs no approval, or has it. A person in the live view may
/// have `limit` to answer.
pub(crate) async fn check(keeper: &Keeper, call: &Call, limit: Duration) -> Result<(), Failure> {
    let bounds = keeper.bounds();
    if bounds.policy().approve.is_empty() {
        return Ok(());
    }
    let tab = keeper.peek(call.input().tab()).map(|(_, tab)| tab);
    let at = tab.as_ref().map(|tab| (&*tab.id, &*tab.page.url));
    let digest = digest(keeper.session.name().as_str(), at, call)?;
    let agreed = match &keeper.approver {
        Approver::Agreed(token) => keeper.approvals.take(token, &digest),
        Approver::Nobody | Approver::Person => None,
    };
    let page = match at {
        Some((id, url)) => format!(", tab {id} at `{}`", told::address(url)),
        None => String::new(),
    };
    let url = at.map_or_else(String::new, |(_, url)| url.to_owned());
    let steps = words::steps(call, &url, bounds);
    *keeper.asked.lock() = Some(OneCall {
        digest,
        at: format!("in session `{}`{page}", keeper.session.name()),
        good: agreed.is_some(),
        // What an act turned out to do is known from the last time.
        allowed: agreed
            .iter()
            .flatten()
            .filter_map(|one| one.to.clone())
            .collect(),
        agreed: agreed.unwrap_or_default(),
    });
    approved(keeper, steps, Done::None, limit).await
}

/// Checks that these steps of a call need no approval, or have it. `effect` is what was done by now.
async fn approved(
    keeper: &Keeper,
    mut steps: Vec<Step>,
    effect: Done,
    limit: Duration,
) -> Result<(), Failure> {
    steps.retain(|step| keeper.bounds().asks(step.kind));
    if steps.is_empty() {
        return Ok(());
    }
    let missing = {
        let mut asked = keeper.asked.lock();
        let agreed = asked.as_mut();
        let agreed = agreed.ok_or_else(|| Failure::internal("a call came past its approval"))?;
        steps.retain(|step| !agreed.agreed.iter().any(|one| one.what == step.what));
        if steps.is_empty() {
            return Ok(());
        }
        // Of use only if a person agrees while the call waits.
        let leads = steps.iter().filter_map(|step| step.to.clone());
        agreed.allowed.extend(leads);
        Missing::of(agreed, &steps)
    };
    if matches!(keeper.approver, Approver::Nobody)
        && keeper.handoffs.somebody_decides()
        && effect == Done::None
    {
        tell(keeper, &missing.what);
        let client = keeper.visit.client();
        let client = client.map_or_else(String::new, |client| client.name.clone());
        let limit = limit.min(time(keeper));
        return match keeper.people.ask(client, missing.what.clone(), limit).await {
            Some(true) => Ok(()),
            Some(false) => Err(missing.failure("the person said no: ").hint(ANOTHER_WAY)),
            None => {
                let late = missing.failure("the person did not answer in time: ");
                Err(late.hint(ANOTHER_WAY))
            }
        };
    }
    Err(refused(keeper, missing).effect(effect))
}

/// What a caller does when a person refuses.
const ANOTHER_WAY: &str = "do it another way, or ask the person";

/// Steps that nobody has agreed to.
struct Missing {
    digest: Vec<u8>,
    /// The token was good, but for less than this.
    more: bool,
    /// All steps of the call up to now, so that the next token covers them.
    steps: Vec<Agreed>,
    kinds: Vec<&'static str>,
    what: String,
}

impl Missing {
    fn of(call: &OneCall, steps: &[Step]) -> Self {
        let mut kinds: Vec<_> = steps.iter().map(|step| step.kind.word()).collect();
        kinds.dedup();
        let what: Vec<_> = steps.iter().map(|step| &*step.what).collect();
        let steps = steps.iter().map(|step| Agreed {
            what: step.what.clone(),
            to: step.to.clone(),
        });
        Self {
            digest: call.digest.clone(),
            more: call.good,
            kinds,
            what: format!("{} {}", what.join(", and "), call.at),
            steps: call.agreed.iter().cloned().chain(steps).collect(),
        }
    }

    fn failure(&self, how: &str) -> Failure {
        let kinds = self.kinds.iter().map(|kind| (*kind).to_owned());
        let failure = Failure::needs_approval(kinds.collect(), &self.what);
        Failure {
            message: format!("{how}{}", failure.message),
            ..failure
        }
    }
}

fn refused(keeper: &Keeper, missing: Missing) -> Failure {
    let failure = missing.failure("");
    let time = time(keeper);
    let token = match keeper.approver {
        Approver::Agreed(_) if !missing.more => {
            // It was given for another call, before, or too late; whoever agreed is not asked again.
            return failure.hint("the approval came too late, or something has changed since it was given; repeat the call to ask again");
        }
        Approver::Person | Approver::Agreed(_) => {
            keeper.approvals.offer(missing.digest, missing.steps, time)
        }
        Approver::Nobody => None,
    };
    match token {
        Some(token) => {
            tell(keeper, &missing.what);
            let approval = Approval {
                token,
                seconds: time.as_secs(),
            };
            Failure {
                approval: Some(Box::new(approval)),
                ..failure
            }
            .hint(ANOTHER_WAY)
        }
        None => failure.hint("nobody can be asked from here: make this call on its own, not as a step of a batch, from an MCP client that can ask its user; or have a person run it with `szk` in a terminal"),
    }
}

/// How long a person has for an answer.
fn time(keeper: &Keeper) -> Duration {
    Duration::from_secs(keeper.bounds().policy().approve_seconds)
}

fn tell(keeper: &Keeper, what: &str) {
    let client = keeper.visit.client();
    keeper.events.tell(Happening::ApprovalAsked {
        client: client.map_or_else(String::new, |client| client.name.clone()),
        what: what.to_owned(),
    });
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
