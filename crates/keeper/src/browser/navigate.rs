//! `browser_navigate`.

mod address;
mod document;
mod going;
mod leaving;
mod refused;

use std::sync::Arc;

use szk_page::Page;
use szk_page::event_log::{Kind, Query, What};
use szk_page::navigation::Arrived;
use szk_runtime::supervisor::Tab;
use szk_tools::browser::{Navigate, NavigateInput, NavigateOutput};
use szk_tools::{Code, Done, Failure, Response};

pub(crate) use self::address::complete;
use self::going::{Outcome, Target, go};
use self::leaving::{Stuck, stuck};
use self::refused::HTTP_ERROR;
pub(crate) use self::refused::failed;
use super::seen::{Settling, seen};
use super::{shown, told, view};
use crate::approval::{self, Watching};
use crate::context::Keeper;
use crate::{acts, failure, policy, recipe};

/// The address that a caller means, where a page may be sent there.
///
/// # Errors
/// `INVALID_INPUT` for what is not an address, `POLICY_DENIED`.
pub(super) fn address(keeper: &Keeper, given: &str) -> Result<String, Failure> {
    let url = complete(given)?;
    policy::visit(keeper.bounds(), &url)?;
    Ok(url)
}

pub(crate) async fn navigate(
    keeper: &Arc<Keeper>,
    input: &NavigateInput,
) -> Result<Response, Failure> {
    let began = tokio::time::Instant::now();
    let target = match (&input.url, input.history) {
        (Some(url), None) => Target::Url(address(keeper, url)?),
        (None, Some(history)) => Target::History(history),
        (Some(_), Some(_)) => {
            return Err(
                Failure::invalid("give `url` or `history`, not both").about(["url", "history"])
            );
        }
        (None, None) => {
            return Err(Failure::invalid("`url` is missing")
                .about(["url"])
                .hint("or move with `history`: back, forward or reload"));
        }
    };
    // From wherever it is: this is the way out of a page that may not be.
    let (running, mut tab) = keeper.tab_as_it_is(input.tab.as_deref()).await?;
    let mut page = view::page(&running, &tab);
    approval::ready(keeper, &running.supervisor).await?;
    {
        let _own = keeper.recipes.recorder.working(Some(&tab.id));
        let acting = &keeper.acting;
        acting.leave(&running, &tab, &page, &keeper.worlds).await;
        keeper.polled.latest(&keeper.session).await;
    }
    let watching = Watching::begin(keeper, &running.supervisor, &tab);
    let since = keeper.event_log.now();
    let wait = input.wait.unwrap_or_default();
    let went = tokio::select! {
        biased;
        outcome = go(keeper, &page, &tab, &target, wait) => Ok(outcome),
        why = stuck(keeper, &page) => Err(why),
    };
    if let Ok(outcome) = &went {
        let files = match outcome {
            Ok(Outcome::Download) => downloads(keeper, &tab, since),
            _ => Vec::new(),
        };
        watching.end(files).await?;
    }
    let replaced = went.as_ref().err().copied();
    let outcome = match (went, target) {
        (Ok(outcome), _) => outcome?,
        (Err(why), Target::History(_)) => return Err(does_not_let_go(&tab, why)),
        (Err(_), target) => {
            tracing::warn!(tab = tab.id, "its page cannot be left; replacing the tab");
            let another = running.supervisor.replace_tab(&tab).await;
            tab = another.map_err(|error| failure::tab(&error))?;
            page = view::page(&running, &tab);
            go(keeper, &page, &tab, &target, wait).await?
        }
    };
    // How a tab came to be where it is, if no document was loaded.
    let (how, arrived) = match outcome {
        Outcome::Loaded(arrived) => (None, arrived),
        Outcome::Within => (Some("in the same document"), Arrived::default()),
        Outcome::Restored => (Some("as it was left"), Arrived::default()),
        Outcome::Download => (
            Some("as before: the address is a download"),
            Arrived::default(),
        ),
        Outcome::Unreachable(url) => {
            let text = error_text(keeper, &page).await;
            return Err(failed(&url, &text));
        }
    };
    let broke_off = arrived.broke_off.clone();
    let mut document = document::read_or_known(keeper, &running, &tab, arrived)
        .await
        .map_err(|error| {
            failure::cdp(
                "the page was loaded, but could not be read",
                &error,
                Done::Done,
            )
        })?;
    {
        let shared = keeper.views.of(&running, &tab);
        let mut view = shared.lock().await;
        view.announce();
        view.entitled(&document.title);
    }
    let attached = seen(keeper, &running, &tab, input.snapshot, Settling::LOADED).await;
    // The page may have gone on since, as some do by themselves: the answer is about one document.
    if attached
        .url
        .as_ref()
        .is_some_and(|url| *url != told::address(&document.url))
    {
        let now = document::read_or_known(keeper, &running, &tab, Arrived::default()).await;
        document = now.unwrap_or(document);
    }
    let output = NavigateOutput {
        session: keeper.session.name().to_string(),
        tab: tab.id,
        status: document.status().filter(|_| how.is_none()),
        url: told::address(&document.url),
        title: told::title(&document.title),
        loaded: how.is_none(),
        snapshot: attached.data,
    };
    // A move in the history led to an address: whoever repeats it has another history.
    let asked = input.url.as_ref().unwrap_or(&output.url);
    acts::navigated(keeper, &output.tab, asked, &output.url, began);
    let recipes = recipe::named(keeper, &output.url).await;
    let status = output
        .status
        .map(|status| format!(" (status {status})"))
        .unwrap_or_default();
    let mut how = how.map(|how| format!(", {how}")).unwrap_or_default();
    if let Some(why) = replaced {
        let reason = why.reason();
        how.push_str(&format!(", in a new tab with the same id: the old page showed {reason} and could not be left; its history and sessionStorage are lost"));
    }
    if let Some(text) = broke_off {
        how.push_str(&format!(
            "; the document broke off: {}",
            szk_text::line(&text, 100)
        ));
    }
    let summary = format!(
        "{} is at {}{status}{how}{}{recipes}{}",
        output.tab,
        shown(&output.url),
        told::title_below(&output.title),
        attached.lines
    );
    Response::of::<Navigate>(summary, &output)
}

/// Names of the files that the tab began to download.
fn downloads(keeper: &Keeper, tab: &Tab, since: u64) -> Vec<String> {
    let query = Query {
        kind: Some(Kind::Downloads),
        since: Some(since),
        ..Query::default()
    };
    let entries = keeper.event_log.read(&query).entries.into_iter();
    let own = entries.filter(|entry| entry.tab.as_deref().is_none_or(|id| id == tab.id));
    own.filter_map(|entry| match entry.what {
        What::Download(download) => Some(download.name),
        _ => None,
    })
    .collect()
}

/// The page keeps a move in the history from its end.
fn does_not_let_go(tab: &Tab, why: Stuck) -> Failure {
    let (id, reason) = (&tab.id, why.reason());
    let message = format!("the page in {id} shows {reason} and cannot be left by its history");
    Failure::new(Code::SessionBusy, message)
        .hint("give a `url`: szk then replaces the tab")
        .effect(Done::Unknown)
}

/// What the browser's own page says of a load that failed, as in `net::ERR_CONNECTION_REFUSED`.
pub(super) async fn error_text(keeper: &Keeper, page: &Page) -> String {
    let code = szk_page::document::error_code(&keeper.worlds, page);
    match tokio::time::timeout(document::PATIENCE, code).await {
        Ok(Ok(Some(code))) if code.starts_with("ERR_") => format!("net::{code}"),
        Ok(Ok(Some(code))) => code,
        _ => szk_page::document::UNKNOWN_ERROR.to_owned(),
    }
}

/// The status of an answer without content, if that is why the browser shows its own page.
pub(crate) async fn empty_status(keeper: &Keeper, page: &Page) -> Option<u16> {
    let text = error_text(keeper, page).await;
    text.strip_prefix(HTTP_ERROR)?.parse().ok()
}

#[cfg(test)]
mod tests;
