//! Closes the session when no one needs it any more.

use std::sync::Arc;
use std::time::{Duration, Instant};

use szk_runtime::session::Why;

use crate::context::Keeper;

/// How long an ephemeral clone outlives its last client, which may be about to come back.
const ALONE: Duration = Duration::from_millis(500);
/// How long one without any client so far stays open: whoever asked for it went away meanwhile.
const UNCLAIMED: Duration = Duration::from_secs(60);

/// Closes the session once it has been idle for the configured time, and an ephemeral clone once its
/// last client has left. Clients of the endpoint count.
pub(crate) async fn watch(keeper: Arc<Keeper>) {
    let ephemeral = keeper.session.meta().ephemeral;
    let linger = keeper.session.linger();
    let mut changes = keeper.clients.changes();
    let mut visitors = keeper.visitors.subscribe();
    let mut ever_visited = false;
    // When the last client of the endpoint left.
    let mut visited = Instant::now();
    loop {
        let here = *visitors.borrow_and_update();
        changes.borrow_and_update();
        if here > 0 {
            ever_visited = true;
            visited = Instant::now();
        }
        let quiet = keeper
            .clients
            .quiet_since()
            .filter(|_| here == 0)
            .map(|since| since.max(visited));
        let alone = ephemeral && (keeper.clients.ever() || ever_visited);
        let limit = if alone {
            Some((ALONE, Why::Alone))
        } else if ephemeral {
            Some((UNCLAIMED, Why::Alone))
        } else {
            linger.map(|linger| (linger, Why::Idle))
        };
        let end = quiet.zip(limit);
        // Ends when a client comes or goes, the session closes, or the time is up.
        tokio::select! {
            changed = changes.changed() => if changed.is_err() { return },
            changed = visitors.changed() => if changed.is_err() { return },
            _ = keeper.session.closed() => return,
            why = up(end) => {
                keeper.session.close(true, why).await;
                return;
            }
        }
    }
}

/// Waits until the time is up; for ever if there is no limit.
async fn up(end: Option<(Instant, (Duration, Why))>) -> Why {
    match end {
        Some((since, (limit, why))) => {
            tokio::time::sleep_until((since + limit).into()).await;
            why
        }
        None => std::future::pending().await,
    }
}
