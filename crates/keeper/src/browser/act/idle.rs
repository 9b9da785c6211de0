//! Waiting until a tab asks the network for nothing.

use std::time::Duration;

use szk_page::event_log::{Entry, Kind, Query, Statuses, What};
use szk_runtime::supervisor::Tab;
use szk_tools::{Code, Failure};
use tokio::time::Instant;

use crate::browser::shown;
use crate::context::Keeper;

/// How long nothing may be in flight.
const QUIET: Duration = Duration::from_millis(500);
/// Requests that are meant to stay open.
const LASTING: [&str; 3] = ["websocket", "eventsource", "ping"];

/// Waits until no request of the tab has been in flight for a while.
pub(super) async fn network(keeper: &Keeper, tab: &Tab, until: Instant) -> Result<(), Failure> {
    let mut changes = keeper.event_log.changes();
    let mut seen = keeper.event_log.now();
    let mut quiet_since = Instant::now();
    loop {
        changes.borrow_and_update();
        let pending = pending(keeper, tab);
        if pending.is_some() || asked_since(keeper, tab, seen) {
            seen = keeper.event_log.now();
            quiet_since = Instant::now();
        }
        let quiet_at = quiet_since + QUIET;
        if pending.is_none() && Instant::now() >= quiet_at {
            return Ok(());
        }
        let wake = if pending.is_none() {
            quiet_at.min(until)
        } else {
            until
        };
        tokio::select! {
            _ = changes.changed() => {}
            () = tokio::time::sleep_until(wake) => {}
        }
        if Instant::now() >= until {
            return Err(still(pending));
        }
    }
}

/// A request of the tab that is in flight.
fn pending(keeper: &Keeper, tab: &Tab) -> Option<String> {
    let found = keeper.event_log.read(&Query {
        statuses: Some(Statuses::Pending),
        ..of(tab)
    });
    found.entries.iter().rev().find_map(ends)
}

/// Whether a request of the tab began or ended since then.
fn asked_since(keeper: &Keeper, tab: &Tab, seen: u64) -> bool {
    let found = keeper.event_log.read(&Query {
        since: Some(seen),
        ..of(tab)
    });
    found.entries.iter().any(|entry| ends(entry).is_some())
}

fn of(tab: &Tab) -> Query {
    Query {
        kind: Some(Kind::Network),
        tab: Some(tab.id.clone()),
        ..Query::default()
    }
}

/// The address of a request that has an end.
fn ends(entry: &Entry) -> Option<String> {
    match &entry.what {
        What::Network(one) if !LASTING.contains(&one.r#type.to_lowercase().as_str()) => {
            Some(shown(&one.url))
        }
        _ => None,
    }
}

fn still(pending: Option<String>) -> Failure {
    let what = match pending {
        Some(url) => format!("`{url}` is still in flight"),
        None => "requests continue".to_owned(),
    };
    Failure::new(
        Code::Timeout,
        format!("the network did not become idle in time: {what}"),
    )
    .hint("wait for what you need instead: a `selector`, a `text` or a `url`")
    .retryable()
}
