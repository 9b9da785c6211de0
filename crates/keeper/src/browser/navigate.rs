//! `browser_navigate`.

mod address;
mod arrival;
mod going;
mod history;
mod leaving;
mod refused;

use std::sync::Arc;

use szk_cdp::Connection;
use szk_runtime::supervisor::Tab;
use szk_tools::browser::{Navigate, NavigateInput, NavigateOutput};
use szk_tools::{Code, Done, Failure, Response};

use self::address::complete;
use self::going::{Arrival, Target, go};
use self::leaving::{Stuck, stuck};
use self::refused::failed;
use super::document::{self, Ahead};
use super::seen::{Rest, seen};
use super::{shown, told};
use crate::context::Keeper;
use crate::{failure, policy};

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
    let target = match (&input.url, input.history) {
        (Some(url), None) => Target::Url(address(keeper, url)?),
        (None, Some(history)) => Target::History(history),
        (Some(_), Some(_)) => return Err(Failure::invalid("give `url` or `history`, not both")),
        (None, None) => {
            return Err(Failure::invalid("`url` is missing")
                .hint("or move with `history`: back, forward or reload"));
        }
    };
    // From wherever it is: this is the way out of a page that may not be.
    let (running, mut tab) = keeper.tab_as_it_is(input.tab.as_deref()).await?;
    let connection = running.supervisor.connection();
    let wait = input.wait.unwrap_or_default();
    let went = tokio::select! {
        biased;
        arrival = go(keeper, connection, &tab, &target, wait) => Ok(arrival?),
        why = stuck(keeper, connection, &tab) => Err(why),
    };
    let replaced = went.as_ref().err().copied();
    let arrival = match (went, target) {
        (Ok(arrival), _) => arrival,
        (Err(why), Target::History(_)) => return Err(does_not_let_go(&tab, why)),
        (Err(_), target) => {
            tracing::warn!(tab = tab.id, "its page cannot be left; replacing the tab");
            let another = running.supervisor.replace_tab(&tab).await;
            tab = another.map_err(|error| failure::tab(&error))?;
            go(keeper, connection, &tab, &target, wait).await?
        }
    };
    // How a tab came to be where it is, if no document was loaded.
    let (how, ahead) = match arrival {
        Arrival::Loaded(ahead) => (None, ahead),
        Arrival::Within => (Some("in the same document"), Ahead::new()),
        Arrival::Restored => (Some("from the back/forward cache"), Ahead::new()),
        Arrival::Download => (Some("unchanged: the address is a download"), Ahead::new()),
        Arrival::Unreachable(url) => {
            let text = error_code(keeper, connection, &tab).await;
            return Err(failed(&url, &text));
        }
    };
    let page = document::read_or_known(keeper, &running, &tab, ahead)
        .await
        .map_err(|error| {
            failure::cdp(
                "the page was loaded, but could not be read",
                &error,
                Done::Done,
            )
        })?;
    let sight = seen(keeper, &running, &tab, input.snapshot, Rest::LOADED).await;
    let output = NavigateOutput {
        session: keeper.session.name().to_string(),
        tab: tab.id,
        status: page.status().filter(|_| how.is_none()),
        url: told::address(&page.url),
        title: told::title(&page.title),
        loaded: how.is_none(),
        snapshot: sight.seen,
    };
    let status = output
        .status
        .map(|status| format!(" (status {status})"))
        .unwrap_or_default();
    let mut how = how.map(|how| format!(", {how}")).unwrap_or_default();
    if let Some(why) = replaced {
        let reason = why.reason();
        how.push_str(&format!(", in a new tab with the same id: the old page showed {reason} and could not be left; its history and sessionStorage are lost"));
    }
    let summary = format!(
        "{} is at {}{status}{how}\ntitle: {}{}",
        output.tab,
        shown(&output.url),
        told::title_line(&output.title),
        sight.lines
    );
    Response::of::<Navigate>(summary, &output)
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
async fn error_code(keeper: &Keeper, connection: &Connection, tab: &Tab) -> String {
    const READ: &str =
        "function () { return document.querySelector('.error-code')?.textContent ?? '' }";
    let read = keeper.worlds.call(connection, tab, READ, &[]);
    let code = match tokio::time::timeout(document::PATIENCE, read).await {
        Ok(Ok(evaluated)) => evaluated.result.read::<String>().ok(),
        _ => None,
    };
    match code {
        Some(code) if code.starts_with("ERR_") => format!("net::{code}"),
        _ => "the browser shows an error page".to_owned(),
    }
}
