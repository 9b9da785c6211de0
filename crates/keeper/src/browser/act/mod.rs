//! `browser_act`.

mod changes;
mod comes;
mod held;
mod how;
mod idle;
mod input;
mod named;
mod navigated;
mod refs;
mod report;
mod shows;
mod stage;
mod trouble;
mod unloaded;
mod whereabouts;

pub(crate) use changes::{Changed, said, settle_late, settled, stirs, told as changed_in};
pub(crate) use how::{How, Known, KnownElement};
pub(crate) use navigated::{led_to, navigated};
pub(crate) use shows::shows;
pub(crate) use whereabouts::{rect, size};

pub(crate) use trouble::failure as act_failure;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use szk_config::{InputPace as Configured, Keyboard};
use szk_page::act::{Act, ActError, Actor, Did, DropAt, Failed, Journey, Outcome, Target, Worlds};
use szk_page::document::{self, Expected};
use szk_page::input::{HandState, InputDevice, InputDevices, Layout, Pace, Person};
use szk_page::snapshot::Element;
use szk_runtime::session::{Running, Session};
use szk_runtime::supervisor::Tab;
use szk_tools::browser::{ActInput, ActKind, ElementState, InputPace};
use szk_tools::{Failure, Response};
use szk_wire::events::Happening;
use tokio::sync::OwnedMutexGuard;
use tokio::time::Instant;

use crate::acts;
use crate::approval::{self, Watching};
use crate::browser::arm;
use crate::browser::seen::{Settling, seen};
use crate::context::Keeper;
use crate::dialogs;
use comes::{appears, comes};
use report::After;
use stage::Stage;

/// What is left of a call's time for its answer.
const ANSWER: Duration = Duration::from_millis(100);
/// How long a page that is about to be left may take to say whether it is in front.
const ANSWERS: Duration = Duration::from_millis(500);

/// The hands of a session, and whose they are.
pub(crate) struct Acting {
    devices: InputDevices,
    worlds: Worlds,
    person: Person,
    pace: Pace,
    layout: Layout,
    /// By tab, what the last act of a batch may still cause: the batch waits for it at its end.
    // A std mutex: nothing awaits under it.
    pending: Mutex<HashMap<String, Expected>>,
}

impl Acting {
    /// The input device of a tab.
    fn device(
        &self,
        running: &Running,
        tab: &Tab,
        held: OwnedMutexGuard<HandState>,
        pace: Pace,
    ) -> InputDevice {
        InputDevice::new(
            running.supervisor.connection().clone(),
            tab.page.session.clone(),
            held,
            self.person.clone(),
            pace,
            self.layout,
        )
        .on(running.chromium.screen())
    }

    /// Takes the pointer out of a page in front that is about to be left, at a person's pace. Waits neither for
    /// an act that is using the tab nor long for a page that is busy.
    pub(crate) async fn leave(
        &self,
        running: &Running,
        tab: &Tab,
        page: &szk_page::Page,
        worlds: &szk_page::Worlds,
    ) {
        let held = self.devices.try_take(&tab.page.target_id);
        let (Pace::Human, Some(held)) = (self.pace, held) else {
            return;
        };
        let mut device = self.device(running, tab, held, self.pace);
        if device.at().is_none() {
            return;
        }
        let shown = tokio::time::timeout(ANSWERS, document::is_shown(worlds, page)).await;
        if let Ok(Ok(true)) = shown {
            let stage = Stage::new(running, tab, self);
            let scene = stage.scene();
            // A page that is busy is left all the same.
            let _ = tokio::time::timeout(ANSWERS, scene.take_mouse(&mut device)).await;
            device.leave().await;
        }
    }

    /// Creates the world of acts in a page's new document, if anything was done in the old one.
    pub(crate) async fn go_on(&self, page: &szk_page::Page) {
        let (connection, session) = (&page.connection, &page.session);
        self.worlds.go_on(connection, session, &page.frame).await;
    }

    /// Looks at an element that is probably acted on next, without waiting for the answer.
    pub(crate) fn look_ahead(&self, running: &Running, tab: &Tab, element: &Element) {
        Stage::new(running, tab, self).scene().look_ahead(element);
    }

    /// Whether a tab has changed since its last act ended.
    async fn changed_since_last_act(&self, running: &Running, tab: &Tab) -> bool {
        let stage = Stage::new(running, tab, self);
        stage.scene().changed_since_last_act().await
    }

    /// Notes what an act of a batch may still cause in a tab.
    fn leave_pending(&self, tab: &Tab, expected: Option<Expected>) {
        let mut pending = self.pending.lock().unwrap_or_else(PoisonError::into_inner);
        match expected {
            Some(expected) => pending.insert(tab.id.clone(), expected),
            None => pending.remove(&tab.id),
        };
    }

    /// What the last act in a tab may still cause, if it was one of a batch; asked once.
    pub(crate) fn take_pending(&self, tab: &Tab) -> Option<Expected> {
        let mut pending = self.pending.lock().unwrap_or_else(PoisonError::into_inner);
        pending.remove(&tab.id)
    }

    /// The pace of the profile, for what no act does.
    pub(crate) fn pace(&self) -> Pace {
        self.pace
    }

    /// The person of the profile, as configured.
    pub(crate) fn of(session: &Session) -> Self {
        let settings = &session.resolved().settings.session;
        Self {
            devices: InputDevices::default(),
            worlds: Worlds::default(),
            person: Person::of(session.meta().seed),
            pace: match settings.input {
                Configured::Fast => Pace::Fast,
                Configured::Human => Pace::Human,
            },
            layout: match settings.keyboard {
                Keyboard::Us => Layout::Us,
                Keyboard::Uk => Layout::Uk,
                Keyboard::De => Layout::De,
                Keyboard::Fr => Layout::Fr,
            },
            pending: Mutex::default(),
        }
    }
}

pub(crate) async fn act(
    keeper: &Arc<Keeper>,
    input: &ActInput,
    budget: Duration,
) -> Result<Response, Failure> {
    let began = Instant::now();
    let input = &*input::pointed(input);
    let asked = input::read(input, budget)?;
    let (running, tab) = keeper.tab(input.tab.as_deref()).await?;
    keeper.acting.leave_pending(&tab, None);
    changes::before(keeper, &running, &tab).await;
    if let Some(after) = &input.after {
        comes(keeper, &running, &tab, input, after, began + budget).await?;
    }
    let Known { on, to, to_point } = keeper.recipes.known(&tab.id, input);
    let reading = async {
        let (target, reference) = match &on {
            Some(on) => {
                let point = input.x.zip(input.y);
                let target = how::found(on.element.clone(), point);
                (Some(target), input.r#ref.clone())
            }
            None => match input::target(keeper, &running, &tab, input).await? {
                Some(aimed) => (Some(aimed.target), aimed.reference),
                None => (None, None),
            },
        };
        if let Some(reference) = reference.as_deref().filter(|_| input.kind != ActKind::Wait) {
            changes::around(keeper, &running, &tab, reference).await;
        }
        let act = match to {
            Some(to) => Act::Drag(DropAt::Target(how::found(to, to_point))),
            None => input::act(keeper, &running, &tab, asked).await?,
        };
        Ok::<_, Failure>((target, reference, act))
    };
    let (target, reference, act) = dialogs::unblocked(&keeper.event_log, &tab, reading).await?;
    let wanted = act.clone();
    let how = How {
        pace: input.input,
        answering: input::answering(input),
        whole: began + budget.saturating_sub(ANSWER),
        logged: true,
        known: on.map(|on| on.identity),
    };
    if input.state == Some(ElementState::Networkidle) {
        idle::network(keeper, &tab, how.whole).await?;
    }
    let end = how.whole;
    approved(keeper, &running, &tab, &act, target.as_ref(), end).await?;
    let since = keeper.event_log.now();
    if input.deferred && input.kind != ActKind::Wait {
        // Nobody looks between the steps of a batch: what one of them brings may take a moment.
        appears(keeper, &running, &tab, target.clone(), &how).await;
    }
    let times = input::times(input);
    approval::ready(keeper, &running.supervisor).await?;
    let watching = Watching::begin(keeper, &running.supervisor, &tab);
    let mut done = repeated(
        keeper,
        &running,
        &tab,
        act.clone(),
        target.clone(),
        how.clone(),
        times,
    )
    .await;
    if let Err(failed) = &done
        && matches!(failed.error, ActError::Stale)
        && !failed.approached
        && input.r#ref.is_some()
        && how.known.is_none()
    {
        // Scrolling may make a page draw the same thing anew; then its ref has gone on.
        let again = input::target(keeper, &running, &tab, input);
        let again = dialogs::unblocked(&keeper.event_log, &tab, again).await;
        if let Ok(again) = again.map(|aimed| aimed.map(|aimed| aimed.target))
            && again != target
        {
            done = repeated(keeper, &running, &tab, act, again, how, times).await;
        }
    }
    let mut did = match done {
        Ok(did) => did,
        Err(failed) => {
            let open = dialogs::open(&keeper.event_log, &tab.page.target_id);
            let knows = async {
                match (&failed.error, open) {
                    (ActError::Stale, _) => refs::ended(keeper, &running, &tab, input).await,
                    (ActError::Ambiguous { .. }, _) => {
                        refs::candidates(keeper, &running, &tab, &failed.error).await
                    }
                    (ActError::Dialog, Some(prompt)) => Some(dialogs::busy(&prompt, &tab.id)),
                    _ => None,
                }
            };
            let target = &tab.page.target_id;
            let known = dialogs::unless_held(&keeper.event_log, target, knows).await;
            let known = known.flatten();
            let lacks = unloaded::lacks(&failed.error);
            let failure = trouble::failure(failed, input.r#ref.as_deref(), known);
            return Err(unloaded::explained(keeper, &running, &tab, lacks, failure, end).await);
        }
    };
    let files = did.outcome.downloads.iter();
    watching
        .end(files.map(|one| one.filename.clone()).collect())
        .await?;
    if let Act::Down(_) = &wanted {
        held::watch(keeper, &running, &tab).await;
    }
    did.notes.extend(held::told(keeper, &tab, &wanted).await);
    if let (Some(before), Act::Resize(width, height)) = (did.size_before, &wanted) {
        crate::browser::resized(keeper, &tab, before, (*width, *height));
    }
    let left =
        did.outcome.navigation.as_ref().is_some_and(|navigation| {
            navigation.journey == Journey::Arrived && !navigation.in_frame
        });
    let chosen = match did.outcome.chooser && input.kind != ActKind::Upload && !left {
        true => Some(arm::became(keeper, &tab, since).await),
        false => None,
    };
    let mut after = match input.snapshot {
        // A tab that is closed, or blocked by a dialog, cannot be read.
        Some(_) if did.outcome.closed || did.outcome.open_dialog().is_some() => After::default(),
        Some(_) => After::Seen(seen(keeper, &running, &tab, input.snapshot, Settling::ACTED).await),
        None => After::Changed(
            changes::since(keeper, &running, &tab, input, reference.as_deref(), &did).await,
        ),
    };
    if let (Some(id), After::Changed(changed)) = (did.logged, &after)
        && let Some(diff) = &changed.diff
    {
        acts::changed(keeper, id, diff);
    }
    if !left {
        acts::became(keeper, &running, &tab, &did).await;
    }
    if let (Some(id), After::Changed(changed)) = (did.logged, &mut after) {
        acts::others(
            keeper,
            id,
            std::mem::take(&mut changed.became),
            changed.stirred,
        );
    }
    did.notes
        .extend(refs::inherited(keeper, &running, &tab).await);
    report::answer(keeper, &running.supervisor, &tab, input, did, chosen, after).await
}

/// Checks that what the act sets off by itself needs no approval, or has it.
async fn approved(
    keeper: &Keeper,
    running: &Running,
    tab: &Tab,
    act: &Act,
    target: Option<&Target>,
    until: Instant,
) -> Result<(), Failure> {
    use szk_config::NeedsApproval::{Origin, Submit};
    if ![Submit, Origin]
        .iter()
        .any(|kind| keeper.bounds().asks(*kind))
    {
        return Ok(());
    }
    let stage = Stage::new(running, tab, &keeper.acting);
    let foreseen = async {
        let known = stage.scene().foresee(act, target).await;
        known.map_err(|error| trouble::failure(Failed::unseen(error), None, None))
    };
    let known = dialogs::unblocked(&keeper.event_log, tab, foreseen).await?;
    approval::foreseen(keeper, &tab.page.url, known, until).await
}

/// Carries out an act several times, until it leads elsewhere.
async fn repeated(
    keeper: &Keeper,
    running: &Running,
    tab: &Tab,
    act: Act,
    target: Option<Target>,
    how: How,
    times: u32,
) -> Result<Did, Failed> {
    let mut did = perform(
        keeper,
        running,
        tab,
        act.clone(),
        target.clone(),
        how.clone(),
    )
    .await?;
    let counts = |outcome: &Outcome| [outcome.changes, outcome.ticks, outcome.own];
    let mut all = counts(&did.outcome);
    for nth in 2..=times {
        let outcome = &did.outcome;
        let ended = outcome.navigation.is_some() || !outcome.dialogs.is_empty() || outcome.closed;
        if ended || outcome.late {
            did.notes
                .push(format!("stopped after {} of {times} times", nth - 1));
            break;
        }
        did = match perform(
            keeper,
            running,
            tab,
            act.clone(),
            target.clone(),
            how.clone(),
        )
        .await
        {
            Ok(did) => did,
            Err(failed) => {
                let done = nth - 1;
                did.notes.push(format!(
                    "stopped after {done} of {times} times: {}",
                    failed.error
                ));
                break;
            }
        };
        let more = counts(&did.outcome);
        all = std::array::from_fn(|at| all[at] + more[at]);
    }
    [did.outcome.changes, did.outcome.ticks, did.outcome.own] = all;
    Ok(did)
}

/// Carries out one act in a tab: the one way by which handlers work pages.
pub(crate) async fn perform(
    keeper: &Keeper,
    running: &Running,
    tab: &Tab,
    act: Act,
    target: Option<Target>,
    how: How,
) -> Result<Did, Failed> {
    let acting = &keeper.acting;
    let stage = Stage::new(running, tab, acting);
    let scene = stage.scene();
    // Waiting takes no device: others may act meanwhile, and what they do may be what is waited for.
    let held = match act {
        Act::Wait(_) => InputDevices::default().take("").await,
        _ => acting.devices.take(&tab.page.target_id).await,
    };
    let pace = match how.pace {
        Some(InputPace::Fast) => Pace::Fast,
        Some(InputPace::Human) => Pace::Human,
        None => acting.pace,
    };
    let mut device = acting.device(running, tab, held, pace);
    let quiet = matches!(act, Act::Wait(_));
    let _own = (!quiet).then(|| keeper.recipes.recorder.working(Some(&tab.id)));
    let opens_choosers = matches!(
        act,
        Act::Click(_)
            | Act::Press(..)
            | Act::Type(_)
            | Act::Fill(_)
            | Act::Check(_)
            | Act::Select(_)
            | Act::Drag(_)
            | Act::Down(_)
            | Act::Up(_)
    );
    // Of its dialogs and choosers the one who answers them all knows whose they are.
    let uploads = matches!(act, Act::Upload(_));
    let target_id = &tab.page.target_id;
    // Dropped after `_during`: while an act goes on, choosers are its own.
    let _choosers = opens_choosers.then(|| arm::Intercepting::begin(keeper, running, tab));
    let underway = arm::Underway {
        answering: how.answering,
        uploads,
        pace,
    };
    let _during = (!quiet).then(|| keeper.slots.during(target_id, underway));
    let asked = Box::pin(dialogs::held(&keeper.event_log, target_id));
    let acted = match how.logged {
        true => {
            let (target, known) = (target.as_ref(), how.known.clone());
            let begun = acts::begin(keeper, running, tab, &scene, &act, target, known);
            // The act itself says what is in its way.
            let begun = dialogs::unless_held(&keeper.event_log, target_id, begun).await;
            begun.flatten()
        }
        false => None,
    };
    let mut done = Actor::perform(scene, &mut device, act, target, how.whole, asked).await;
    if let Ok(did) = &mut done {
        let logged = acts::done(keeper, running, tab, &scene, acted, did).await;
        (did.logged, did.watched) = match logged {
            Some((id, watched)) => (Some(id), watched),
            None => (None, None),
        };
    }
    if let Ok(did) = &done
        && !quiet
        && did.outcome.stirred()
    {
        let tab = tab.id.clone();
        keeper.events.tell(Happening::PageChanged { tab });
    }
    if uploads {
        if done.is_ok() {
            arm::served(keeper, tab);
        }
        arm::keep_intercepting(keeper, running, tab).await;
    }
    done
}
