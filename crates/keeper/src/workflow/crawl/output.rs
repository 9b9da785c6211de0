//! The folder of a crawl: what it was asked for, and a line per page. The lines are the whole state: a call
//! that continues reads them, so nothing can be in one file and not in the other.

use std::fs::{DirBuilder, File, OpenOptions, TryLockError};
use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::Value;
use szk_files::Links;
use szk_store::atomic;
use szk_tools::{Code, Failure};

const PLAN: &str = "crawl.json";
const PAGES: &str = "pages.jsonl";
/// Largest plan: a sitemap can list many addresses.
const PLAN_SIZE: u64 = 64 << 20;

/// What a crawl was asked for, and what its first call found before any page.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Plan {
    /// The fields of the input that decide what belongs to the crawl.
    pub(super) asked: Value,
    /// The text of robots.txt; `None` if the site has no such file.
    pub(super) robots: Option<String>,
    /// The addresses of the sitemap.
    pub(super) sitemap: Vec<String>,
    /// What could not be read of them.
    pub(super) notes: Vec<String>,
    /// Whether it has come to its end.
    pub(super) done: bool,
}

/// A page. Only what a continued crawl needs is read again.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Line {
    /// Where it is, after redirects.
    pub(super) url: String,
    /// The address that led there, if it is another.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) asked: Option<String>,
    pub(super) depth: u32,
    /// The page with the link.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) from: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) status: Option<u16>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) content_type: Option<String>,
    pub(super) title: String,
    #[serde(skip_serializing_if = "Option::is_none", skip_deserializing)]
    pub(super) markdown: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none", skip_deserializing)]
    pub(super) records: Option<Vec<Value>>,
    /// The address of the page that it is the same as.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) same_as: Option<String>,
    /// Why there is no content.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) error: Option<String>,
    /// Where its links lead.
    pub(super) links: Vec<String>,
}

pub(super) struct Output {
    folder: PathBuf,
    /// Locked for as long as the crawl runs.
    pages: File,
    pub(super) plan: Option<Plan>,
    /// The lines of earlier calls.
    pub(super) lines: Vec<Line>,
}

impl Output {
    /// Opens a folder for a crawl, and what an unfinished one left in it.
    pub(super) fn open(folder: PathBuf, asked: &Value) -> Result<Self, Failure> {
        let plan = plan(&folder)?;
        if let Some(plan) = &plan
            && plan.asked != *asked
        {
            let message = format!("another crawl is in {}", folder.display());
            return Err(Failure::invalid(message)
                .hint("give another `path`, or the input of that crawl to continue it"));
        }
        let failed = |error: std::io::Error| unwritable(&folder, &error);
        DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(&folder)
            .map_err(failed)?;
        let path = folder.join(PAGES);
        let mut options = OpenOptions::new();
        let flags = rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::NONBLOCK;
        options
            .create(true)
            .append(true)
            .mode(0o600)
            .custom_flags(flags.bits().cast_signed());
        let pages = options.open(&path).map_err(failed)?;
        match pages.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let message = format!("another call is crawling into {}", folder.display());
                return Err(Failure::new(Code::SessionBusy, message)
                    .hint("wait for it, or give another `path`"));
            }
            Err(TryLockError::Error(error)) => return Err(failed(error)),
        }
        let (lines, whole) = lines(&path).map_err(failed)?;
        if plan.is_none() && whole > 0 {
            let message = format!("{} is there, but no crawl of szk", path.display());
            return Err(Failure::invalid(message).hint("give another `path`"));
        }
        // A line that was being written when the keeper was killed.
        pages.set_len(whole).map_err(failed)?;
        Ok(Self {
            folder,
            pages,
            plan,
            lines,
        })
    }

    /// The plan is written before the first page.
    pub(super) fn keep(&mut self, plan: Plan) -> Result<(), Failure> {
        let text =
            serde_json::to_vec(&plan).map_err(|error| Failure::internal(error.to_string()))?;
        atomic::write(&self.folder.join(PLAN), &text)
            .map_err(|error| szk_wire::failure::store(&error))?;
        self.plan = Some(plan);
        Ok(())
    }

    /// Adds a page.
    pub(super) fn add(&mut self, line: &Line) -> Result<(), Failure> {
        let mut text =
            serde_json::to_vec(line).map_err(|error| Failure::internal(error.to_string()))?;
        text.push(b'\n');
        let written = self
            .pages
            .write_all(&text)
            .and_then(|()| self.pages.sync_data());
        written.map_err(|error| unwritable(&self.folder, &error))
    }

    pub(super) fn file(&self) -> PathBuf {
        self.folder.join(PAGES)
    }
}

/// The folder of an unfinished crawl that was asked for the same, or else a new one.
pub(super) fn default_folder(crawls: &Path, host: &str, asked: &Value) -> Result<PathBuf, Failure> {
    let names = std::iter::once(host.to_owned())
        .chain((2u32..10_000).map(|number| format!("{host}-{number}")));
    for folder in names.map(|name| crawls.join(name)) {
        if !folder.exists() {
            return Ok(folder);
        }
        // One that cannot be read is somebody else's.
        match plan(&folder) {
            Ok(Some(plan)) if !plan.done && plan.asked == *asked => return Ok(folder),
            _ => {}
        }
    }
    Err(Failure::invalid("there are too many crawls of this host").hint("give a `path`"))
}

fn plan(folder: &Path) -> Result<Option<Plan>, Failure> {
    let path = folder.join(PLAN);
    match szk_files::read_own(&path, PLAN_SIZE) {
        Ok(text) => match serde_json::from_slice(&text) {
            Ok(plan) => Ok(Some(plan)),
            Err(_) => Err(Failure::invalid(format!(
                "{} is not the plan of a crawl",
                path.display()
            ))
            .hint("give another `path`")),
        },
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(unwritable(folder, &error)),
    }
}

/// All whole lines, and how many bytes they take.
fn lines(path: &Path) -> std::io::Result<(Vec<Line>, u64)> {
    let mut reader = BufReader::new(szk_files::open(path, Links::Refused)?);
    let (mut lines, mut whole, mut text) = (Vec::new(), 0, Vec::new());
    loop {
        text.clear();
        let size = reader.read_until(b'\n', &mut text)?;
        if !text.ends_with(b"\n") {
            return Ok((lines, whole));
        }
        lines.push(serde_json::from_slice(&text)?);
        whole += size as u64;
    }
}

fn unwritable(folder: &Path, error: &std::io::Error) -> Failure {
    Failure::invalid(format!(
        "cannot use the folder {}: {error}",
        folder.display()
    ))
    .hint("give another `path`")
}
