//! Adds what a person does to the log of acts, while something is recorded.
//!
//! One task hears what the listeners of [`szk_page::manual`] tell in all tabs, in this browser and in the
//! next one if this one is started again. Input that szk made itself is in the log already.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use szk_cdp::{Event, SessionId, Subscription, SubscriptionError};
use szk_page::manual::{Done, Names, typed, went};
use szk_page::snapshot::{Candidates, is_control};
use szk_recipes::{Acted, Effect, State, Thing};
use szk_runtime::session::Running;
use szk_runtime::supervisor::Tab;
use tokio::sync::{oneshot, watch};
use tokio::task::JoinHandle;

use super::own::now;
use crate::context::{Keeper, WeakKeeper};
use crate::recipe::look;

/// What the scripts stand for.
const PURPOSE: &str = "recording";
/// Who did what a person did.
const NAME: &str = "person";
/// How long a page that does not answer may delay the start and the end.
const PATIENCE: Duration = Duration::from_secs(3);
/// Milliseconds after an act in which a navigation is its effect.
const LEADS: f64 = 10_000.0;
/// Most things that an act is said to have changed, and the longest name of one.
const MOST: usize = 30;
const LONGEST: usize = 60;

/// The one who listens; until it is stopped or dropped.
pub(super) struct Person {
    stop: oneshot::Sender<oneshot::Sender<()>>,
    ready: watch::Receiver<bool>,
}

impl Person {
    pub(super) fn begin(keeper: &Arc<Keeper>) -> Self {
        let (stop, stopped) = oneshot::channel();
        let (tell, ready) = watch::channel(false);
        let ear = Ear {
            keeper: keeper.weak(),
            names: Arc::new(Names::random()),
            listened: BTreeSet::new(),
            last: HashMap::new(),
            seen: Seen::default(),
        };
        tokio::spawn(ear.run(keeper.session.watch_running(), tell, stopped));
        Self { stop, ready }
    }

    /// Waits until the pages that are open are listened to.
    pub(super) fn ready(&self) -> impl Future<Output = ()> + Send + use<> {
        let mut ready = self.ready.clone();
        async move {
            // Err: it has ended already.
            drop(ready.wait_for(|ready| *ready).await);
        }
    }

    /// Ends it; everything that was done is in the log then.
    pub(super) async fn stop(self) {
        let (done, ended) = oneshot::channel();
        if self.stop.send(done).is_ok() {
            drop(ended.await);
        }
    }
}

/// What pages showed when they were looked at last, by tab.
type Seen = Arc<Mutex<HashMap<String, Vec<Thing>>>>;

/// A person's last act in a tab.
struct Last {
    id: u64,
    at: f64,
    /// Finds out what came of it.
    looking: Option<JoinHandle<()>>,
}

struct Ear {
    keeper: WeakKeeper,
    names: Arc<Names>,
    /// Tabs that are listened to.
    listened: BTreeSet<String>,
    last: HashMap<String, Last>,
    seen: Seen,
}

impl Ear {
    async fn run(
        mut self,
        mut browsers: watch::Receiver<Option<Running>>,
        ready: watch::Sender<bool>,
        mut stopped: oneshot::Receiver<oneshot::Sender<()>>,
    ) {
        loop {
            let running = browsers.borrow_and_update().clone();
            if let Some(running) = running {
                let mut events = running.supervisor.connection().subscribe();
                let mut tabs = running.supervisor.changes();
                self.listened.clear();
                self.listen(&running).await;
                ready.send_replace(true);
                let done = loop {
                    tokio::select! {
                        biased;
                        // Err: nobody waits for its end.
                        done = &mut stopped => break Some(done.ok()),
                        event = events.recv() => match event {
                            Ok(event) => self.hear(&running, &event).await,
                            Err(SubscriptionError::Lagged(count)) => tracing::warn!(count, "acts of a person may be missing"),
                            Err(SubscriptionError::Closed) => break None,
                        },
                        Ok(()) = tabs.changed() => self.listen(&running).await,
                    }
                };
                if let Some(done) = done {
                    self.finish(&running, &mut events).await;
                    if let Some(done) = done {
                        // Err: nobody waits any more.
                        let _ = done.send(());
                    }
                    return;
                }
            }
            tokio::select! {
                done = &mut stopped => {
                    if let Ok(done) = done {
                        let _ = done.send(());
                    }
                    return;
                }
                changed = browsers.changed() => if changed.is_err() {
                    return;
                },
            }
        }
    }

    /// Listens to the tabs that are new.
    async fn listen(&mut self, running: &Running) {
        let tabs = running.supervisor.tabs();
        self.listened
            .retain(|id| tabs.iter().any(|tab| tab.id == *id));
        let mut new = Vec::new();
        for tab in tabs {
            if self.listened.insert(tab.id.clone()) {
                new.push(self.listen_to(running, tab));
            }
        }
        // A page that is blocked is heard once it goes on.
        let all = futures_util::future::join_all(new);
        drop(tokio::time::timeout(PATIENCE, all).await);
    }

    fn listen_to(&self, running: &Running, tab: Tab) -> impl Future<Output = ()> + Send + use<> {
        let session = &tab.page.session;
        let placed = running
            .supervisor
            .set_overrides(session, PURPOSE, vec![self.names.script()]);
        let (sessions, names) = (sessions(running, &tab), Arc::clone(&self.names));
        let connection = running.supervisor.connection().clone();
        let base = look(self.keeper.clone(), tab, 0, Arc::clone(&self.seen));
        async move {
            if let Err(error) = placed.await {
                tracing::debug!(%error, "a tab is not listened to");
            }
            for session in sessions {
                names.open_all(&connection, &session).await;
            }
            // In its own time: the page may be busy.
            tokio::spawn(base);
        }
    }

    async fn hear(&mut self, running: &Running, event: &Event) {
        let Some(session) = &event.session else {
            return;
        };
        let Some(tab) = running.supervisor.tab_of(session) else {
            return;
        };
        if let Some(done) = self.names.done(event) {
            return self.did(running, &tab, done);
        }
        if let Some(frame) = szk_page::event_log::uncaught::new_document(event) {
            let connection = running.supervisor.connection().clone();
            let (session, names) = (session.clone(), Arc::clone(&self.names));
            tokio::spawn(async move { names.open(&connection, &session, &frame).await });
        }
        let tab = running.supervisor.tab(&tab);
        if let Some(tab) = tab.filter(|tab| tab.page.session == *session)
            && let Some(went) = went(event, &tab.page.target_id)
        {
            self.went(running, &tab, &went.url, went.document).await;
        }
    }

    fn did(&mut self, running: &Running, tab: &str, done: Done) {
        let Some(keeper) = self.keeper.upgrade() else {
            return;
        };
        if keeper.recipes.recorder.own.at(tab, done.at) {
            return;
        }
        let Some(tab) = running.supervisor.tab(tab) else {
            return;
        };
        if let (true, Some(value)) = (done.secret, &done.value) {
            // A form may put it into an address.
            keeper.event_log.hide_typed(value);
        }
        let acted = Acted {
            effect: Effect {
                changed: !done.field,
                visible: !done.field,
                holds: done.act == "fill" && !done.secret,
                ..Effect::default()
            },
            act: done.act,
            on: Some(done.on),
            to: done.to,
            point: done.point,
            by: done.by,
            secret: done.secret,
            value: done.value.filter(|_| !done.secret),
            page: tab.page.url.clone(),
            client: Some(NAME.to_owned()),
            ..Acted::default()
        };
        let id = keeper.event_log.acted(tab.id.clone(), acted);
        let looking = look(self.keeper.clone(), tab.clone(), id, Arc::clone(&self.seen));
        let last = Last {
            id,
            at: done.at,
            looking: Some(tokio::spawn(looking)),
        };
        if let Some(before) = self.last.insert(tab.id, last)
            && let Some(looking) = before.looking
        {
            // What the page shows by now may be due to the next act.
            looking.abort();
        }
    }

    /// A navigation is what the last act led to, or what the person typed.
    async fn went(&mut self, running: &Running, tab: &Tab, url: &str, document: bool) {
        let Some(keeper) = self.keeper.upgrade() else {
            return;
        };
        let own = &keeper.recipes.recorder.own;
        let last = self.last.get(&tab.id);
        let after = last.filter(|last| now() - last.at < LEADS);
        if own.since(&tab.id, after.map_or_else(now, |last| last.at)) {
            return;
        }
        if document {
            let asked = typed(running.supervisor.connection(), &tab.page.session);
            let typed = tokio::time::timeout(PATIENCE, asked).await.ok().flatten();
            if let Some(asked) = typed {
                let acted = Acted {
                    act: "navigate".to_owned(),
                    value: Some(szk_page::event_log::redact::url(&asked)),
                    page: asked,
                    client: Some(NAME.to_owned()),
                    effect: Effect {
                        changed: true,
                        visible: true,
                        navigated: Some(url.to_owned()),
                        ..Effect::default()
                    },
                    ..Acted::default()
                };
                keeper.event_log.acted(tab.id.clone(), acted);
                self.last.remove(&tab.id);
                return;
            }
        }
        if let Some(last) = after {
            keeper.event_log.arrived(last.id, url);
        }
    }

    /// Hears what is still to be told, and listens no more.
    async fn finish(&mut self, running: &Running, events: &mut Subscription) {
        let tabs = running.supervisor.tabs();
        let connection = running.supervisor.connection();
        let ends = tabs.iter().flat_map(|tab| sessions(running, tab));
        let ends = ends.map(|session| {
            let names = Arc::clone(&self.names);
            async move { names.finish(connection, &session).await }
        });
        let ends = futures_util::future::join_all(ends);
        drop(tokio::time::timeout(PATIENCE, ends).await);
        while let Ok(Some(event)) = events.try_recv() {
            self.hear(running, &event).await;
        }
        let looking = self
            .last
            .values_mut()
            .filter_map(|last| last.looking.take());
        let looked = futures_util::future::join_all(looking);
        drop(tokio::time::timeout(PATIENCE, looked).await);
        for tab in &tabs {
            let session = &tab.page.session;
            let none = running
                .supervisor
                .set_overrides(session, PURPOSE, Vec::new());
            drop(tokio::time::timeout(PATIENCE, none).await);
        }
    }
}

/// The sessions with everything in a tab.
fn sessions(running: &Running, tab: &Tab) -> Vec<SessionId> {
    let targets = running.supervisor.targets().into_iter();
    let sessions = targets.map(|target| target.session);
    let ours = |session: &SessionId| running.supervisor.tab_of(session).as_ref() == Some(&tab.id);
    sessions.filter(ours).collect()
}

/// Finds out what came of an act: what the page shows now, and did not show before it.
async fn look(keeper: WeakKeeper, tab: Tab, id: u64, seen: Seen) {
    let Some(keeper) = keeper.upgrade() else {
        return;
    };
    let Some((running, tab)) = keeper.peek(Some(&tab.id)) else {
        return;
    };
    look::change(&keeper, &running, &tab, u32::MAX).await;
    let Ok(page) = look::read(&keeper, &running, &tab, Candidates::Working).await else {
        return;
    };
    let mut seen = seen.lock().unwrap_or_else(PoisonError::into_inner);
    let before = seen.insert(tab.id, page.things.clone());
    let Some(before) = before.filter(|_| id > 0) else {
        return;
    };
    let became = became(&page.things, &before);
    let (now, before) = (stateless(page.things), stateless(before));
    let (appeared, gone) = (new(&now, &before), new(&before, &now));
    if !appeared.is_empty() || !gone.is_empty() {
        keeper.event_log.changed(id, appeared, gone);
    }
    crate::acts::others(&keeper, id, became, false);
}

/// Things whatever their state: what is in another one has not appeared.
fn stateless(things: Vec<Thing>) -> Vec<Thing> {
    let without = |thing: Thing| Thing {
        state: State::default(),
        ..thing
    };
    things.into_iter().map(without).collect()
}

/// The controls that are in another state, of those that nothing else is called like.
fn became(now: &[Thing], before: &[Thing]) -> Vec<Thing> {
    let one = |things: &[Thing], like: &Thing| {
        let mut same = things
            .iter()
            .filter(|thing| thing.role == like.role && thing.name == like.name);
        same.next().cloned().filter(|_| same.next().is_none())
    };
    let controls = now.iter().filter(|thing| is_control(&thing.role));
    let changed = controls.filter_map(|thing| {
        let was = one(before, thing)?;
        let state = one(now, thing)?.state.since(&was.state);
        (!state.is_empty()).then(|| Thing {
            state,
            ..thing.clone()
        })
    });
    changed.take(MOST).collect()
}

/// Things that are in one list only; long texts go by their role.
fn new(these: &[Thing], others: &[Thing]) -> Vec<Thing> {
    let new = these.iter().filter(|thing| !others.contains(thing));
    let new = new.map(|thing| Thing {
        role: thing.role.clone(),
        name: match thing.name.chars().count() <= LONGEST {
            true => thing.name.clone(),
            false => String::new(),
        },
        ..Thing::default()
    });
    new.take(MOST).collect()
}
