//! `szk logs`

use std::path::{Path, PathBuf};

use clap::Args;
use clap::builder::ValueHint;
use szk_tools::browser::{LogKind, Logs, LogsInput};

use super::launch::absolute;
use super::pick::{Page, word};
use crate::context::Context;
use crate::error::Outcome;
use crate::exit::Exit;
use crate::render::text::printable_lines;

/// Most entries to print on stdout as JSON lines.
const MOST: u32 = 1000;

/// Show what happened in the pages
///
/// Console messages, requests, errors, dialogs and downloads; secrets are redacted. Finished ones are
/// also in `journal.jsonl` in the profile's `artifacts` folder.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  szk logs --kind network --status 4xx\n  szk logs --request 12\n  szk logs --kind network --out session.har"
)]
pub(crate) struct LogsArgs {
    /// Only this kind
    #[arg(
        long,
        value_name = "KIND",
        value_parser = word::<LogKind>(&["console", "network", "errors", "dialogs", "downloads"])
    )]
    kind: Option<LogKind>,
    /// Start or stop capturing a tab's console, and uncaught errors of documents loaded from then on;
    /// off by default
    #[arg(long, value_name = "BOOL", num_args = 0..=1, require_equals = true, default_missing_value = "true")]
    capture: Option<bool>,
    /// Only entries with this text, or `/regular expression/`
    #[arg(long, value_name = "TEXT")]
    text: Option<String>,
    /// Only this request type, message level or error source (`exception`)
    #[arg(id = "type", long = "type", value_name = "TYPE")]
    r#type: Option<String>,
    /// Only requests with this outcome: 404, 4xx, 200-299, failed, pending
    #[arg(long, value_name = "STATUS")]
    status: Option<String>,
    /// Only what changed after this cursor: `next` from an earlier answer
    #[arg(long, value_name = "CURSOR")]
    since: Option<u64>,
    /// Most entries to show [default: 50]
    #[arg(long, value_name = "COUNT")]
    limit: Option<u32>,
    /// Show headers and bodies of one request
    #[arg(long, value_name = "ID")]
    request: Option<u64>,
    /// Write to this file instead: HAR for `.har`, otherwise JSON lines; `-` is stdout
    #[arg(id = "path", short = 'o', long = "out", value_name = "FILE", value_hint = ValueHint::FilePath)]
    path: Option<PathBuf>,
    #[command(flatten)]
    page: Page,
}

impl LogsArgs {
    pub(super) async fn run(self, context: &Context) -> Outcome {
        let to_stdout = self.path.as_deref() == Some(Path::new("-"));
        let path = self.path.filter(|_| !to_stdout);
        let input = LogsInput {
            session: self.page.session,
            tab: self.page.tab,
            kind: self.kind,
            capture: self.capture,
            text: self.text,
            r#type: self.r#type,
            status: self.status,
            since: self.since,
            limit: self.limit.or(to_stdout.then_some(MOST)),
            request: self.request,
            path: path.as_deref().map(absolute).transpose()?,
            timeout_ms: self.page.timeout_ms,
        };
        let response = context.call::<Logs>(&input).await?;
        if to_stdout {
            for entry in response.read::<Logs>()?.entries {
                context.ui.json(&entry)?;
            }
            return Ok(Exit::OK);
        }
        context
            .ui
            .answer(&response.data, |_| printable_lines(&response.summary))?;
        Ok(Exit::OK)
    }
}
