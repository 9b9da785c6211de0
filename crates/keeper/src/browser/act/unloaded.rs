//! Acts in a tab that shows the browser's own page, because what it went to did not load.

use szk_page::act::ActError;
use szk_page::document;
use szk_runtime::session::Running;
use szk_runtime::supervisor::Tab;
use szk_tools::Failure;
use tokio::time::Instant;

use crate::browser::{navigate, view};
use crate::context::Keeper;

/// What to do once the reason is gone.
const AGAIN: &str = "go there again with `browser_navigate`";

/// What an act has not found, or not seen come, if that is why it failed.
pub(super) fn lacks(error: &ActError) -> Option<String> {
    match error {
        ActError::NotFound { .. } => Some(error.to_string()),
        ActError::Timeout { missed, ms, .. } => Some(format!("{missed} within {ms} ms")),
        _ => None,
    }
}

/// The failure of an act that `lacks` something, which says why the tab shows the browser's own page, if it
/// does. Chromium may load such a page again by itself, so waits are not cut short.
pub(super) async fn explained(
    keeper: &Keeper,
    running: &Running,
    tab: &Tab,
    lacks: Option<String>,
    failure: Failure,
    end: Instant,
) -> Failure {
    let (Some(lacks), Some(unreachable)) = (lacks, running.supervisor.unreachable(tab)) else {
        return failure;
    };
    let reason = if let Some(reason) = unreachable.reason {
        reason
    } else {
        let page = view::page(running, tab);
        let reason = tokio::time::timeout_at(end, navigate::error_text(keeper, &page)).await;
        reason.unwrap_or_else(|_| document::UNKNOWN_ERROR.to_owned())
    };
    because(&lacks, failure, navigate::failed(&unreachable.url, &reason))
}

/// `cause` is the failure of going where the tab was to be.
fn because(lacks: &str, failure: Failure, cause: Failure) -> Failure {
    let message = format!(
        "{lacks}: the tab shows the browser's error page, because {}",
        cause.message
    );
    let hint = match cause.hint {
        Some(hint) if hint.ends_with('?') => format!("{hint} {AGAIN}"),
        Some(hint) => format!("{hint}; {AGAIN}"),
        None => AGAIN.to_owned(),
    };
    Failure { message, ..failure }.hint(hint)
}

#[cfg(test)]
mod tests {
    use szk_tools::Code;

    use super::*;

    #[test]
    fn what_is_lacking_is_told_with_the_reason_that_the_page_did_not_load() {
        let late = ActError::Timeout {
            missed: "`#a` did not appear".to_owned(),
            ms: 700,
            url: "chrome-error://chromewebdata/".to_owned(),
        };
        let lacks = lacks(&late).unwrap();
        let cause = navigate::failed("http://a.test/", "net::ERR_CONNECTION_REFUSED");
        let failure = because(&lacks, Failure::new(Code::Timeout, "late"), cause);
        assert_eq!(
            failure.message,
            "`#a` did not appear within 700 ms: the tab shows the browser's error page, because `http://a.test/` did not load: net::ERR_CONNECTION_REFUSED"
        );
        assert_eq!(
            failure.hint.as_deref(),
            Some(
                "nothing listens there: is the server running? go there again with `browser_navigate`"
            )
        );
        assert_eq!(failure.code, Code::Timeout);
        assert_eq!(super::lacks(&ActError::Stale), None);
    }
}
