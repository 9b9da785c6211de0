//! `szk find`

use clap::Args;
use szk_tools::browser::{Find, FindInput};

use super::pick::Page;
use crate::context::Context;
use crate::error::Outcome;
use crate::exit::Exit;
use crate::render::text::printable_lines;

/// Find text on the page
///
/// Prints each match with its ref and the elements around it.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  szk find 'sign in'\n  szk find --regex '[0-9]+ results' --scope main"
)]
pub(crate) struct FindArgs {
    #[command(flatten)]
    what: What,
    /// Only in this part: a ref, or a CSS selector that matches one element
    #[arg(long, value_name = "REF|CSS")]
    scope: Option<String>,
    /// Most matches to print [default: 20]
    #[arg(long, value_name = "PLACES")]
    limit: Option<u32>,
    #[command(flatten)]
    page: Page,
}

/// What to look for: exactly one.
#[derive(Debug, Args)]
#[group(required = true, multiple = false)]
struct What {
    /// Text, ignoring case
    #[arg(value_name = "TEXT")]
    text: Option<String>,
    /// Regular expression; `(?i)` ignores case
    #[arg(long, value_name = "REGEX")]
    regex: Option<String>,
}

impl FindArgs {
    pub(super) async fn run(self, context: &Context) -> Outcome {
        let input = FindInput {
            session: self.page.session,
            tab: self.page.tab,
            text: self.what.text,
            regex: self.what.regex,
            scope: self.scope,
            limit: self.limit,
            timeout_ms: self.page.timeout_ms,
        };
        let response = context.call::<Find>(&input).await?;
        context
            .ui
            .answer(&response.data, |_| printable_lines(&response.summary))?;
        Ok(Exit::OK)
    }
}
