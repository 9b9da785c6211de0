//! Collects records by a recipe: one run of it for each page or row of values, several at a time, each
//! in a tab of its own.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use futures_util::stream::{self, StreamExt};
use szk_page::snapshot::Kept;
use szk_runtime::session::Running;
use szk_tools::browser::NavigateInput;
use szk_tools::recipe::{RunInput, RunOutput};
use szk_tools::workflow::{ScrapeInput, ScrapedPage};
use szk_tools::{Code, Failure, Progress};
use tokio::time::Instant;

use super::MOST;
use crate::browser::{navigate, page_text, shown};
use crate::context::Keeper;
use crate::recipe;
use crate::sharing::tabs;
use crate::workflow::own_tab::OwnTab;

/// Tabs at work at the same time.
const TABS: usize = 4;

/// One run.
struct Job {
    url: Option<String>,
    params: BTreeMap<String, String>,
}

/// What all runs of a call share.
struct Runs<'a> {
    keeper: &'a Arc<Keeper>,
    running: &'a Running,
    input: &'a ScrapeInput,
    name: &'a str,
    deadline: Instant,
    progress: &'a (dyn Fn(Progress) + Send + Sync),
    done: AtomicU32,
    total: u32,
}

/// Runs the recipe for each page or row; the pages and their records are in the order of the call.
pub(super) async fn collect(
    keeper: &Arc<Keeper>,
    running: &Running,
    input: &ScrapeInput,
    name: &str,
    deadline: Instant,
    progress: &(dyn Fn(Progress) + Send + Sync),
) -> Result<(Vec<ScrapedPage>, Kept), Failure> {
    let jobs = jobs(input)?;
    let no_secrets = input.no_secrets == Some(true);
    recipe::reads(keeper, name, input.dir.as_deref(), no_secrets)?;
    let runs = Runs {
        keeper,
        running,
        input,
        name,
        deadline,
        progress,
        done: AtomicU32::new(0),
        total: u32::try_from(jobs.len()).unwrap_or(u32::MAX),
    };
    let runs = &runs;
    let all = stream::iter(jobs).map(|job| runs.page(job)).buffered(TABS);
    let all: Vec<(ScrapedPage, Vec<serde_json::Value>)> = all.collect().await;
    let mut kept = Kept::default();
    let entries = kept.entries.get_or_insert_default();
    let mut pages = Vec::new();
    for (page, records) in all {
        pages.push(page);
        entries.extend(records);
    }
    Ok((pages, kept))
}

/// The runs that a call asks for.
fn jobs(input: &ScrapeInput) -> Result<Vec<Job>, Failure> {
    let others = [
        input.form.is_some(),
        input.selectors.is_some(),
        input.schema.is_some(),
        input.scope.is_some(),
        input.pages.is_some(),
        input.next.is_some(),
    ];
    if others.contains(&true) {
        return Err(Failure::invalid(
            "the recipe says what is read: give only `urls` and `rows` with it",
        )
        .about(["urls", "rows"]));
    }
    let none = || {
        Failure::invalid("give `urls`, or `rows` of values for the recipe").about(["urls", "rows"])
    };
    let count = match (&input.urls, &input.rows) {
        (Some(urls), Some(rows)) if urls.len() != rows.len() => {
            return Err(Failure::invalid(format!(
                "there are {} `urls` and {} `rows`: give as many",
                urls.len(),
                rows.len()
            ))
            .about(["urls", "rows"]));
        }
        (Some(urls), _) => urls.len(),
        (None, Some(rows)) => rows.len(),
        (None, None) => return Err(none()),
    };
    if count == 0 || count > MOST as usize {
        return Err(Failure::invalid(format!("give 1 to {MOST} of them")));
    }
    let url = |at: usize| input.urls.as_ref().and_then(|urls| urls.get(at)).cloned();
    let row = |at: usize| input.rows.as_ref().and_then(|rows| rows.get(at)).cloned();
    let jobs = (0..count).map(|at| Job {
        url: url(at),
        params: row(at).unwrap_or_default(),
    });
    Ok(jobs.collect())
}

impl Runs<'_> {
    /// One run; what goes wrong is said beside its page, and stops no other.
    async fn page(&self, job: Job) -> (ScrapedPage, Vec<serde_json::Value>) {
        let mut at = job.url.clone().unwrap_or_default();
        let ran = match Instant::now() < self.deadline {
            true => tokio::time::timeout_at(self.deadline, self.run(job, &mut at)).await,
            false => Ok(Err(late())),
        };
        let done = self.done.fetch_add(1, Ordering::Relaxed) + 1;
        (self.progress)(Progress {
            message: shown(&at),
            done,
            total: self.total,
            ..Progress::default()
        });
        let (title, records, error) = match ran.unwrap_or_else(|_| Err(late())) {
            Ok((title, ran)) => (title, ran.records, None),
            Err(failure) => (String::new(), Vec::new(), Some(failure.message)),
        };
        let page = ScrapedPage {
            url: shown(&at),
            title: page_text::title(&title),
            count: u32::try_from(records.len()).unwrap_or(u32::MAX),
            error,
        };
        (page, records)
    }

    async fn run(&self, job: Job, at: &mut String) -> Result<(String, RunOutput), Failure> {
        let tab = tabs::open_apart(self.keeper, self.running).await?;
        let id = tab.id.clone();
        let mut own = OwnTab::new(self.keeper, self.running.clone(), tab);
        if let Some(url) = &job.url {
            let there = NavigateInput {
                tab: Some(id.clone()),
                url: Some(url.clone()),
                ..NavigateInput::default()
            };
            navigate(self.keeper, &there).await?;
        }
        let run = RunInput {
            tab: Some(id.clone()),
            name: self.name.to_owned(),
            params: Some(job.params),
            dir: self.input.dir.clone(),
            no_secrets: self.input.no_secrets,
            ..RunInput::default()
        };
        let left = self.deadline.saturating_duration_since(Instant::now());
        let there = job.url.is_some();
        let ran = recipe::run_apart(self.keeper, &run, left, there).await;
        let shows = self.running.supervisor.tab(&id);
        let title = shows.map_or_else(String::new, |tab| {
            at.clone_from(&tab.page.url);
            tab.page.title
        });
        own.close().await;
        Ok((title, ran?))
    }
}

fn late() -> Failure {
    Failure::new(Code::Timeout, "the time ran out before it was read")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn each_page_and_row_is_a_run() {
        let count = |input: serde_json::Value| {
            let input: ScrapeInput = serde_json::from_value(input).unwrap();
            jobs(&input)
                .map(|jobs| jobs.len())
                .map_err(|error| error.message)
        };
        assert_eq!(count(json!({"urls": ["a", "b"]})), Ok(2));
        assert_eq!(count(json!({"rows": [{"q": "1"}, {}, {}]})), Ok(3));
        assert_eq!(count(json!({"urls": ["a"], "rows": [{"q": "1"}]})), Ok(1));
        for wrong in [
            json!({}),
            json!({"rows": []}),
            json!({"urls": ["a"], "rows": [{}, {}]}),
            json!({"urls": ["a"], "form": "text"}),
        ] {
            assert!(count(wrong.clone()).is_err(), "{wrong}");
        }
    }
}
