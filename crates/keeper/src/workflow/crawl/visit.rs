//! A tab of a crawl, and what is read in it. It stays on the site: the browser stops what leads elsewhere.

use std::sync::Arc;
use std::time::Duration;

use szk_page::crawl::{self, Leads};
use szk_page::document;
use szk_runtime::session::Running;
use szk_runtime::supervisor::Fence;
use szk_tools::browser::{NavigateInput, NavigateOutput};
use szk_tools::{Code, Done, Failure};
use url::Url;

use super::address::Site;
use super::output::Line;
use crate::browser::{Content, content, empty_status, navigate, page, shown, told};
use crate::context::Keeper;
use crate::failure;
use crate::sharing::tabs;
use crate::workflow::own_tab::OwnTab;

/// How long a page must not have changed before it is read, and how long that may take, in milliseconds.
const REST: (u32, u32) = (200, 2_000);
/// Longest time for a page.
const PATIENCE: Duration = Duration::from_secs(30);

pub(super) struct CrawlTab {
    pub(super) keeper: Arc<Keeper>,
    own: OwnTab,
    origins: Arc<[szk_config::OriginPattern]>,
    /// Stands until the next page's: a page may want to leave later.
    fence: Option<Fence>,
}

/// A page that was read, or the reason why not.
pub(super) struct Visited {
    pub(super) line: Line,
}

/// A document that was reached.
pub(super) struct Reached {
    pub(super) status: Option<u16>,
    pub(super) leads: Leads,
}

/// Why no document was reached.
pub(super) enum Unreached {
    /// The site has none there: the address leads to another site or to a download.
    Elsewhere(Failure),
    /// The site answered with this status and no content.
    Empty(u16, Failure),
    /// Anything else.
    Failed(Failure),
}

impl From<Failure> for Unreached {
    fn from(failure: Failure) -> Self {
        Self::Failed(failure)
    }
}

impl From<Unreached> for Failure {
    fn from(unreached: Unreached) -> Self {
        match unreached {
            Unreached::Elsewhere(failure)
            | Unreached::Empty(_, failure)
            | Unreached::Failed(failure) => failure,
        }
    }
}

impl CrawlTab {
    pub(super) async fn open(
        keeper: &Arc<Keeper>,
        running: &Running,
        site: &Site,
    ) -> Result<Self, Failure> {
        let origins = site.origins()?.into();
        let watched = running.supervisor.watch_documents().await;
        watched.map_err(|error| {
            failure::cdp("cannot keep the crawl on its site", &error, Done::None)
        })?;
        let tab = tabs::open_apart(keeper, running).await?;
        Ok(Self {
            keeper: Arc::clone(keeper),
            own: OwnTab::new(keeper, running.clone(), tab),
            origins,
            fence: None,
        })
    }

    /// Goes to an address of the site and reads what it is.
    pub(super) async fn reach(&mut self, url: &Url) -> Result<Reached, Unreached> {
        let (running, tab) = self.keeper.tab_as_it_is(Some(&self.own.tab.id)).await?;
        (self.own.running, self.own.tab) = (running, tab);
        let fence = self
            .own
            .running
            .supervisor
            .fence_within(&self.own.tab, Arc::clone(&self.origins));
        let there = NavigateInput {
            tab: Some(self.own.tab.id.clone()),
            url: Some(url.to_string()),
            ..NavigateInput::default()
        };
        let went = tokio::time::timeout(PATIENCE, navigate(&self.keeper, &there)).await;
        let stopped = fence
            .stopped()
            .into_iter()
            .find(|to| to.starts_with("http"));
        self.fence = Some(fence);
        if let Some(to) = stopped {
            let to = told::address(&to);
            let message = format!("it leads to `{to}`, which is not on the site");
            let failure = Failure::new(Code::NavigationFailed, message);
            return Err(Unreached::Elsewhere(failure));
        }
        let answer = match went {
            Ok(Ok(answer)) => answer,
            Ok(Err(failure)) => return Err(self.unreached(failure).await),
            Err(_) => {
                let seconds = PATIENCE.as_secs();
                let message = format!("it did not load within {seconds} s");
                return Err(Failure::new(Code::NavigationFailed, message).into());
            }
        };
        let arrived: NavigateOutput = serde_json::from_value(answer.data)
            .map_err(|error| Failure::internal(error.to_string()))?;
        if !arrived.loaded {
            let message = "it is a download, not a page";
            let failure = Failure::new(Code::NavigationFailed, message);
            return Err(Unreached::Elsewhere(failure));
        }
        (self.own.running, self.own.tab) = self.keeper.tab(Some(&self.own.tab.id)).await?;
        let page = page(&self.own.running, &self.own.tab);
        // A page that never rests is read as it is.
        let _ = document::rest(&self.keeper.worlds, &page, REST.0, REST.1).await;
        let leads = crawl::leads(&self.keeper.worlds, &page).await;
        let leads =
            leads.map_err(|error| failure::cdp("cannot read the page", &error, Done::None))?;
        Ok(Reached {
            status: arrived.status,
            leads,
        })
    }

    /// Why a navigation failed.
    async fn unreached(&self, failure: Failure) -> Unreached {
        if failure.code != Code::NavigationFailed {
            return failure.into();
        }
        let page = page(&self.own.running, &self.own.tab);
        match empty_status(&self.keeper, &page).await {
            Some(status) => Unreached::Empty(status, failure),
            None => failure.into(),
        }
    }

    /// Reads a packed sitemap without going there, which would only download it.
    pub(super) async fn unpack(&self, url: &Url) -> Result<Option<Leads>, Failure> {
        let (running, tab) = self.keeper.tab_as_it_is(Some(&self.own.tab.id)).await?;
        let page = page(&running, &tab);
        let read = crawl::unpacked(&self.keeper.worlds, &page, url.as_str());
        let read = tokio::time::timeout(PATIENCE, read).await;
        match read {
            Ok(read) => {
                read.map_err(|error| failure::cdp("cannot read the sitemap", &error, Done::None))
            }
            Err(_) => Ok(None),
        }
    }

    /// Reads a page.
    ///
    /// # Errors
    /// What is not the page's fault: the session ends, or the browser is gone.
    pub(super) async fn visit(&mut self, url: &Url, wanted: &Content) -> Result<Visited, Failure> {
        let mut line = Line {
            url: url.to_string(),
            ..Line::default()
        };
        if let Err(failure) = self.read(url, wanted, &mut line).await {
            let ours = matches!(
                failure.code,
                Code::BrowserCrashed | Code::SessionNotFound | Code::ProfileUnusable
            );
            if ours || self.keeper.session.is_ending().await {
                return Err(failure);
            }
            line.error = Some(szk_text::line(&failure.message, 500));
        }
        Ok(Visited { line })
    }

    async fn read(&mut self, url: &Url, wanted: &Content, line: &mut Line) -> Result<(), Failure> {
        let reached = self.reach(url).await?;
        let leads = reached.leads;
        line.url = leads.url;
        line.status = reached.status;
        let is_page = leads.kind.contains("html");
        line.content_type = (!leads.kind.is_empty()).then_some(leads.kind);
        if let Some(status) = line.status.filter(|status| *status >= 400) {
            return Err(Failure::new(
                Code::NavigationFailed,
                format!("the site answered with status {status}"),
            ));
        }
        if !is_page {
            let kind = szk_text::line(line.content_type.as_deref().unwrap_or("unknown"), 80);
            return Err(Failure::new(
                Code::NavigationFailed,
                format!("it is not a page: {kind}"),
            ));
        }
        let (running, tab) = (self.own.running.clone(), self.own.tab.clone());
        let shared = self.keeper.views.of(&running, &tab);
        let mut view = shared.lock().await;
        // The current tab: the known one is from before the navigation.
        let tab = running.supervisor.tab(&tab.id).unwrap_or(tab);
        let got = content(&mut view, &page(&running, &tab), &tab, None, wanted).await?;
        line.title = told::title(if got.title.is_empty() {
            &tab.page.title
        } else {
            &got.title
        });
        (line.markdown, line.records) = (got.text, got.entries);
        line.links = leads.links;
        tracing::debug!(url = shown(&line.url), "crawled");
        Ok(())
    }

    pub(super) async fn close(mut self) {
        self.own.close().await;
    }
}
