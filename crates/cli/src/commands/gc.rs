//! `szk gc`

use std::time::Duration;

use clap::Args;
use szk_client::{Garbage, Litter, LitterKind as Kind};

use crate::command::{ByHand, Called};
use crate::error::Outcome;
use crate::exit::Exit;
use crate::render::human;
use crate::render::table::{self, Cell, Column};

/// Remove what dead processes left behind, and old artifacts
///
/// Also removes damaged copies that were moved aside. Never touches profiles, logins and downloads, or
/// anything of an open profile.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  szk gc --dry-run\n  szk gc --artifacts-older-than 7")]
pub(crate) struct GcArgs {
    /// Only show what would be removed
    #[arg(short = 'n', long)]
    dry_run: bool,
    /// Remove screenshots, exports, crawls, runs of `szk do` and other artifacts older than this
    #[arg(long, value_name = "DAYS", default_value_t = 30)]
    artifacts_older_than: u32,
}

impl ByHand for GcArgs {
    const NAME: &'static str = "gc";

    async fn run(self, called: Called) -> Outcome {
        let context = &called.context()?;
        let age = Duration::from_secs(u64::from(self.artifacts_older_than) * 24 * 3600);
        let found = context.client.gc(Some(age), self.dry_run).await?;
        let ui = context.ui;
        ui.answer(&found, table)?;
        for left in &found.left {
            ui.warn(left);
        }
        if !found.open.is_empty() {
            ui.talk(&format!(
                "skipped because they are open: {}",
                found.open.join(", ")
            ));
        }
        let verb = if found.dry_run {
            "would be freed"
        } else {
            "freed"
        };
        ui.talk(&format!("{} {verb}", human::size(found.bytes)));
        Ok(Exit::OK)
    }
}

fn table(found: &Garbage) -> String {
    const COLUMNS: [Column; 3] = [
        Column {
            head: "WHAT",
            right: false,
        },
        Column {
            head: "SIZE",
            right: true,
        },
        Column {
            head: "PATH",
            right: false,
        },
    ];
    if found.litter.is_empty() {
        return String::new();
    }
    let row = |litter: &Litter| {
        vec![
            Cell::new(word(litter.kind)),
            Cell::new(human::size(litter.bytes)),
            Cell::new(litter.path.display().to_string()),
        ]
    };
    let rows: Vec<Vec<Cell>> = found.litter.iter().map(row).collect();
    table::render(&COLUMNS, &rows)
}

fn word(kind: Kind) -> &'static str {
    match kind {
        Kind::Clone => "left-over clone",
        Kind::Empty => "failed start",
        Kind::Trash => "trash",
        Kind::Corrupt => "damaged copy",
        Kind::Artifact => "old artifact",
        Kind::Metrics => "browser metrics",
    }
}
