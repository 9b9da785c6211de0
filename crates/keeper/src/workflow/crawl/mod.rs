//! `workflow_crawl`: reads the pages of a site into a file.
//!
//! [`address`] tells what belongs to a site, [`frontier`] decides what comes next, [`output`] keeps the
//! lines, which are the whole state, and [`visit`] reads a page in a tab. [`begin`] reads robots.txt and
//! sitemaps, in a tab as well: nothing but the browser speaks to the site.

mod address;
mod begin;
mod frontier;
mod output;
mod visit;

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use szk_tools::workflow::{Crawl, CrawlEnd, CrawlInput, CrawlOutput};
use szk_tools::{Failure, Progress, Response};
use texting_robots::Robot;
use tokio::time::Instant;
use url::Url;

use self::address::{Pattern, Site};
use self::frontier::{Frontier, Next, Rules};
use self::output::{Line, Output};
use self::visit::{CrawlTab, Visited};
use crate::browser::{Content, complete, shown};
use crate::context::Keeper;
use crate::policy;
use crate::sharing::tabs;

/// The name by which robots.txt can address us; most address `*`.
const AGENT: &str = "szk";
/// With less time than this left, no further page is begun.
const RESERVE: Duration = Duration::from_secs(3);
/// Longest pause that robots.txt can ask for.
const LONGEST_PAUSE: Duration = Duration::from_secs(30);

pub(crate) async fn crawl(
    keeper: &Arc<Keeper>,
    input: &CrawlInput,
    budget: Duration,
    progress: &(dyn Fn(Progress) + Send + Sync),
) -> Result<Response, Failure> {
    let deadline = Instant::now() + budget.saturating_sub(RESERVE);
    let start = start(keeper, input)?;
    let site = Site::of(&start, input.subdomains.unwrap_or(false));
    let wanted = match &input.schema {
        Some(schema) => Content::records(schema, input.items.clone())?,
        None if input.items.is_some() => {
            return Err(Failure::invalid("`items` needs `schema`").about(["items", "schema"]));
        }
        None => Content::Markdown,
    };
    let (include, exclude) = (patterns(&input.include)?, patterns(&input.exclude)?);
    let limit = input.pages.unwrap_or(500).clamp(1, 100_000) as usize;
    let asked = asked(input, &start);
    let mut output = output(keeper, input, &start, asked.clone()).await?;
    let (running, before) = keeper.tab_as_it_is(None).await?;
    let mut pool = Vec::new();
    for _ in 0..input.tabs.unwrap_or(2).clamp(1, 8) {
        pool.push(CrawlTab::open(keeper, &running, &site).await?);
    }
    // The caller's tab is the current one again.
    let _ = tabs::turn_to(keeper, &running, &before).await;
    let plan = match output.plan.take() {
        Some(plan) => plan,
        None => begin::plan(&mut pool[0], input, &start, &site, asked, deadline).await?,
    };
    output.keep(plan.clone())?;
    let robots = plan
        .robots
        .as_deref()
        .and_then(|text| Robot::new(AGENT, text.as_bytes()).ok());
    let robots = robots.filter(|_| !input.ignore_robots.unwrap_or(false));
    let asks = robots.as_ref().and_then(|robots| robots.delay);
    let asks = asks
        .and_then(|seconds| Duration::try_from_secs_f32(seconds).ok())
        .unwrap_or_default();
    let pause = Duration::from_millis(input.pause_ms.unwrap_or(500)).min(LONGEST_PAUSE);
    if robots
        .as_ref()
        .is_some_and(|robots| !robots.allowed(start.as_str()))
    {
        return Err(
            Failure::invalid(format!("robots.txt forbids `{}`", shown(start.as_str())))
                .hint("begin elsewhere, or set `ignore_robots`"),
        );
    }
    let depth = input.depth.unwrap_or(10);
    let rules = Rules {
        site,
        include,
        exclude,
        depth,
        robots,
    };
    let mut frontier = Frontier::new(rules);
    frontier.start(&start);
    let mut turn = Turn::default();
    for url in &plan.sitemap {
        frontier.found(url, 1, None);
        turn.took(1).await;
    }
    let mut crawling = Crawling {
        output,
        frontier,
        wanted: &wanted,
        contents: HashMap::new(),
        done: HashSet::new(),
        lines: 0,
        failed: 0,
        slots: HashMap::new(),
        pause: pause.max(asks.min(LONGEST_PAUSE)),
        deadline,
    };
    let resumed = crawling.resume().await;
    let ended = crawling.run(pool, limit, progress).await?;
    let waiting = crawling.frontier.waiting();
    let plan = output::Plan {
        done: ended == CrawlEnd::All,
        ..plan
    };
    let notes = plan.notes.clone();
    crawling.output.keep(plan)?;
    let number = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
    let output = CrawlOutput {
        session: keeper.session.name().to_string(),
        path: crawling.output.file(),
        ended,
        pages: number(crawling.lines),
        resumed: number(resumed),
        failed: number(crawling.failed),
        waiting: number(waiting),
        left_out: crawling.frontier.left_out,
        notes,
    };
    let mut response = Response::of::<Crawl>(summary(&output), &output)?;
    response.files.push(output.path);
    Ok(response)
}

/// The folder of this crawl with what is in it, which may be much: it is read beside the keeper's thread.
async fn output(
    keeper: &Keeper,
    input: &CrawlInput,
    start: &Url,
    asked: Value,
) -> Result<Output, Failure> {
    let given = input.path.clone();
    if given.as_ref().is_some_and(|path| !path.is_absolute()) {
        return Err(Failure::invalid("`path` must be absolute here").about(["path"]));
    }
    let crawls = keeper.session.profile().artifacts_dir().join("crawls");
    let host = start.host_str().unwrap_or("site").to_owned();
    let opened = tokio::task::spawn_blocking(move || {
        let folder = match given {
            Some(path) => path,
            None => output::default_folder(&crawls, &host, &asked)?,
        };
        Output::open(folder, &asked)
    });
    opened
        .await
        .unwrap_or_else(|panic| std::panic::resume_unwind(panic.into_panic()))
}

/// Lets the keeper's other tasks run now and then during long work.
#[derive(Default)]
struct Turn {
    addresses: usize,
}

impl Turn {
    /// Addresses between two pauses: a few milliseconds.
    const LENGTH: usize = 200;

    async fn took(&mut self, addresses: usize) {
        self.addresses += addresses;
        if self.addresses >= Self::LENGTH {
            self.addresses = 0;
            tokio::task::yield_now().await;
        }
    }
}

fn start(keeper: &Keeper, input: &CrawlInput) -> Result<Url, Failure> {
    let url = complete(&input.url)?;
    policy::visit(keeper.bounds(), &url)?;
    let url = address::normal(&url).filter(|url| matches!(url.scheme(), "http" | "https"));
    url.ok_or_else(|| Failure::invalid("`url` is not an address of a web site").about(["url"]))
}

fn patterns(given: &Option<Vec<String>>) -> Result<Vec<Pattern>, Failure> {
    given
        .iter()
        .flatten()
        .map(|text| Pattern::read(text))
        .collect()
}

/// What must be the same for a call to continue a crawl. Limits and pace may differ.
fn asked(input: &CrawlInput, start: &Url) -> Value {
    json!({
        "url": start.as_str(), "include": input.include, "exclude": input.exclude,
        "subdomains": input.subdomains, "schema": input.schema, "items": input.items,
        "no_sitemap": input.no_sitemap, "ignore_robots": input.ignore_robots,
    })
}

/// A crawl at work: the one owner of frontier and file.
struct Crawling<'a> {
    output: Output,
    frontier: Frontier,
    wanted: &'a Content,
    /// Addresses by the hash of their content.
    contents: HashMap<[u8; 32], String>,
    /// Addresses of pages that have a line, by key.
    done: HashSet<String>,
    lines: usize,
    failed: usize,
    /// When the next page of each host may be asked for.
    slots: HashMap<String, Instant>,
    pause: Duration,
    deadline: Instant,
}

impl Crawling<'_> {
    /// Goes through the lines of earlier calls as if their pages had just been read.
    async fn resume(&mut self) -> usize {
        let lines = std::mem::take(&mut self.output.lines);
        let mut turn = Turn::default();
        for line in &lines {
            if let Some(asked) = line.asked.as_deref().and_then(address::normal) {
                self.frontier.reached(&asked);
            }
            self.count(line);
            turn.took(1 + line.links.len()).await;
        }
        lines.len()
    }

    /// What follows from a line.
    fn count(&mut self, line: &Line) {
        self.lines += 1;
        self.failed += usize::from(line.error.is_some());
        if let Some(url) = address::normal(&line.url) {
            self.done.insert(address::key(&url));
            self.frontier.reached(&url);
        }
        let from = line.asked.as_deref().unwrap_or(&line.url);
        for link in &line.links {
            self.frontier.found(link, line.depth + 1, Some(from));
        }
    }

    async fn run(
        &mut self,
        mut pool: Vec<CrawlTab>,
        limit: usize,
        progress: &(dyn Fn(Progress) + Send + Sync),
    ) -> Result<CrawlEnd, Failure> {
        let mut at_work = FuturesUnordered::new();
        let (wanted, deadline) = (self.wanted, self.deadline);
        let ended = loop {
            while self.lines + at_work.len() < limit
                && Instant::now() < deadline
                && !pool.is_empty()
                && let Some(next) = self.frontier.next()
                && let Some(mut tab) = pool.pop()
            {
                let slot = self.slot(&next.url);
                at_work.push(async move {
                    tokio::time::sleep_until(slot.min(deadline)).await;
                    let visited =
                        tokio::time::timeout_at(deadline, tab.visit(&next.url, wanted)).await;
                    (tab, next, visited.ok())
                });
            }
            let Some((tab, next, visited)) = at_work.next().await else {
                break match self.frontier.waiting() {
                    0 => CrawlEnd::All,
                    _ if Instant::now() >= deadline => CrawlEnd::Time,
                    _ => CrawlEnd::Limit,
                };
            };
            let Some(visited) = visited else {
                self.frontier.again(next);
                pool.push(tab);
                continue;
            };
            let line = self.line(next, visited?, tab.keeper.redactor());
            self.output.add(&line)?;
            self.count(&line);
            progress(Progress {
                message: shown(&line.url),
                done: u32::try_from(self.lines).unwrap_or(u32::MAX),
                total: 0,
                ..Progress::default()
            });
            pool.push(tab);
        };
        for tab in pool {
            tab.close().await;
        }
        Ok(ended)
    }

    /// When a host may be asked again.
    fn slot(&mut self, url: &Url) -> Instant {
        let host = url.host_str().unwrap_or_default().to_owned();
        let now = Instant::now();
        let slot = self.slots.get(&host).copied().unwrap_or(now).max(now);
        self.slots.insert(host, slot + self.pause);
        slot
    }

    /// The line of a page. A redirect to a page that has one gets one too, without its content, so that it
    /// is not asked for again.
    fn line(&mut self, next: Next, visited: Visited, redactor: &szk_page::Redactor) -> Line {
        let mut line = visited.line;
        let url = address::normal(&line.url).unwrap_or_else(|| next.url.clone());
        url.as_str().clone_into(&mut line.url);
        line.asked = (url != next.url).then(|| next.url.to_string());
        line.depth = next.depth;
        line.from = next.from;
        let other = address::key(&url) != address::key(&next.url);
        if other && self.done.contains(&address::key(&url)) {
            line.same_as = Some(line.url.clone());
            (line.markdown, line.records) = (None, None);
            line.links.clear();
        }
        // What a person typed into the page by name stays out of the file.
        redactor.cover(&mut line.title);
        line.markdown
            .iter_mut()
            .for_each(|text| redactor.cover(text));
        line.records
            .iter_mut()
            .flatten()
            .for_each(|record| redactor.values(record));
        if let Some(text) = line.markdown.as_ref().filter(|text| text.len() > 200) {
            let hash: [u8; 32] = Sha256::digest(text.as_bytes()).into();
            match self.contents.get(&hash) {
                Some(first) => {
                    line.same_as = Some(first.clone());
                    line.markdown = None;
                }
                None => {
                    self.contents.insert(hash, line.url.clone());
                }
            }
        }
        line
    }
}

/// What the numbers of the output say; each line of the file is counted once.
fn summary(output: &CrawlOutput) -> String {
    let out = output.left_out;
    let counted = |count: u32, what| szk_text::counted(count.into(), what);
    let read = output.pages.saturating_sub(output.failed);
    let mut text = format!(
        "{} in {}: {} read",
        counted(output.pages, "line"),
        output.path.display(),
        counted(read, "page"),
    );
    if output.failed > 0 {
        text.push_str(&format!(
            ", {} not read (`error` in the line says why)",
            counted(output.failed, "page")
        ));
    }
    if output.resumed > 0 {
        let lines = counted(output.resumed, "line");
        text.push_str(&format!("; {lines} by earlier calls"));
    }
    let waiting = match output.waiting {
        0 => String::new(),
        1 => String::from(" with 1 address still to visit"),
        many => format!(" with {many} addresses still to visit"),
    };
    text.push_str(&match output.ended {
        CrawlEnd::All => String::from("\nended: no address is left to visit"),
        CrawlEnd::Limit => format!(
            "\nended at the limit of `pages`{waiting}; the same call with more `pages` continues"
        ),
        CrawlEnd::Time => {
            format!("\nended as the time was up{waiting}; the same call continues")
        }
    });
    text.push_str(&format!(
        "\nleft out: {} by robots.txt, {} by patterns, {} too deep, {}, {} of other sites, {} in links without end",
        out.robots, out.patterns, out.depth, counted(out.files, "file"), out.elsewhere, out.traps
    ));
    for note in &output.notes {
        text.push_str(&format!("\n({})", szk_text::line(note, 500)));
    }
    text
}

#[cfg(test)]
mod tests;
