//! Writes localStorage and databases of any origin, without contacting its server.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use futures_util::future::join_all;
use serde::{Deserialize, Serialize};
use szk_cdp::world;
use szk_cdp::{CallError, Connection, SessionId};
use szk_recovery::Truth;

use super::capture::{CaptureOptions, OriginStorage, ScriptWarning, capture_origin_with};
use super::decide::{OriginPlan, PresentOrigin, origin_to_restore};
use super::hidden::{HiddenTab, VisitError};
use super::schema::{Database, Item, OriginState, StorageState};
use super::select::Counts;
use super::text::Text;
use super::warning::Warning;

const FUNCTION: &str = concat!(
    "async function (text) { const codec = (",
    include_str!("codec.js"),
    ")(); return (",
    include_str!("restore.js"),
    ")(codec, JSON.parse(text)); }"
);

/// Names only: the content of databases does not matter here.
const PRESENT: &str = "async function () { \
    const items = Array.from(localStorage, (_, index) => localStorage.key(index)) \
      .map((name) => ({ name, value: localStorage.getItem(name) })); \
    const databases = (await indexedDB.databases()).map(({ name }) => name); \
    return JSON.stringify({ origin: self.origin, items, databases }); }";

/// How many origins to write in parallel; each costs a renderer.
const TOGETHER: usize = 4;
/// Time limit per origin. No server is involved, so this is for large databases.
const LIMIT: Duration = Duration::from_secs(20);
/// Time limit for an empty document of an origin. Chromium may forget about one whose navigation was under way
/// when its network service died.
const VISIT: Duration = Duration::from_secs(5);
/// How often to try with an origin whose renderer dies meanwhile, or whose document does not come.
const TRIES: usize = 3;
/// How long to wait for a database that another page holds.
const HELD: Duration = Duration::from_secs(2);

/// Writes saved origins into the browser as far as they are right. Contacts no server, so it does not
/// matter whether one is running. Each failure becomes a warning.
pub async fn restore_origins(
    connection: &Connection,
    saved: &StorageState,
    truth: Truth,
) -> Vec<Warning> {
    put_origins(connection, saved, truth).await.warnings
}

/// The result of writing origins into the browser.
#[derive(Default)]
pub(crate) struct Put {
    pub(crate) warnings: Vec<Warning>,
    /// localStorage that was there before, by origin.
    pub(crate) found: Vec<(String, Vec<Item>)>,
    /// Origins whose localStorage was written.
    pub(crate) written: Vec<String>,
    /// How many origins there were to write.
    pub(crate) tried: usize,
    /// What the browser took; only origins, entries and databases are counted.
    pub(crate) taken: Counts,
}

/// [`restore_origins`], which also returns what it found there.
pub(crate) async fn put_origins(
    connection: &Connection,
    saved: &StorageState,
    truth: Truth,
) -> Put {
    let connection = &connection.ending_with_renderer();
    let jobs = jobs(saved, truth);
    let written = each(connection, &jobs, |tab, job| write(connection, tab, job)).await;
    let mut put = Put {
        tried: jobs.len(),
        ..Put::default()
    };
    for (job, written) in written {
        let origin = &job.saved.origin;
        match written {
            Ok(done) => {
                put.taken.add(&job.saved, done.lost);
                put.found.push((origin.clone(), done.found));
                put.written.extend(done.is_written.then(|| origin.clone()));
                put.warnings.extend(done.warnings);
            }
            Err(error) => put
                .warnings
                .push(Warning::new(origin.as_str(), error.to_string())),
        }
    }
    put
}

impl Counts {
    fn add(&mut self, saved: &OriginState, lost: Lost) {
        let databases = saved.indexed_db.as_ref().map_or(0, Vec::len);
        let items = saved.local_storage.len().saturating_sub(lost.items);
        let databases = databases.saturating_sub(lost.databases);
        self.local_storage += items;
        self.databases += databases;
        self.origins += usize::from(items + databases > 0);
    }
}

/// Whether [`put_origins`] has anything to do.
pub(crate) fn has_origins_to_put(saved: &StorageState, truth: Truth) -> bool {
    !jobs(saved, truth).is_empty()
}

/// Every origin with something to do, including those that were emptied.
fn jobs(saved: &StorageState, truth: Truth) -> Vec<Job<'_>> {
    let extras = saved.szk.as_ref();
    let deleted = |origin: &str| -> &[Text] {
        let names = extras.and_then(|extras| extras.deleted.local_storage.get(origin));
        names.map_or(&[], Vec::as_slice)
    };
    let unread = |origin: &str| extras.and_then(|extras| extras.unread.get(origin).copied());
    let full = saved.origins.iter().map(Cow::Borrowed);
    let is_full = |name: &String| saved.origins.iter().any(|origin| origin.origin == *name);
    let emptied = extras
        .into_iter()
        .flat_map(|extras| extras.deleted.local_storage.keys())
        .filter(|name| !is_full(name))
        .map(|name| {
            Cow::Owned(OriginState {
                origin: name.clone(),
                ..OriginState::default()
            })
        });
    full.chain(emptied)
        .map(|saved| Job {
            deleted: deleted(&saved.origin),
            truth: truth.unless(unread(&saved.origin).map(Truth::from)),
            saved,
        })
        .filter(|job| !job.saved.is_empty() || !job.deleted.is_empty())
        .filter(|job| job.truth != Truth::Files)
        .collect()
}

/// One origin to restore.
struct Job<'a> {
    saved: Cow<'a, OriginState>,
    deleted: &'a [Text],
    truth: Truth,
}

/// Reads the storage of origins without an open page. Contacts no server.
pub async fn capture_closed_origins(
    connection: &Connection,
    origins: &[String],
    options: &CaptureOptions,
) -> (Vec<OriginStorage>, Vec<Warning>) {
    let connection = &connection.ending_with_renderer();
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
    #[error("its document did not load")]
    Elsewhere,
    #[error("it took more than {} s", LIMIT.as_secs())]
    Slow,
    #[error("its document did not come within {} s", VISIT.as_secs())]
    Stuck,
}

impl Trouble {
    /// Whether the renderer died or Chromium forgot about the document, which says nothing about the origin.
    fn is_of_the_tab(&self) -> bool {
        matches!(
            self,
            Self::Call(CallError::Crashed)
                | Self::Visit(VisitError::Call(CallError::Crashed))
                | Self::Stuck
        )
    }
}

/// Does something in a hidden tab for each origin: a few tabs, each with one origin after the other. The
/// work takes the tab and gives it back, and is done again in a new one if the tab is to blame. Results
/// come in any order. `connection` is one that ends calls with their renderer.
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
            let mut answer = Err(Trouble::Slow);
            for _ in 0..TRIES {
                let tab = kept.take();
                let one = async {
                    let tab = match tab {
                        Some(tab) => tab,
                        None => soon(HiddenTab::open(connection)).await?,
                    };
                    Ok(work(tab, origin).await)
                };
                // The tab is dropped with the future, so whatever blocks it cannot block the next one.
                let one = tokio::time::timeout(LIMIT, one).await;
                let (tab, ended) = match one.unwrap_or(Err(Trouble::Slow)) {
                    Ok((tab, ended)) => (Some(tab), ended),
                    Err(trouble) => (None, Err(trouble)),
                };
                answer = ended;
                if !matches!(&answer, Err(trouble) if trouble.is_of_the_tab()) {
                    kept = tab;
                    break;
                }
            }
            done.push((origin, answer));
        }
        done
    };
    let workers = (0..TOGETHER.min(origins.len())).map(|_| worker());
    join_all(workers).await.into_iter().flatten().collect()
}

/// An empty document, if it comes in time.
async fn soon<T, E: Into<Trouble>>(
    document: impl Future<Output = Result<T, E>>,
) -> Result<T, Trouble> {
    match tokio::time::timeout(VISIT, document).await {
        Ok(came) => came.map_err(Into::into),
        Err(_) => Err(Trouble::Stuck),
    }
}

async fn read(
    connection: &Connection,
    tab: HiddenTab,
    origin: &str,
    options: &CaptureOptions,
) -> (HiddenTab, Result<OriginStorage, Trouble>) {
    let read = async {
        let visit = soon(tab.visit(origin)).await?;
        let captured = capture_origin_with(connection, tab.session(), &visit.frame, options);
        match tab.during(&visit, captured).await? {
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
    job: &Job<'_>,
) -> (HiddenTab, Result<OriginPut, Trouble>) {
    let write = async {
        let visit = soon(tab.visit(&job.saved.origin)).await?;
        let write = write_in(connection, tab.session(), &visit.frame, job);
        tab.during(&visit, write).await
    };
    let written = write.await;
    (tab, written)
}

async fn write_in(
    connection: &Connection,
    session: &SessionId,
    frame: &str,
    job: &Job<'_>,
) -> Result<OriginPut, Trouble> {
    let origin = &*job.saved.origin;
    let present: Present = world::run(connection, session, frame, PRESENT, &()).await?;
    if present.origin != origin {
        return Err(Trouble::Elsewhere);
    }
    let present = PresentOrigin {
        items: present.items,
        databases: present.databases,
    };
    let plan = origin_to_restore(&job.saved, job.deleted, &present, job.truth);
    if plan.is_empty() {
        return Ok(OriginPut {
            found: present.items,
            is_written: false,
            lost: Lost::default(),
            warnings: Vec::new(),
        });
    }
    let is_written = !plan.set.is_empty() || !plan.remove.is_empty();
    let OriginPlan {
        set,
        remove,
        databases,
    } = plan;
    let argument = Argument {
        origin,
        set,
        remove,
        indexed_db: databases,
        over: job.truth == Truth::Nothing,
        wait_ms: HELD.as_millis(),
    };
    let written: Written = world::run(connection, session, frame, FUNCTION, &argument).await?;
    if written.origin != origin {
        return Err(Trouble::Elsewhere);
    }
    let warnings = written.warnings.iter().map(|said| said.of(origin));
    Ok(OriginPut {
        found: present.items,
        is_written,
        lost: written.lost,
        warnings: warnings.collect(),
    })
}

/// The result of writing into one origin.
struct OriginPut {
    /// localStorage that was there before.
    found: Vec<Item>,
    /// Whether its localStorage was written.
    is_written: bool,
    lost: Lost,
    warnings: Vec<Warning>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Argument<'a> {
    origin: &'a str,
    set: Vec<Item>,
    remove: Vec<Text>,
    #[serde(rename = "indexedDB")]
    indexed_db: Vec<&'a Database>,
    over: bool,
    wait_ms: u128,
}

/// The result of `PRESENT`.
#[derive(Deserialize)]
struct Present {
    origin: String,
    items: Vec<Item>,
    databases: BTreeSet<Text>,
}

/// The result of `restore.js`.
#[derive(Deserialize)]
struct Written {
    origin: String,
    warnings: Vec<ScriptWarning>,
    lost: Lost,
}

/// How much of an origin was not written.
#[derive(Clone, Copy, Default, Deserialize)]
struct Lost {
    items: usize,
    databases: usize,
}

#[cfg(test)]
mod tests;
