//! What handlers work with.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use szk_config::Bounds;
use szk_page::event_log::EventLog;
use szk_page::{Redactor, Worlds};
use szk_runtime::launch::Mode;
use szk_runtime::session::{EndpointInfo, Running, Session, SessionError};
use szk_runtime::supervisor::Tab;
use szk_secrets::Secrets;
use szk_tools::{Code, Failure};
use tokio::sync::{Mutex, watch};

use crate::browser::{Acting, Emulations, Labels, Slots, Uncaught, Views};
use crate::clients::Clients;
use crate::events::Feed;
use crate::handoff::Handoffs;
use crate::workflow::Logins;
use crate::{dialogs, event_log, failure, policy};

/// The keeper of one session.
pub(crate) struct Keeper {
    pub(crate) session: Session,
    pub(crate) clients: Clients,
    /// Number of connected clients of the endpoint; updated once the endpoint is open.
    pub(crate) visitors: watch::Sender<usize>,
    /// Whether they are already being counted.
    counting: AtomicBool,
    /// Isolated worlds of tabs, so that they are found again without asking the browser.
    pub(crate) worlds: Worlds,
    /// What is known of each tab's page, and its refs.
    pub(crate) views: Views,
    /// The input devices of the tabs, and who uses them.
    pub(crate) acting: Acting,
    /// Labels of tabs.
    pub(crate) labels: Labels,
    /// Emulation in force, by tab.
    pub(crate) emulations: Emulations,
    /// What happens, for whoever follows the session.
    pub(crate) events: Feed,
    /// The events of all pages.
    pub(crate) event_log: EventLog,
    /// Position in the event log up to which downloads were reported.
    pub(crate) told: AtomicU64,
    /// Tabs whose uncaught errors go to the event log.
    pub(crate) uncaught: Uncaught,
    /// Prepared answers to what pages ask next.
    pub(crate) slots: Slots,
    /// Pictures are taken one at a time: two at once in a window can hang both.
    pub(crate) camera: Mutex<()>,
    /// Hand-offs to a person.
    pub(crate) handoffs: Handoffs,
    /// Secrets by name.
    pub(crate) secrets: Secrets,
    /// Logins in progress.
    pub(crate) logins: Logins,
}

impl Keeper {
    pub(crate) fn new(session: Session, clients: Clients, secrets: Secrets) -> Self {
        Self {
            acting: Acting::of(&session),
            event_log: event_log::of(&session),
            told: AtomicU64::new(0),
            uncaught: Uncaught::default(),
            slots: Slots::default(),
            session,
            events: clients.events(),
            clients,
            visitors: watch::Sender::new(0),
            counting: AtomicBool::new(false),
            worlds: Worlds::default(),
            views: Views::default(),
            labels: Labels::default(),
            emulations: Emulations::default(),
            camera: Mutex::new(()),
            handoffs: Handoffs::default(),
            secrets,
            logins: Logins::default(),
        }
    }

    /// Opens the endpoint, and from then on counts its clients.
    pub(crate) async fn open_endpoint(self: &Arc<Self>) -> Result<EndpointInfo, Failure> {
        let endpoint = self
            .session
            .open_endpoint()
            .await
            .map_err(|error| failure::session(&error))?;
        self.count_visitors(&endpoint);
        Ok(endpoint)
    }

    /// Counts the endpoint's clients from now on; does nothing the second time.
    pub(crate) fn count_visitors(self: &Arc<Self>, endpoint: &EndpointInfo) {
        if self.counting.swap(true, Ordering::Relaxed) {
            return;
        }
        let keeper = Arc::downgrade(self);
        let mut count = endpoint.client_count.clone();
        tokio::spawn(async move {
            loop {
                let now = *count.borrow_and_update();
                let Some(keeper) = keeper.upgrade() else {
                    return;
                };
                keeper.visitors.send_replace(now);
                drop(keeper);
                if count.changed().await.is_err() {
                    return;
                }
            }
        });
    }

    /// The browser, and the tab of a call: the one it names, else the one used last, else a new one.
    pub(crate) async fn tab(&self, id: Option<&str>) -> Result<(Running, Tab), Failure> {
        let (running, tab) = self.tab_to_show(id).await?;
        dialogs::none(&self.event_log, &tab.page.target_id, &tab.id).await?;
        Ok((running, tab))
    }

    /// The same for a person, who sees the dialog that is open.
    pub(crate) async fn tab_to_show(&self, id: Option<&str>) -> Result<(Running, Tab), Failure> {
        let (running, tab) = self.tab_as_it_is(id).await?;
        if running.supervisor.has_crashed(&tab) {
            return Err(failure::crashed(&tab));
        }
        // A page may have navigated without a request of its own.
        policy::work(self.bounds(), &tab.page.url)?;
        Ok((running, tab))
    }

    /// Whether a person sees the pages: then szk does not dismiss dialogs for them.
    pub(crate) fn seen(&self) -> bool {
        let handed = self.handoffs.current();
        self.session.mode() == Mode::Window || handed.is_some_and(|open| open.ended().is_none())
    }

    /// Hides values that must not be shown, because they were filled into fields by name.
    pub(crate) fn redactor(&self) -> &Redactor {
        self.event_log.redactor()
    }

    /// The limits of the session.
    pub(crate) fn bounds(&self) -> &Bounds {
        self.session.bounds()
    }

    /// The browser and the tab of a call, if both exist now.
    pub(crate) fn peek(&self, id: Option<&str>) -> Option<(Running, Tab)> {
        let running = self.session.watch_running().borrow().clone()?;
        let supervisor = &running.supervisor;
        let tab = match id {
            Some(id) => supervisor
                .tab(id)
                .or_else(|| self.labels.find(id, supervisor.tabs()))?,
            None => supervisor.current_tab()?,
        };
        Some((running, tab))
    }

    /// The id of the tab with this label, or the given text.
    pub(crate) fn id_of_label(&self, label: &str) -> String {
        let tab = self.labels.find(label, self.session.tabs());
        tab.map_or_else(|| label.to_owned(), |tab| tab.id)
    }

    /// The same for operations that work on a tab whose page cannot answer.
    pub(crate) async fn tab_as_it_is(&self, id: Option<&str>) -> Result<(Running, Tab), Failure> {
        let running = self
            .session
            .running()
            .await
            .map_err(|error| failure::session(&error))?;
        let supervisor = &running.supervisor;
        let tab = match id {
            Some("new") => self.new_tab(&running).await?,
            Some(id) => supervisor
                .tab(id)
                .or_else(|| self.labels.find(id, supervisor.tabs()))
                .ok_or_else(|| no_tab(id, &supervisor.tabs()))?,
            None => match supervisor.current_tab() {
                Some(tab) => tab,
                None => self.new_tab(&running).await?,
            },
        };
        supervisor.use_tab(&tab);
        Ok((running, tab))
    }

    async fn new_tab(&self, running: &Running) -> Result<Tab, Failure> {
        match running.supervisor.open_tab().await {
            Ok(tab) => Ok(tab),
            // Nothing was done, so the next keeper can be asked.
            Err(_) if self.session.is_ending().await => {
                Err(failure::session(&SessionError::Closing))
            }
            Err(error) => Err(failure::tab(&error)),
        }
    }
}

fn no_tab(id: &str, tabs: &[Tab]) -> Failure {
    let open: Vec<&str> = tabs.iter().map(|tab| tab.id.as_str()).collect();
    Failure::new(
        Code::NotFound,
        format!(
            "there is no tab `{}`",
            id.chars().take(40).collect::<String>()
        ),
    )
    .hint(if open.is_empty() {
        "no tab is open; leave out `tab` to open one".to_owned()
    } else {
        format!("open tabs: {}", open.join(", "))
    })
}

/// Tabs as shown to callers, with their current titles.
pub(crate) async fn shown_tabs(keeper: &Keeper) -> Vec<szk_tools::session::Tab> {
    let running = keeper.session.watch_running().borrow().clone();
    if let Some(running) = running {
        running.supervisor.ask_titles().await;
    }
    let mut all = tabs(&keeper.session);
    for tab in &mut all {
        keeper.redactor().cover(&mut tab.url);
        keeper.redactor().cover(&mut tab.title);
    }
    all
}

/// Tabs as the browser reports them.
pub(crate) fn tabs(session: &Session) -> Vec<szk_tools::session::Tab> {
    session
        .tabs()
        .into_iter()
        .map(|tab| szk_tools::session::Tab {
            id: tab.id,
            url: crate::browser::told::address(&tab.page.url),
            title: crate::browser::told::title(&tab.page.title),
        })
        .collect()
}
