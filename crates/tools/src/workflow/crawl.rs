//! `workflow_crawl`: reads the pages of a site into a file.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{Input, Operation, Reach, Route, Scope, Time};

/// Reads the pages of a site, each in a tab that it closes again.
#[derive(Debug)]
pub struct Crawl;

impl Operation for Crawl {
    const NAME: &'static str = "workflow_crawl";
    const TITLE: &'static str = "Crawl a site";
    const SUMMARY: &'static str = "Read a site's pages into a folder: a JSON line per page. Keeps to robots.txt. The same call again continues.";
    const REACH: Reach = Reach::Write;
    const SCOPE: Scope = Scope::Opens;
    const ROUTES: &[Route] = &[Route::post("/v1/sessions/{session}/crawl")];
    const TIME: Time = Time::Fixed(3_600_000);
    type Input = CrawlInput;
    type Output = CrawlOutput;
}

/// Input of `workflow_crawl`.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CrawlInput {
    /// Session. Default: the only open one, else `default`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// Where to begin.
    pub url: String,
    /// Folder for the result.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<PathBuf>,
    /// Maximum pages, 1 to 100000 (default 500).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pages: Option<u32>,
    /// Maximum links from `url` (default 10).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub depth: Option<u32>,
    /// Only addresses like `/docs/*`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub include: Option<Vec<String>>,
    /// Skip addresses like these.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exclude: Option<Vec<String>>,
    /// Also subdomains.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subdomains: Option<bool>,
    /// Only follow links.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub no_sitemap: Option<bool>,
    /// Also what robots.txt forbids.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ignore_robots: Option<bool>,
    /// Tabs at a time, 1 to 8 (default 2).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tabs: Option<u32>,
    /// Milliseconds between pages of a host (default 500).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pause_ms: Option<u64>,
    /// JSON schema of records, instead of Markdown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub schema: Option<Value>,
    /// CSS selector of the records.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub items: Option<String>,
    /// Milliseconds (default 3600000).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout_ms: Option<u64>,
}

impl Input for CrawlInput {
    fields!(session, timeout_ms);

    fn each_path(&mut self, visit: &mut dyn FnMut(&mut PathBuf)) {
        self.path.iter_mut().for_each(visit);
    }
}

/// Output of `workflow_crawl`.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct CrawlOutput {
    /// The session.
    pub session: String,
    /// The file with a line per page.
    pub path: PathBuf,
    /// Why it ended.
    pub ended: CrawlEnd,
    /// Lines in the file.
    pub pages: u32,
    /// Lines of earlier calls among them.
    pub resumed: u32,
    /// Pages that could not be read; their lines say why.
    pub failed: u32,
    /// Addresses that are still to be read.
    pub waiting: u32,
    /// Addresses that were left out.
    pub left_out: CrawlLeftOut,
    /// What else there is to know.
    pub notes: Vec<String>,
}

/// Why a crawl ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum CrawlEnd {
    /// No address is left to visit.
    All,
    /// It has `pages` pages.
    Limit,
    /// The time is up; the same call continues.
    Time,
}

/// Addresses that a crawl left out, by reason.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CrawlLeftOut {
    /// Of other sites.
    pub elsewhere: u32,
    /// Forbidden by robots.txt.
    pub robots: u32,
    /// Not like `include`, or like `exclude`.
    pub patterns: u32,
    /// Too many links away.
    pub depth: u32,
    /// Files by their names: pictures, archives, documents.
    pub files: u32,
    /// Links without end, such as those of calendars.
    pub traps: u32,
}
