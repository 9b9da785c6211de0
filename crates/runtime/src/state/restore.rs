//! Writing localStorage and databases of any origin, without asking its server.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use futures_util::future::join_all;
use serde::{Deserialize, Serialize};
use szk_cdp::{CallError, Connection};

use super::capture::{CaptureOptions, OriginStorage, Said, capture_origin_with};
use super::hidden::{HiddenTab, VisitError};
use super::policy::Policy;
use super::schema::{Database, Item, OriginState};
use super::warning::Warning;
use super::world;

const FUNCTION: &str = concat!(
    "async function (text) { const codec = (",
    include_str!("codec.js"),
    ")(); return (",
    include_str!("restore.js"),
    ")(codec, JSON.parse(text)); }"
);

/// How many origins are written at once; each costs a renderer.
const TOGETHER: usize = 4;
/// How long one origin may take. No server is asked, so this is about large databases.
const LIMIT: Duration = Duration::from_secs(20);
/// How long a database that another page holds is waited for.
const HELD: Duration = Duration::from_secs(2);

/// Writes saved origins into the browser as far as the policy wants it. No server is asked, so it does
/// not matter whether one is there. What could not be written is a warning each.
pub async fn restore_origins(
    connection: &Connection,
    origins: &[OriginState],
    policy: Policy,
) -> Vec<Warning> {
    if policy == Policy::SessionOnly {
        return Vec::new();
    }
    let full: Vec<&OriginState> = origins.iter().filter(|origin| !origin.is_empty()).collect();
    let written = each(connection, &full, |tab, origin| {
        write(connection, tab, origin, policy)
    })
    .await;
    let warnings = written
        .into_iter()
        .flat_map(|(origin, written)| match written {
            Ok(warnings) => warnings,
            Err(error) => vec![Warning::new(origin.origin.as_str(), error.to_string())],
        });
    warnings.collect()
}

/// Reads what origins have stored of which no page is open. No server is asked.
pub async fn capture_closed_origins(
    connection: &Connection,
    origins: &[String],
    options: &CaptureOptions,
) -> (Vec<OriginStorage>, Vec<Warning>) {
    let mut captured = Vec::new();
    let mut warnings = Vec::new();
    for (origin, storage) in each(connection, origins, |tab, origin| {
        read(connection, tab, origin, options)
    })
    .await
    {
        match storage {
            Ok(storage) => captured.push(storage),
            Err(error) => warnings.push(Warning::new(origin.as_str(), error.to_string())),
        }
    }
    (captured, warnings)
}

#[derive(Debug, thiserror::Error)]
enum Trouble {
    #[error(transparent)]
    Visit(#[from] VisitError),
    #[error(transparent)]
    Call(#[from] CallError),
    #[error("its document was not there")]
    Elsewhere,
    #[error("it took more than {} s", LIMIT.as_secs())]
    Slow,
}

/// Does something in a hidden tab for each origin: a few tabs, each with one origin after the other.
/// The work takes the tab and gives it back. The answers come in any order.
async fn each<'a, O, T, F>(
    connection: &Connection,
    origins: &'a [O],
    work: impl Fn(HiddenTab, &'a O) -> F,
) -> Vec<(&'a O, Result<T, Trouble>)>
where
    F: Future<Output = (HiddenTab, Result<T, Trouble>)>,
{
    let next = AtomicUsize::new(0);
    let worker = || async {
        let mut done = Vec::new();
        let mut kept = None;
        while let Some(origin) = origins.get(next.fetch_add(1, Ordering::Relaxed)) {
            let tab = kept.take();
            let one = async {
                let tab = match tab {
                    Some(tab) => tab,
                    None => HiddenTab::open(connection).await?,
                };
                Ok(work(tab, origin).await)
            };
            let answer = match tokio::time::timeout(LIMIT, one).await {
                Ok(Ok((tab, answer))) => {
                    kept = Some(tab);
                    answer
                }
                Ok(Err(error)) => Err(error),
                // The tab went with the future: what holds it up is not in the way of the next.
                Err(_) => Err(Trouble::Slow),
            };
            done.push((origin, answer));
        }
        done
    };
    let workers = (0..TOGETHER.min(origins.len())).map(|_| worker());
    join_all(workers).await.into_iter().flatten().collect()
}

async fn read(
    connection: &Connection,
    tab: HiddenTab,
    origin: &str,
    options: &CaptureOptions,
) -> (HiddenTab, Result<OriginStorage, Trouble>) {
    let read = async {
        let frame = tab.visit(origin).await?;
        match capture_origin_with(connection, tab.session(), &frame, options).await? {
            Some(storage) if storage.state.origin == origin => Ok(storage),
            _ => Err(Trouble::Elsewhere),
        }
    };
    let read = read.await;
    (tab, read)
}

async fn write(
    connection: &Connection,
    tab: HiddenTab,
    origin: &OriginState,
    policy: Policy,
) -> (HiddenTab, Result<Vec<Warning>, Trouble>) {
    let written = write_in(connection, &tab, origin, policy).await;
    (tab, written)
}

async fn write_in(
    connection: &Connection,
    tab: &HiddenTab,
    origin: &OriginState,
    policy: Policy,
) -> Result<Vec<Warning>, Trouble> {
    let frame = tab.visit(&origin.origin).await?;
    let argument = Argument {
        origin: &origin.origin,
        policy: match policy {
            Policy::FillEverything => "everything",
            Policy::PreferSaved => "prefer",
            Policy::FillMissing | Policy::SessionOnly => "fill",
        },
        local_storage: &origin.local_storage,
        indexed_db: origin.indexed_db.as_deref().unwrap_or_default(),
        wait_ms: HELD.as_millis(),
    };
    let written: Written =
        world::run(connection, tab.session(), &frame, FUNCTION, &argument).await?;
    if written.origin != origin.origin {
        return Err(Trouble::Elsewhere);
    }
    Ok(written
        .warnings
        .iter()
        .map(|said| said.of(&origin.origin))
        .collect())
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Argument<'a> {
    origin: &'a str,
    policy: &'a str,
    local_storage: &'a [Item],
    #[serde(rename = "indexedDB")]
    indexed_db: &'a [Database],
    wait_ms: u128,
}

/// What `restore.js` returns.
#[derive(Deserialize)]
struct Written {
    origin: String,
    warnings: Vec<Said>,
}
