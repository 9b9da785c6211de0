//! `szk scrape`

use std::collections::BTreeMap;

use clap::Args;
use serde_json::Value;
use szk_tools::workflow::{Scrape, ScrapeForm, ScrapeInput, ScrapeOutput};

use super::pick::{Page, json, word};
use crate::context::Context;
use crate::error::Outcome;
use crate::exit::Exit;
use crate::render::content::content;

/// Collect content from one or more pages
///
/// Reads pages other than the open one in a tab that it closes again. Prints text as it is, and a list
/// as one JSON object per line.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  szk scrape --form tables\n  szk scrape https://example.com/a https://example.com/b\n  szk scrape --select title=h2 --select price=.price --pages 5\n  szk scrape --schema '{\"properties\": {\"title\": {\"type\": \"string\"}}}' --pages 10"
)]
pub(crate) struct ScrapeArgs {
    /// Addresses [default: the open page]
    #[arg(value_name = "URL")]
    urls: Vec<String>,
    /// Output form [default: markdown]
    #[arg(
        long,
        value_name = "FORM",
        value_parser = word::<ScrapeForm>(&["text", "markdown", "article", "links", "tables"])
    )]
    form: Option<ScrapeForm>,
    /// A name and a CSS selector; gives a list of texts
    #[arg(id = "selectors", long = "select", value_name = "NAME=CSS", value_parser = pair, conflicts_with = "form")]
    selectors: Vec<(String, String)>,
    /// JSON schema for the records
    #[arg(long, value_name = "JSON", value_parser = json, conflicts_with_all = ["form", "selectors"])]
    schema: Option<Value>,
    /// CSS selector of the records
    #[arg(long, value_name = "CSS", requires = "schema")]
    items: Option<String>,
    /// Only this part: CSS selector, or a ref of the open page
    #[arg(long, value_name = "REF|CSS")]
    scope: Option<String>,
    /// Most pages to follow [default: 1]
    #[arg(long, value_name = "PAGES")]
    pages: Option<u32>,
    /// CSS selector of the link to the next page, if szk does not find it
    #[arg(long, value_name = "CSS")]
    next: Option<String>,
    /// Most bytes to print [default: 45000]
    #[arg(long, value_name = "BYTES")]
    max_bytes: Option<u32>,
    /// Continue where the last answer was cut
    #[arg(long, value_name = "CURSOR")]
    cursor: Option<String>,
    #[command(flatten)]
    page: Page,
}

impl ScrapeArgs {
    pub(super) async fn run(self, context: &Context) -> Outcome {
        let selectors: BTreeMap<String, String> = self.selectors.into_iter().collect();
        let input = ScrapeInput {
            session: self.page.session,
            tab: self.page.tab,
            urls: Some(self.urls).filter(|urls| !urls.is_empty()),
            form: self.form,
            selectors: Some(selectors).filter(|all| !all.is_empty()),
            schema: self.schema,
            items: self.items,
            scope: self.scope,
            pages: self.pages,
            next: self.next,
            max_bytes: self.max_bytes,
            cursor: self.cursor,
            timeout_ms: self.page.timeout_ms,
        };
        let output = context.output::<Scrape>(&input).await?;
        for page in &output.pages {
            if let Some(error) = &page.error {
                context
                    .ui
                    .warn(&format!("{} was not read: {error}", page.url));
            }
        }
        context.ui.answer(&output, text)?;
        Ok(Exit::OK)
    }
}

fn text(output: &ScrapeOutput) -> String {
    content(
        output.content.as_deref(),
        output.entries.as_deref(),
        &output.notes,
        output.cursor.as_deref(),
    )
}

fn pair(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, selector)) if !name.is_empty() && !selector.is_empty() => {
            Ok((name.to_owned(), selector.to_owned()))
        }
        _ => Err("write `NAME=CSS`".to_owned()),
    }
}
