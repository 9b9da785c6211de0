//! `szk navigate`

use clap::Args;
use szk_tools::browser::{History, Navigate, NavigateInput, Wait};

use super::pick::{Page, Show, word};
use crate::context::Context;
use crate::error::Outcome;
use crate::exit::Exit;
use crate::render::text::printable_lines;

/// Go to a page
///
/// A page that fails to load is an error.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  szk navigate https://example.com\n  szk navigate https://example.com --snapshot\n  szk navigate --back -s work"
)]
pub(crate) struct NavigateArgs {
    #[command(flatten)]
    place: Place,
    /// What to wait for [default: load]
    #[arg(
        long,
        value_name = "EVENT",
        value_parser = word::<Wait>(&["commit", "domcontentloaded", "load", "networkidle"])
    )]
    wait: Option<Wait>,
    #[command(flatten)]
    show: Show,
    #[command(flatten)]
    page: Page,
}

/// Where to go: exactly one.
#[derive(Debug, Args)]
#[group(required = true, multiple = false)]
struct Place {
    /// Address; without a scheme, `https://` is assumed
    #[arg(value_name = "URL")]
    url: Option<String>,
    /// Go back in the tab's history
    #[arg(long)]
    back: bool,
    /// Go forward
    #[arg(long)]
    forward: bool,
    /// Reload the page
    #[arg(long)]
    reload: bool,
}

impl Place {
    fn history(&self) -> Option<History> {
        let moves = [
            (self.back, History::Back),
            (self.forward, History::Forward),
            (self.reload, History::Reload),
        ];
        let chosen = moves.into_iter().find(|(chosen, _)| *chosen)?;
        Some(chosen.1)
    }
}

impl NavigateArgs {
    pub(super) async fn run(self, context: &Context) -> Outcome {
        let input = NavigateInput {
            session: self.page.session,
            tab: self.page.tab,
            history: self.place.history(),
            url: self.place.url,
            wait: self.wait,
            snapshot: self.show.snapshot,
            timeout_ms: self.page.timeout_ms,
        };
        let response = context.call::<Navigate>(&input).await?;
        context
            .ui
            .answer(&response.data, |_| printable_lines(&response.summary))?;
        Ok(Exit::OK)
    }
}
