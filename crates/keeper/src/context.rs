//! What handlers work with.

use std::collections::BTreeMap;
use std::ops::Deref;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Weak};

use szk_config::{Bounds, OriginPattern};
use szk_page::event_log::EventLog;
use szk_page::{Redactor, Worlds};
use szk_runtime::launch::Mode;
use szk_runtime::session::{EndpointInfo, Running, Session};
use szk_runtime::supervisor::Tab;
use szk_secrets::Secrets;
use szk_tools::{Call, Code, Failure, TabUse};
use szk_wire::Client;
use szk_wire::approvals::{Approvals, Approver};
use szk_wire::events::Happening;
use tokio::sync::{Mutex, watch};

use crate::approval::{CallApprovals, People, Permits};
use crate::audit::Audit;
use crate::browser::{Acting, Emulations, Labels, Polled, Slots, Uncaught, Views};
use crate::clients::Clients;
use crate::events::Feed;
use crate::handoff::{Handoffs, NamedView};
use crate::notices::HeardPositions;
use crate::recipe::Recipes;
use crate::sharing::{SharedTab, Sharing, Visit, tabs};
use crate::workflow::Logins;
use crate::{dialogs, event_log, failure, policy, workflow};

/// The keeper of one session, as one call sees it.
pub(crate) struct Keeper {
    shared: Arc<Shared>,
    /// Who calls, and what the call does to tabs.
    pub(crate) visit: Visit,
    /// Who can approve it.
    pub(crate) approver: Approver,
    /// The origins that the call must not leave; none means that it may.
    within: Option<Arc<[OriginPattern]>>,
    /// What it was asked about, and what was answered.
    pub(crate) asked: CallApprovals,
    /// The live view that its answer names.
    pub(crate) named_view: NamedView,
    /// The tab whose page it works on, once it has one.
    page_of: watch::Sender<Option<Tab>>,
}

/// A keeper that does not outlive its session by being remembered; what it does is no client's call.
#[derive(Clone)]
pub(crate) struct WeakKeeper(Weak<Shared>);

/// What all calls of a session share.
pub(crate) struct Shared {
    pub(crate) session: Session,
    pub(crate) clients: Clients,
    /// Which client has which tab.
    pub(crate) sharing: Sharing,
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
    /// Who did what, for whoever runs this.
    pub(crate) audit: Audit,
    /// Positions in the event log up to which downloads were reported, by client.
    pub(crate) told: HeardPositions,
    /// Tabs whose uncaught errors go to the event log.
    pub(crate) uncaught: Uncaught,
    /// Tabs whose console is taken from time to time.
    pub(crate) polled: Polled,
    /// Prepared answers to what pages ask next.
    pub(crate) slots: Slots,
    /// Pictures are taken one at a time: two at once in a window can hang both.
    pub(crate) camera: Mutex<()>,
    /// Hand-offs to a person.
    pub(crate) handoffs: Handoffs,
    /// Calls that wait for a person's approval.
    pub(crate) approvals: Approvals,
    /// Those about which a person in the live view is asked.
    pub(crate) people: People,
    /// What calls may download.
    pub(crate) permits: Permits,
    /// Secrets by name.
    pub(crate) secrets: Secrets,
    /// Logins in progress.
    pub(crate) logins: Logins,
    /// Recipes that stopped, and the folders they are in.
    pub(crate) recipes: Recipes,
}

impl Deref for Keeper {
    type Target = Shared;

    fn deref(&self) -> &Shared {
        &self.shared
    }
}

impl WeakKeeper {
    /// The keeper, while its session has one.
    pub(crate) fn upgrade(&self) -> Option<Arc<Keeper>> {
        self.0.upgrade().map(Keeper::of_nobody)
    }
}

impl Keeper {
    pub(crate) fn new(session: Session, clients: Clients, secrets: Secrets) -> Arc<Self> {
        let sharing = clients.sharing();
        let event_log = event_log::of(&session);
        workflow::hide_filled(&session, &secrets, event_log.redactor());
        Self::of_nobody(Arc::new(Shared {
            acting: Acting::of(&session),
            audit: Audit::of(&session, event_log.redactor()),
            event_log,
            told: HeardPositions::default(),
            uncaught: Uncaught::default(),
            polled: Polled::default(),
            slots: Slots::default(),
            session,
            events: clients.events(),
            clients,
            sharing,
            visitors: watch::Sender::new(0),
            counting: AtomicBool::new(false),
            worlds: Worlds::default(),
            views: Views::default(),
            labels: Labels::default(),
            emulations: Emulations::default(),
            camera: Mutex::new(()),
            handoffs: Handoffs::default(),
            approvals: Approvals::default(),
            people: People::default(),
            permits: Permits::default(),
            secrets,
            logins: Logins::default(),
            recipes: Recipes::default(),
        }))
    }

    /// The keeper at its own work, or at a person's.
    fn of_nobody(shared: Arc<Shared>) -> Arc<Self> {
        let visit = Visit::of_nobody(&shared.sharing);
        Arc::new(Self {
            shared,
            visit,
            approver: Approver::Nobody,
            within: None,
            asked: CallApprovals::default(),
            named_view: NamedView::default(),
            page_of: watch::Sender::new(None),
        })
    }

    /// The keeper for a call that must not leave these origins.
    pub(crate) fn kept_within(self: Arc<Self>, origins: Option<Vec<OriginPattern>>) -> Arc<Self> {
        let Some(origins) = origins else {
            return self;
        };
        let client = self.visit.client().cloned();
        Arc::new(Self {
            shared: Arc::clone(&self.shared),
            visit: Visit::of(&self.sharing, client, TabUse::Leaves, false),
            approver: self.approver.clone(),
            within: Some(origins.into()),
            asked: CallApprovals::default(),
            named_view: NamedView::default(),
            page_of: watch::Sender::new(None),
        })
    }

    /// The origins that the call must not leave.
    pub(crate) fn within(&self) -> Option<&Arc<[OriginPattern]>> {
        self.within.as_ref()
    }

    /// The keeper as this client sees it, whose calls this one may approve.
    pub(crate) fn for_client(&self, client: Client, approver: Approver) -> Arc<Self> {
        let view = NamedView::default();
        self.with(Some(client), TabUse::Leaves, false, approver, view)
    }

    /// The keeper as one call of the same client sees it.
    pub(crate) fn for_call(&self, call: &Call) -> Arc<Self> {
        let client = self.visit.client().cloned();
        let approver = match call {
            // Its steps: what came before one of them would be done again.
            Call::BrowserBatch(_) => Approver::Nobody,
            _ => self.approver.clone(),
        };
        let (uses, take) = (call.tab_use(), call.input().takes_tab());
        // What a step names, the answer of the whole call may name.
        self.with(client, uses, take, approver, self.named_view.clone())
    }

    /// The keeper for the steps of a call: nobody approves them, because what came before one of them
    /// would be done again.
    pub(crate) fn for_steps(&self) -> Arc<Self> {
        let client = self.visit.client().cloned();
        let view = self.named_view.clone();
        self.with(client, TabUse::Leaves, false, Approver::Nobody, view)
    }

    fn with(
        &self,
        client: Option<Client>,
        uses: TabUse,
        take: bool,
        approver: Approver,
        named_view: NamedView,
    ) -> Arc<Self> {
        Arc::new(Self {
            shared: Arc::clone(&self.shared),
            visit: Visit::of(&self.sharing, client, uses, take),
            approver,
            within: self.within.clone(),
            asked: CallApprovals::default(),
            named_view,
            page_of: watch::Sender::new(None),
        })
    }

    /// What tasks that may outlive the session hold.
    pub(crate) fn weak(&self) -> WeakKeeper {
        WeakKeeper(Arc::downgrade(&self.shared))
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
        let keeper = self.weak();
        let mut count = endpoint.client_count.clone();
        tokio::spawn(async move {
            let mut known = BTreeMap::new();
            loop {
                let now = *count.borrow_and_update();
                let Some(keeper) = keeper.upgrade() else {
                    return;
                };
                keeper.visitors.send_replace(now);
                keeper.tell_of_visitors(&mut known).await;
                drop(keeper);
                if count.changed().await.is_err() {
                    return;
                }
            }
        });
    }

    /// Tells which clients of the endpoint came and left.
    async fn tell_of_visitors(&self, known: &mut BTreeMap<u64, String>) {
        let endpoint = self.session.endpoint().await;
        let here = endpoint.map(|open| open.clients).unwrap_or_default();
        known.retain(|id, client: &mut String| {
            let stays = here.iter().any(|one| one.id == *id);
            if !stays {
                let client = std::mem::take(client);
                self.audit.happened("endpoint_leave", Some(&client), "OK");
                self.events.tell(Happening::ClientLeft { client });
            }
            stays
        });
        for one in here {
            known.entry(one.id).or_insert_with(|| {
                let client = tabs::program(&one);
                self.audit.happened("endpoint_join", Some(&client), "OK");
                self.events.tell(Happening::ClientCame {
                    client: client.clone(),
                });
                client
            });
        }
    }

    /// The browser, and the tab of a call: the one it names, else its client's own.
    pub(crate) async fn tab(&self, id: Option<&str>) -> Result<(Running, Tab), Failure> {
        let (running, tab) = self.tab_to_show(id).await?;
        dialogs::none(&self.event_log, &tab.page.target_id, &tab.id).await?;
        self.page_of.send_replace(Some(tab.clone()));
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

    /// Waits until a dialog that stays open blocks the page that the call works on.
    pub(crate) async fn blocked(&self) -> Failure {
        let mut page_of = self.page_of.subscribe();
        let tab = match page_of.wait_for(Option::is_some).await {
            Ok(tab) => tab.clone(),
            Err(_) => None,
        };
        let Some(tab) = tab else {
            return std::future::pending().await;
        };
        dialogs::held(&self.event_log, &tab.page.target_id).await;
        dialogs::blocked(&self.event_log, &tab)
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

    /// Whether no other client has this tab.
    pub(crate) fn is_free(&self, tab: &Tab) -> bool {
        let open: Vec<SharedTab> = self.session.tabs().iter().map(SharedTab::of).collect();
        self.visit.another(&SharedTab::of(tab), &open).is_none()
    }

    /// The browser and the tab of a call, if both exist now.
    pub(crate) fn peek(&self, id: Option<&str>) -> Option<(Running, Tab)> {
        let running = self.session.watch_running().borrow().clone()?;
        let supervisor = &running.supervisor;
        let tab = match id {
            Some(id) => supervisor
                .tab(id)
                .or_else(|| self.labels.find(id, supervisor.tabs()))?,
            None => {
                let own = self.visit.current();
                let own = own.and_then(|id| supervisor.tab(&id));
                own.or_else(|| supervisor.current_tab().filter(|tab| self.is_free(tab)))?
            }
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
            Some("new") => tabs::open(self, &running).await?,
            Some(id) => supervisor
                .tab(id)
                .or_else(|| self.labels.find(id, supervisor.tabs()))
                .ok_or_else(|| no_tab(id, &supervisor.tabs()))?,
            None => tabs::own(self, &running).await?,
        };
        tabs::turn_to(self, &running, &tab).await?;
        // A page that asks something can be read only once it is answered.
        let target = &tab.page.target_id;
        if dialogs::open(&self.event_log, target).is_none() {
            dialogs::unless_held(&self.event_log, target, self.views.settled(&tab)).await;
        }
        Ok((running, tab))
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
    let mut all = listed(&keeper.session);
    let seen = tabs::seen(keeper).await;
    for tab in &mut all {
        keeper.redactor().cover(&mut tab.url);
        keeper.redactor().cover(&mut tab.title);
        let known = seen.iter().find(|seen| seen.id == tab.id);
        tab.client = known.and_then(|known| keeper.sharing.owner(known, &seen));
    }
    all
}

/// Tabs as the browser reports them.
pub(crate) fn listed(session: &Session) -> Vec<szk_tools::session::Tab> {
    session
        .tabs()
        .into_iter()
        .map(|tab| szk_tools::session::Tab {
            id: tab.id,
            url: crate::browser::page_text::address(&tab.page.url),
            title: crate::browser::page_text::title(&tab.page.title),
            client: None,
        })
        .collect()
}
