//! The supervisor: our own session with the browser, attached to everything in it.
//!
//! Chromium pauses every new target before its first script. The supervisor sends the target what
//! [`crate::stealth`] orders and resumes it. Nothing else does this, and nothing runs without it.
//! The supervisor writes the commands in one go and does not wait for one answer before it sends the next
//! command: a paused worker answers only after it was resumed, so waiting would deadlock. It closes a
//! target that refuses a vital command, in [`setup`].

mod actor;
mod client_contexts;
mod event_domains;
mod fence;
mod frame_recovery;
mod guard;
mod load_failures;
mod new_target;
mod setup;
mod state;
mod tab_overrides;
mod tabs;
mod target_events;
mod targets;
mod titles;

#[cfg(test)]
mod tests;

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use szk_cdp::protocol::target::SetDiscoverTargetsParams;
use szk_cdp::{CallError, Connection, Done, Events, Reply, Request, SessionId, Subscription};
use szk_config::Bounds;
use szk_endpoint::{Gate, SupervisedBrowser};
use tokio::sync::watch;
use tokio::sync::watch::Receiver;

pub use fence::Fence;
pub use load_failures::Unreachable;
pub use tab_overrides::TabOverrides;
pub use targets::{FailedTarget, Tab, TargetInfo};

use crate::stealth::Stealth;
use fence::Fences;
use frame_recovery::FrameNavigations;
pub(crate) use guard::every_request;
use load_failures::LoadFailures;
pub(crate) use new_target::NewTarget;
pub(crate) use tab_overrides::OverridesByPurpose;
use targets::Targets;

/// How long setting up a browser's first page may take.
const FIRST_PAGE: Duration = Duration::from_secs(30);

/// Stealth could not be applied, or the browser went away meanwhile.
#[derive(Debug, thiserror::Error)]
pub enum SupervisorError {
    /// A command was refused.
    #[error("the browser refused `{method}`: {source}")]
    Refused {
        /// CDP method.
        method: String,
        /// The reason.
        source: CallError,
    },
    /// The setup of the first page, or of something that came with it, failed.
    #[error("cannot apply stealth: {reason}")]
    FirstPage {
        /// What failed.
        reason: String,
    },
    /// A tab could not be opened.
    #[error("cannot open the tab: {reason}")]
    Tab {
        /// The reason.
        reason: String,
    },
}

/// Handle on the supervisor of one running browser; cheap to clone.
#[derive(Clone)]
pub struct Supervisor {
    connection: Connection,
    gate: Gate,
    targets: Arc<Targets>,
    stealth: Arc<Stealth>,
    /// Events since the start, for the event log. A std mutex: nothing awaits under it.
    from_start: Arc<Mutex<Option<Subscription>>>,
    bounds: Bounds,
    /// Tabs that calls must not take to other origins.
    fences: Fences,
    /// Whether requests for documents are intercepted, because a fence stood once.
    documents: Arc<AtomicBool>,
    /// When someone last cleared cookies or storage on purpose.
    cleared: Arc<watch::Sender<Option<Instant>>>,
}

impl Supervisor {
    /// Attaches to everything in the browser: the commands are written when this returns, and
    /// [`StartingSupervisor::done`] waits for their results. Tabs are numbered from `first_tab`, so that
    /// a restarted browser does not reuse numbers within a session.
    #[must_use]
    pub fn begin(
        connection: Connection,
        events: Events,
        stealth: Arc<Stealth>,
        bounds: Bounds,
        first_tab: u32,
    ) -> StartingSupervisor {
        let gate = Gate::default();
        let targets = Arc::new(Targets::starting_at(first_tab));
        let supervisor = Self {
            connection: connection.ending_with_renderer(),
            gate: gate.clone(),
            targets: Arc::clone(&targets),
            stealth: Arc::clone(&stealth),
            from_start: Arc::new(Mutex::new(Some(connection.subscribe()))),
            bounds: bounds.clone(),
            fences: Fences::default(),
            documents: Arc::default(),
            cleared: Arc::default(),
        };
        let mut orders = Vec::new();
        // Before anything loads. Only if there are limits: it costs every request a detour.
        orders.extend(guard::order(&bounds, false).as_ref().map(Request::of));
        // Discovery first: titles and URLs of targets change from the first moment on.
        orders.push(Request::of(&SetDiscoverTargetsParams {
            filter: Some(actor::discover_filter()),
            ..SetDiscoverTargetsParams::new(true)
        }));
        orders.push(Request::of(&actor::auto_attach(actor::root_filter())));
        let replies = orders
            .into_iter()
            .map(|order| {
                let reply = connection.post(None, &order);
                (order, reply)
            })
            .collect();
        tokio::spawn(
            actor::Actor {
                connection,
                gate,
                targets,
                stealth,
                bounds: bounds.clone(),
                fences: supervisor.fences.clone(),
                frame_navigations: FrameNavigations::default(),
                failures: LoadFailures::default(),
            }
            .run(events),
        );
        StartingSupervisor {
            supervisor,
            replies,
        }
    }

    /// The pipe. Calls on it end when the renderer of their page dies.
    #[must_use]
    pub fn connection(&self) -> &Connection {
        &self.connection
    }

    /// All events since the browser started, or as many as were kept; only the first caller gets them.
    #[must_use]
    pub fn events_from_start(&self) -> Option<Subscription> {
        self.from_start
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take()
    }

    /// Tells other clients when a target may run.
    #[must_use]
    pub fn gate(&self) -> &Gate {
        &self.gate
    }

    /// Intercepts requests for files from now on, after a person opened one: pages may be at that file,
    /// and at no other.
    ///
    /// # Errors
    /// The browser refused, or is gone.
    pub async fn guard_files(&self) -> Result<(), CallError> {
        let Some(order) = guard::order(&self.bounds, self.documents.load(Ordering::Relaxed)) else {
            return Ok(());
        };
        let asked = self.connection.run(None, &order);
        asked.await
    }

    /// Everything that is attached now.
    #[must_use]
    pub fn targets(&self) -> Vec<TargetInfo> {
        self.targets.all()
    }

    /// Targets whose setup failed and that were closed, oldest first; notified of each new one.
    #[must_use]
    pub fn troubles(&self) -> Receiver<Vec<FailedTarget>> {
        self.targets.troubles()
    }

    /// Notified when someone clears cookies or storage on purpose.
    pub(crate) fn cleared(&self) -> Receiver<Option<Instant>> {
        self.cleared.subscribe()
    }

    /// Our session with a page.
    #[must_use]
    pub fn page_session(&self, target_id: &str) -> Option<SessionId> {
        self.targets.session(target_id)
    }
}

/// A supervisor whose first commands are sent but not answered.
pub struct StartingSupervisor {
    supervisor: Supervisor,
    replies: Vec<(Request, Reply<Done>)>,
}

impl StartingSupervisor {
    /// The supervisor. Before admitting others, wait for [`Gate::ready`].
    #[must_use]
    pub fn supervisor(&self) -> &Supervisor {
        &self.supervisor
    }

    /// Waits until stealth is applied to the page that the browser started with.
    ///
    /// # Errors
    /// [`SupervisorError`] if that fails.
    pub async fn done(self) -> Result<Supervisor, SupervisorError> {
        for (order, reply) in self.replies {
            reply.await.map_err(|source| SupervisorError::Refused {
                method: order.method().to_owned(),
                source,
            })?;
        }
        let supervisor = self.supervisor;
        // Attach events come before the answers above, but the actor may not have read them yet.
        let incomplete = |reason: String| SupervisorError::FirstPage { reason };
        let mut troubles = supervisor.troubles();
        let first_page = async {
            let target_id = supervisor.targets.first_page().await;
            tokio::select! {
                acked = supervisor.gate.acked(&target_id) => acked.map_err(|e| incomplete(e.to_string())),
                // Its renderer has died: it will not be set up before it navigates.
                () = supervisor.crash_of(&target_id) => supervisor.replace(&target_id).await,
            }
        };
        let set_up = tokio::time::timeout(FIRST_PAGE, async {
            tokio::select! {
                biased;
                // Of the page, of its tab, or of anything else that already exists.
                Ok(troubles) = troubles.wait_for(|troubles| !troubles.is_empty()) => {
                    Err(incomplete(troubles[0].reason.clone()))
                }
                set_up = first_page => set_up,
            }
        })
        .await;
        match set_up {
            Ok(Ok(())) => Ok(supervisor),
            Ok(Err(error)) => Err(error),
            Err(_) => Err(incomplete("no page was attached".to_owned())),
        }
    }
}

impl SupervisedBrowser for Supervisor {
    fn connection(&self) -> Connection {
        self.connection.clone()
    }

    fn gate(&self) -> Gate {
        self.gate.clone()
    }

    fn page_session(&self, target_id: &str) -> Option<SessionId> {
        Self::page_session(self, target_id)
    }

    fn tab_order(&self) -> Vec<String> {
        self.targets.tab_order()
    }

    fn tab_target(&self, page: &str) -> Option<String> {
        self.targets.tab_target(page)
    }

    fn yield_emulation(&self, context: &str, emulation: &'static str) {
        Self::yield_emulation(self, context, emulation);
    }

    fn yield_popups(&self, context: &str) {
        Self::yield_popups(self, context);
    }

    fn context_created(&self, context: &str) {
        Self::context_created(self, context);
    }

    fn context_disposed(&self, context: &str) {
        Self::context_disposed(self, context);
    }

    fn storage_cleared(&self) {
        self.cleared.send_replace(Some(Instant::now()));
    }
}
