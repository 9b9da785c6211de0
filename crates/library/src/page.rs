//! One tab of a session.

use std::future::pending;
use std::pin::pin;
use std::time::Duration;

use serde_json::Value;
use szk_cdp::SessionId;
use szk_config::{Action, InputPace, Keyboard};
use szk_page::Worlds;
use szk_page::act::{self, Act, Actor, Clicking, Did, NodeRef, Scene, Target};
use szk_page::document::Document;
use szk_page::extract::{self, Listed, Schema};
use szk_page::input::{InputDevice, InputDevices, Layout, Pace, Person};
use szk_page::navigation::{self, Arrival, Awaited, End, Milestone, PendingStart, Started};
use szk_page::snapshot::{Budget, Mode, Options, Stale, View};
use szk_runtime::session::{Running, Session};
use szk_runtime::supervisor::Tab;
use tokio::time::{Instant, timeout};

use crate::PageError;

/// How long each step may take, unless the program says otherwise.
const PATIENCE: Duration = Duration::from_secs(30);

/// A tab, and what was read of it. Its refs are those of its own snapshots.
pub struct Page {
    session: Session,
    tab: String,
    patience: Duration,
    view: View,
    worlds: Worlds,
    acting: act::Worlds,
    devices: InputDevices,
    person: Person,
    pace: Pace,
    layout: Layout,
}

/// A document that has been loaded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Loaded {
    /// Its address, after redirects.
    pub url: String,
    /// Its title.
    pub title: String,
    /// The HTTP status, where there was a request.
    pub status: Option<u16>,
}

impl std::fmt::Debug for Page {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Page")
            .field("tab", &self.tab)
            .finish_non_exhaustive()
    }
}

impl Page {
    /// The session's first tab.
    ///
    /// # Errors
    /// [`PageError::Closed`] if it has none.
    pub fn current(session: &Session) -> Result<Self, PageError> {
        let tabs = session.tabs();
        let tab = tabs.first().ok_or(PageError::Closed)?;
        Ok(Self::of(session, tab))
    }

    /// A new tab.
    ///
    /// # Errors
    /// [`PageError::Session`], [`PageError::Closed`] if the browser does not open one.
    pub async fn open(session: &Session) -> Result<Self, PageError> {
        let running = session.running().await?;
        let tab = running.supervisor.open_tab().await;
        let tab = tab.map_err(|_| PageError::Closed)?;
        Ok(Self::of(session, &tab))
    }

    fn of(session: &Session, tab: &Tab) -> Self {
        let settings = &session.resolved().settings.session;
        Self {
            session: session.clone(),
            tab: tab.id.clone(),
            patience: PATIENCE,
            view: View::default(),
            worlds: Worlds::default(),
            acting: act::Worlds::default(),
            devices: InputDevices::default(),
            person: Person::of(session.meta().seed),
            pace: match settings.input {
                InputPace::Fast => Pace::Fast,
                InputPace::Human => Pace::Human,
            },
            layout: match settings.keyboard {
                Keyboard::Us => Layout::Us,
                Keyboard::Uk => Layout::Uk,
                Keyboard::De => Layout::De,
                Keyboard::Fr => Layout::Fr,
            },
        }
    }

    /// Sets how long each step may take.
    pub fn set_patience(&mut self, patience: Duration) {
        self.patience = patience;
    }

    /// Goes to an address and waits for its `load` event.
    ///
    /// # Errors
    /// [`PageError`].
    pub async fn navigate(&mut self, url: &str) -> Result<Loaded, PageError> {
        self.session.bounds().check(Action::Visit(url))?;
        let patience = self.patience;
        let loaded = timeout(patience, self.go(url)).await;
        loaded.unwrap_or(Err(PageError::Late))
    }

    async fn go(&self, url: &str) -> Result<Loaded, PageError> {
        let (running, tab) = self.as_it_is().await?;
        let page = view(&running, &tab);
        let not_loaded = |why: String| PageError::NotLoaded {
            url: url.to_owned(),
            why,
        };
        let mut arrival = Arrival::watch(&self.worlds, &page, Milestone::Load, ());
        let mut starting = PendingStart::new(&page);
        self.session.stores_back().await;
        starting.arm();
        let started = navigation::start(&page, url).await;
        starting.disarm();
        match started? {
            Started::Document(loader) => {
                let document = Awaited {
                    loader,
                    committed: false,
                };
                if arrival.reached(document, pin!(pending())).await? == End::Stopped {
                    return Err(not_loaded("it was stopped".to_owned()));
                }
            }
            Started::Within => {}
            Started::Download => return Err(not_loaded("it is a download".to_owned())),
            Started::Failed(text) => return Err(not_loaded(text)),
            Started::Nothing | Started::Lost => {
                return Err(not_loaded("the server sent no document".to_owned()));
            }
        }
        let status = arrival.end().status;
        let document = Document::read(&self.worlds, &page).await?;
        running.supervisor.saw(&tab, &document.url, &document.title);
        Ok(Loaded {
            status: status.or(document.status()),
            url: document.url,
            title: document.title,
        })
    }

    /// Reads the page as a tree of its elements; those that can be acted on have refs such as `e5`.
    ///
    /// # Errors
    /// [`PageError`].
    pub async fn snapshot(&mut self, mode: Mode) -> Result<String, PageError> {
        let page = self.page().await?;
        let options = Options {
            mode,
            ..Options::default()
        };
        let all = Budget {
            lines: usize::MAX,
            bytes: usize::MAX,
        };
        let reading = self.view.read(&page, &options, all);
        let read = timeout(self.patience, reading).await;
        Ok(read.map_err(|_| PageError::Late)??.text)
    }

    /// Acts on an element, which is a ref of the last snapshot or a CSS selector, and waits for what that
    /// causes. Some acts need no element.
    ///
    /// # Errors
    /// [`PageError`].
    pub async fn act(&mut self, act: Act, target: Option<&str>) -> Result<Did, PageError> {
        let deadline = Instant::now() + self.patience;
        let (running, tab) = self.working().await?;
        if let Act::Upload(paths) = &act {
            let bounds = self.session.bounds();
            paths
                .iter()
                .try_for_each(|path| bounds.check(Action::Read(path)))?;
        }
        let target = match target {
            Some(target) => Some(self.target(&running, &tab, target).await?),
            None => None,
        };
        let supervisor = &running.supervisor;
        let sessions = |frame: &str| supervisor.page_session(frame);
        let frames = || -> Vec<SessionId> {
            let targets = supervisor.targets().into_iter();
            let frames = targets.filter(|target| target.kind == "iframe");
            frames.map(|target| target.session).collect()
        };
        let scene = Scene {
            connection: supervisor.connection(),
            session: &tab.page.session,
            target_id: &tab.page.target_id,
            worlds: &self.acting,
            sessions: &sessions,
            frames: &frames,
        };
        let mut device = InputDevice::new(
            supervisor.connection().clone(),
            tab.page.session.clone(),
            self.devices.take(&tab.page.target_id).await,
            self.person.clone(),
            self.pace,
            self.layout,
        )
        .on(running.chromium.screen());
        let done = Actor::perform(
            scene,
            &mut device,
            act,
            target,
            deadline,
            Box::pin(pending()),
        );
        Ok(done.await?)
    }

    /// Clicks an element.
    ///
    /// # Errors
    /// [`PageError`].
    pub async fn click(&mut self, target: &str) -> Result<Did, PageError> {
        let act = Act::Click(Clicking::default());
        self.act(act, Some(target)).await
    }

    /// Makes a field contain this text.
    ///
    /// # Errors
    /// [`PageError`].
    pub async fn fill(&mut self, target: &str, text: &str) -> Result<Did, PageError> {
        let act = Act::Fill(text.to_owned());
        self.act(act, Some(target)).await
    }

    /// The visible text.
    ///
    /// # Errors
    /// [`PageError`].
    pub async fn text(&mut self) -> Result<String, PageError> {
        let page = self.page().await?;
        let reading = extract::text(&mut self.view, &page, None);
        let read = timeout(self.patience, reading).await;
        Ok(read.map_err(|_| PageError::Late)??.text)
    }

    /// What is shown, as Markdown.
    ///
    /// # Errors
    /// [`PageError`].
    pub async fn markdown(&mut self) -> Result<String, PageError> {
        let page = self.page().await?;
        let reading = extract::html(&mut self.view, &page, None);
        let read = timeout(self.patience, reading).await;
        Ok(extract::markdown(&read.map_err(|_| PageError::Late)??.text))
    }

    /// Links, images, forms or tables.
    ///
    /// # Errors
    /// [`PageError`].
    pub async fn list(&mut self, what: Listed) -> Result<Vec<Value>, PageError> {
        let page = self.page().await?;
        let reading = extract::list(&mut self.view, &page, None, what);
        let read = timeout(self.patience, reading).await;
        Ok(read.map_err(|_| PageError::Late)??)
    }

    /// Records by a schema, such as `{"type": "array", "items": {"properties": {"title": {"type":
    /// "string"}}}}`; `items` is a selector for the part that repeats, which is looked for otherwise.
    ///
    /// # Errors
    /// [`PageError`].
    pub async fn records(
        &mut self,
        schema: &Value,
        items: Option<&str>,
    ) -> Result<Vec<Value>, PageError> {
        let schema = Schema::read(schema)?;
        let page = self.page().await?;
        let reading = extract::records(&mut self.view, &page, None, &schema, items);
        let read = timeout(self.patience, reading).await;
        Ok(read.map_err(|_| PageError::Late)??.records)
    }

    /// Closes the tab.
    ///
    /// # Errors
    /// [`PageError`].
    pub async fn close(self) -> Result<(), PageError> {
        let (running, tab) = self.as_it_is().await?;
        Ok(running.supervisor.close_tab(&tab).await?)
    }

    async fn target(
        &mut self,
        running: &Running,
        tab: &Tab,
        named: &str,
    ) -> Result<Target, PageError> {
        let digits = named.strip_prefix('e').unwrap_or_default();
        if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
            return Ok(Target::Selector(named.to_owned()));
        }
        let node = match self.view.resolve(named).await {
            // A framework may have put the same thing there again.
            Err(Stale::Gone { .. }) => {
                self.view.look_again(&view(running, tab)).await?;
                self.view.resolve(named).await?
            }
            found => found?,
        };
        Ok(Target::Ref(NodeRef {
            session: node.session,
            frame: node.frame,
            backend_node_id: node.backend_node_id,
            words: None,
        }))
    }

    async fn page(&self) -> Result<szk_page::Page, PageError> {
        let (running, tab) = self.working().await?;
        Ok(view(&running, &tab))
    }

    /// The tab, where anything may be done.
    async fn working(&self) -> Result<(Running, Tab), PageError> {
        let (running, tab) = self.as_it_is().await?;
        self.session.bounds().check(Action::Work(&tab.page.url))?;
        Ok((running, tab))
    }

    /// The tab, wherever it is.
    async fn as_it_is(&self) -> Result<(Running, Tab), PageError> {
        let running = self.session.running().await?;
        let tab = running.supervisor.tab(&self.tab);
        Ok((running, tab.ok_or(PageError::Closed)?))
    }
}

/// A tab's page, with its frames in other processes.
fn view(running: &Running, tab: &Tab) -> szk_page::Page {
    let supervisor = running.supervisor.clone();
    szk_page::Page::new(
        supervisor.connection().clone(),
        tab.page.session.clone(),
        tab.page.target_id.clone(),
        move |frame| supervisor.page_session(frame),
    )
}
