//! `szk extract`

use clap::Args;
use serde_json::Value;
use szk_tools::browser::{Extract, ExtractInput, ExtractOutput, Form};

use super::pick::{Page, json, word};
use crate::context::Context;
use crate::error::Outcome;
use crate::exit::Exit;
use crate::render::content::content;

/// Extract what the page shows
///
/// Prints text as it is, and a list as one JSON object per line.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  szk extract\n  szk extract --form links --json\n  szk extract --schema '{\"properties\": {\"title\": {\"type\": \"string\"}}}'"
)]
pub(crate) struct ExtractArgs {
    /// Output form [default: markdown]
    #[arg(
        long,
        value_name = "FORM",
        value_parser = word::<Form>(&["text", "article", "markdown", "html", "links", "images", "forms", "records"])
    )]
    form: Option<Form>,
    /// Only this part: a ref, or a CSS selector that matches one element
    #[arg(long, value_name = "REF|CSS")]
    scope: Option<String>,
    /// JSON schema for the records
    #[arg(long, value_name = "JSON", value_parser = json)]
    schema: Option<Value>,
    /// CSS selector of the elements that are records
    #[arg(long, value_name = "CSS", requires = "schema")]
    items: Option<String>,
    /// Most list entries to print
    #[arg(long, value_name = "ENTRIES")]
    limit: Option<u32>,
    /// Most bytes to print [default: 45000]
    #[arg(long, value_name = "BYTES")]
    max_bytes: Option<u32>,
    /// Continue where the last answer was cut
    #[arg(long, value_name = "CURSOR")]
    cursor: Option<String>,
    #[command(flatten)]
    page: Page,
}

impl ExtractArgs {
    pub(super) async fn run(self, context: &Context) -> Outcome {
        let input = ExtractInput {
            session: self.page.session,
            tab: self.page.tab,
            form: self.form,
            scope: self.scope,
            schema: self.schema,
            items: self.items,
            limit: self.limit,
            max_bytes: self.max_bytes,
            cursor: self.cursor,
            timeout_ms: self.page.timeout_ms,
        };
        let output = context.output::<Extract>(&input).await?;
        context.ui.answer(&output, text)?;
        Ok(Exit::OK)
    }
}

fn text(output: &ExtractOutput) -> String {
    content(
        output.content.as_deref(),
        output.entries.as_deref(),
        &output.notes,
        output.cursor.as_deref(),
    )
}
