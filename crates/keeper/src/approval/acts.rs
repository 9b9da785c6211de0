//! What acts and navigations turn out to do: forms, other origins, downloads.
//!
//! What an element does by itself is known before it is pressed. What a script, a redirect or the server
//! makes of it is stopped when it begins.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use szk_config::NeedsApproval::{Download, Origin, Submit};
use szk_page::act::Foreseen;
use szk_runtime::supervisor::{Fence, Supervisor, Tab};
use szk_tools::{Code, Done, Failure};
use tokio::time::Instant;

use super::{Step, approved};
use crate::browser::told;
use crate::context::Keeper;
use crate::failure;

/// What calls may download just now. Several can work in one tab.
#[derive(Default)]
pub(crate) struct Permits {
    // A std mutex: nothing awaits under it.
    all: Mutex<Vec<Permit>>,
    /// The number of the last one.
    last: AtomicU64,
}

/// One call's.
struct Permit {
    number: u64,
    /// The target of its tab's page.
    target: String,
    /// Each good for one download.
    names: Vec<String>,
    /// Until when, once the call is over: the browser may tell of a download later than of the act.
    until: Option<Instant>,
}

/// How much later.
const LATER: Duration = Duration::from_secs(10);

/// Keeps a tab from going to other origins and from downloads for as long as a call works in it, except
/// for what a person has agreed to.
pub(crate) struct Watching<'a> {
    keeper: &'a Keeper,
    /// The number of its permit for downloads, if they need one.
    permit: Option<u64>,
    fence: Option<Fence>,
    /// The one of a call that must not leave its origins.
    within: Option<Fence>,
}

/// Intercepts documents, if the call must not leave certain origins; before [`Watching::begin`].
pub(crate) async fn ready(keeper: &Keeper, supervisor: &Supervisor) -> Result<(), Failure> {
    if keeper.within().is_none() {
        return Ok(());
    }
    let what = "cannot keep the page within the origins of the task";
    let watched = supervisor.watch_documents().await;
    watched.map_err(|error| failure::cdp(what, &error, Done::None))
}

/// Checks that what an element does by itself needs no approval, or has it.
pub(crate) async fn foreseen(
    keeper: &Keeper,
    url: &str,
    known: Foreseen,
    until: Instant,
) -> Result<(), Failure> {
    let mut steps = Vec::new();
    let name = szk_text::line(&known.name, 100);
    let step = |kind, what, to| Step { kind, what, to };
    if known.unseen {
        let what = "press something in a frame, which may submit a form".to_owned();
        steps.push(step(Submit, what, None));
    }
    if let Some(to) = &known.submits {
        let what = format!("submit a form to `{}` with {name}", told::address(to));
        steps.push(step(Submit, what, None));
    }
    for to in known.submits.iter().chain(&known.leads) {
        if keeper.bounds().leaves(url, to) {
            steps.push(Step::origin(to));
        }
    }
    approved(keeper, steps, Done::None, left(until)).await
}

fn left(until: Instant) -> Duration {
    until.saturating_duration_since(Instant::now())
}

impl<'a> Watching<'a> {
    /// Begins, if anything has to be watched.
    pub(crate) fn begin(keeper: &'a Keeper, supervisor: &Supervisor, tab: &Tab) -> Self {
        let allowed = keeper.asked.allowed();
        let asks = keeper.bounds().asks(Download);
        let permit = asks.then(|| keeper.permits.give(&tab.page.target_id, allowed.clone()));
        let fence = keeper.bounds().asks(Origin) && keeper.visit.client().is_some();
        let fence = fence.then(|| supervisor.fence(tab, allowed));
        let within = keeper.within().cloned();
        let within = within.map(|origins| supervisor.fence_within(tab, origins));
        Self {
            keeper,
            permit,
            fence,
            within,
        }
    }

    /// Asks about what was stopped. `files` are the names of the downloads that began.
    pub(crate) async fn end(self, files: Vec<String>) -> Result<(), Failure> {
        if let Some(to) = self.within.iter().flat_map(Fence::stopped).next() {
            return Err(left_out(&to));
        }
        let mut steps = Vec::new();
        for to in self.fence.iter().flat_map(Fence::stopped) {
            let step = Step::origin(&to);
            if !steps.contains(&step) {
                steps.push(step);
            }
        }
        steps.extend(files.into_iter().map(|name| Step {
            kind: Download,
            what: format!("download {}", szk_text::quoted(&name, 200)),
            to: Some(name),
        }));
        if steps.is_empty() {
            return Ok(());
        }
        approved(self.keeper, steps, Done::Done, Duration::ZERO).await
    }
}

/// The failure for an address that the call may not go to.
fn left_out(to: &str) -> Failure {
    let message = format!(
        "this leads to `{}`, outside of the origins of the task; the page stayed where it was",
        told::address(to)
    );
    Failure::new(Code::PolicyDenied, message)
        .effect(Done::Done)
        .hint("stay within the origins of the task")
}

impl Drop for Watching<'_> {
    fn drop(&mut self) {
        if let Some(fence) = self.within.take() {
            fence.linger(LATER);
        }
        if let Some(number) = self.permit {
            self.keeper.permits.over(number);
        }
    }
}

impl Permits {
    fn lock(&self) -> MutexGuard<'_, Vec<Permit>> {
        self.all.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A call in this tab may download files of these names; answers the number of its permit.
    fn give(&self, target: &str, names: Vec<String>) -> u64 {
        let number = self.last.fetch_add(1, Ordering::Relaxed) + 1;
        self.lock().push(Permit {
            number,
            target: target.to_owned(),
            names,
            until: None,
        });
        number
    }

    /// The call with this permit is over.
    fn over(&self, number: u64) {
        let now = Instant::now();
        let mut permits = self.lock();
        permits.retain(|one| one.until.is_none_or(|until| until > now));
        if let Some(permit) = permits.iter_mut().find(|one| one.number == number) {
            permit.until = Some(now + LATER);
        }
    }

    /// Whether a call works in this tab, or has until just now, and if so, whether one may download a file of
    /// this name. A permit is good once.
    pub(crate) fn allow(&self, target: &str, name: &str) -> Option<bool> {
        let now = Instant::now();
        let mut permits = self.lock();
        let mut works = false;
        for permit in permits.iter_mut() {
            let good = permit.until.is_none_or(|until| until > now);
            if permit.target != target || !good {
                continue;
            }
            works = true;
            if let Some(at) = permit.names.iter().position(|one| one == name) {
                permit.names.remove(at);
                return Some(true);
            }
        }
        works.then_some(false)
    }
}
