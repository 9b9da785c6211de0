//! What a crawl reads before its first page: robots.txt and the sitemaps.

use std::collections::VecDeque;

use serde_json::Value;
use szk_tools::workflow::CrawlInput;
use szk_tools::{Code, Failure};
use texting_robots::Robot;
use tokio::time::Instant;
use url::Url;

use super::AGENT;
use super::address::{self, Site};
use super::output::Plan;
use super::visit::{CrawlTab, Unreached};

/// Most sitemaps that are read.
const SITEMAPS: usize = 50;
/// Most addresses taken from them.
const ADDRESSES: usize = 50_000;

pub(super) async fn plan(
    tab: &mut CrawlTab,
    input: &CrawlInput,
    start: &Url,
    site: &Site,
    asked: Value,
    deadline: Instant,
) -> Result<Plan, Failure> {
    let late = |_| {
        Failure::new(
            Code::Timeout,
            "the time ran out before the first page was read",
        )
        .retryable()
    };
    let mut plan = Plan {
        asked,
        robots: None,
        sitemap: Vec::new(),
        notes: Vec::new(),
        done: false,
    };
    let ignored = input.ignore_robots.unwrap_or(false);
    let robots = tokio::time::timeout_at(deadline, robots(tab, start))
        .await
        .map_err(late)?;
    plan.robots = match robots {
        Err(_) if ignored => None,
        robots => robots?,
    };
    if !input.no_sitemap.unwrap_or(false) {
        let reading = sitemaps(tab, start, site, &mut plan);
        if tokio::time::timeout_at(deadline, reading)
            .await
            .map_err(late)?
        {
            plan.notes.push(
                "the sitemap was cut: it has more files or addresses than are read".to_owned(),
            );
        }
    }
    Ok(plan)
}

/// The text of robots.txt; `None` if the site has no such file.
async fn robots(tab: &mut CrawlTab, start: &Url) -> Result<Option<String>, Failure> {
    let unread = |why: &str| {
        Failure::new(
            Code::NavigationFailed,
            format!("robots.txt cannot be read: {why}"),
        )
        .hint("try again later, or set `ignore_robots`")
        .retryable()
    };
    let Ok(url) = start.join("/robots.txt") else {
        return Ok(None);
    };
    let answered = |status| unread(&format!("the site answered with status {status}"));
    match tab.reach(&url).await {
        Ok(reached) => match reached.status.unwrap_or(200) {
            status @ 500.. => Err(answered(status)),
            400.. => Ok(None),
            // A page in its place says nothing.
            _ => Ok(Some(reached.leads.text).filter(|text| !text.is_empty())),
        },
        Err(Unreached::Elsewhere(_) | Unreached::Empty(..500, _)) => Ok(None),
        Err(Unreached::Empty(status, _)) => Err(answered(status)),
        Err(Unreached::Failed(failure)) if failure.code == Code::NavigationFailed => {
            Err(unread(&failure.message))
        }
        Err(Unreached::Failed(failure)) => Err(failure),
    }
}

/// Collects the addresses of all sitemaps; whether there are more.
async fn sitemaps(tab: &mut CrawlTab, start: &Url, site: &Site, plan: &mut Plan) -> bool {
    let named = plan
        .robots
        .as_deref()
        .and_then(|text| Robot::new(AGENT, text.as_bytes()).ok());
    let named = named.map(|robots| robots.sitemaps).unwrap_or_default();
    let usual = start.join("/sitemap.xml").map(String::from).ok();
    let is_named = !named.is_empty();
    let mut waiting: VecDeque<String> = if is_named {
        named.into()
    } else {
        usual.into_iter().collect()
    };
    let mut seen: Vec<String> = Vec::new();
    while let Some(url) = waiting.pop_front() {
        let Some(url) = address::normal(&url).filter(|url| site.has(url)) else {
            continue;
        };
        if seen.contains(&url.to_string()) {
            continue;
        }
        if seen.len() >= SITEMAPS || plan.sitemap.len() >= ADDRESSES {
            return true;
        }
        seen.push(url.to_string());
        let leads = match url.path().ends_with(".gz") {
            true => tab.unpack(&url).await.ok().flatten(),
            false => {
                let reached = tab.reach(&url).await.ok();
                let found = reached.filter(|it| it.status.unwrap_or(200) < 400);
                found.map(|it| it.leads)
            }
        };
        let leads = match leads {
            Some(leads) => leads,
            // Many sites have none, and it is only looked for.
            None if !is_named && seen.len() == 1 => continue,
            None => {
                plan.notes.push(format!(
                    "the sitemap `{}` could not be read",
                    crate::browser::shown(url.as_str())
                ));
                continue;
            }
        };
        if leads.is_index {
            waiting.extend(leads.locations);
        } else if leads.kind.contains("xml") {
            plan.sitemap.extend(leads.locations);
        } else {
            plan.sitemap.extend(
                leads
                    .text
                    .lines()
                    .map(|line| line.trim().to_owned())
                    .filter(|line| line.starts_with("http")),
            );
        }
    }
    plan.sitemap.truncate(ADDRESSES);
    false
}
