//! `szk snapshot`

use std::path::PathBuf;

use clap::Args;
use clap::builder::ValueHint;
use szk_tools::browser::{Snapshot, SnapshotInput, SnapshotMode};

use super::launch::absolute;
use super::pick::{Page, word};
use crate::context::Context;
use crate::error::Outcome;
use crate::exit::Exit;
use crate::render::text::printable_lines;

/// Read the page as text, with refs
///
/// One line per node of the accessibility tree. A ref such as e5 stays with its node.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  szk snapshot\n  szk snapshot --mode minimal\n  szk snapshot --mode full --scope main\n  szk snapshot --diff"
)]
pub(crate) struct SnapshotArgs {
    /// What to list [default: interactive]
    ///
    /// interactive: what can be acted on and its context, images, and the text of alerts and dialogs.
    /// full: also all text and descriptions. minimal: only refs, roles and names.
    #[arg(long, value_name = "MODE", value_parser = word::<SnapshotMode>(&["interactive", "full", "minimal"]))]
    mode: Option<SnapshotMode>,
    /// Only this part: a ref, or a CSS selector that matches one element
    #[arg(long, value_name = "REF|CSS")]
    scope: Option<String>,
    /// Depth in levels
    #[arg(long, value_name = "LEVELS")]
    depth: Option<u32>,
    /// Most lines to print
    #[arg(long, value_name = "LINES")]
    limit: Option<u32>,
    /// Most bytes to print, cut between lines [default: 45000]
    #[arg(long, value_name = "BYTES")]
    max_bytes: Option<u32>,
    /// Continue where the last answer was cut
    #[arg(long, value_name = "CURSOR")]
    cursor: Option<String>,
    /// Only what changed since the last snapshot of the same kind
    #[arg(long)]
    diff: bool,
    /// Add boxes: x, y, width, height in the viewport
    #[arg(long)]
    boxes: bool,
    /// File to write all of it to
    #[arg(id = "path", short = 'o', long = "out", value_name = "FILE", value_hint = ValueHint::FilePath)]
    path: Option<PathBuf>,
    #[command(flatten)]
    page: Page,
}

impl SnapshotArgs {
    pub(super) async fn run(self, context: &Context) -> Outcome {
        let input = SnapshotInput {
            session: self.page.session,
            tab: self.page.tab,
            mode: self.mode,
            scope: self.scope,
            depth: self.depth,
            limit: self.limit,
            max_bytes: self.max_bytes,
            cursor: self.cursor,
            diff: self.diff.then_some(true),
            boxes: self.boxes.then_some(true),
            path: self.path.as_deref().map(absolute).transpose()?,
            timeout_ms: self.page.timeout_ms,
        };
        let response = context.call::<Snapshot>(&input).await?;
        context
            .ui
            .answer(&response.data, |_| printable_lines(&response.summary))?;
        Ok(Exit::OK)
    }
}
