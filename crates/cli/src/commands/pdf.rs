//! `szk pdf`

use std::path::{Path, PathBuf};

use clap::Args;
use clap::builder::ValueHint;
use szk_tools::browser::{Pdf, PdfInput};

use super::launch::absolute;
use super::pick::Page;
use crate::context::Context;
use crate::error::Outcome;
use crate::exit::Exit;

/// Print the page to a PDF file
///
/// Prints the name of the file.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  szk pdf --out page.pdf\n  szk pdf --out page.pdf --paper a4 --margin 1cm"
)]
pub(crate) struct PdfArgs {
    /// File to write [default: a new one in the profile's `artifacts` folder]
    #[arg(id = "path", short = 'o', long = "out", value_name = "FILE", value_hint = ValueHint::FilePath)]
    path: Option<PathBuf>,
    /// a3, a4, a5, letter, legal, tabloid, or a size such as `210x297mm` [default: letter]
    #[arg(long, value_name = "PAPER")]
    paper: Option<String>,
    /// Landscape orientation
    #[arg(long)]
    landscape: bool,
    /// All margins, such as `1cm`
    #[arg(long, value_name = "LENGTH")]
    margin: Option<String>,
    /// Scale, 0.1 to 2
    #[arg(long, value_name = "FACTOR")]
    scale: Option<f64>,
    /// Pages, such as `1-3,5` [default: all]
    #[arg(long, value_name = "PAGES")]
    pages: Option<String>,
    /// Leave out backgrounds
    #[arg(id = "background", long = "no-background")]
    no_background: bool,
    #[command(flatten)]
    page: Page,
}

impl PdfArgs {
    pub(super) async fn run(self, context: &Context) -> Outcome {
        let input = PdfInput {
            session: self.page.session,
            tab: self.page.tab,
            path: self.path.as_deref().map(absolute).transpose()?,
            paper: self.paper,
            landscape: self.landscape.then_some(true),
            margin: self.margin,
            scale: self.scale,
            pages: self.pages,
            background: self.no_background.then_some(false),
            timeout_ms: self.page.timeout_ms,
        };
        let output = context.output::<Pdf>(&input).await?;
        context.ui.answer(&output, |output| {
            let path: &Path = &output.path;
            path.display().to_string()
        })?;
        Ok(Exit::OK)
    }
}
