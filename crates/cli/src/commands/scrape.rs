//! `szk scrape`

use szk_tools::workflow::{Scrape, ScrapeOutput};

use crate::error::Outcome;
use crate::operation::{Table, Terminal, Typed};
use crate::render::content::content;
use crate::render::spoken::Speech;

impl Terminal for Scrape {
    fn table() -> Table {
        Table::new(&[
            "szk scrape --form tables",
            "szk scrape https://example.com/a https://example.com/b",
            "szk scrape --select title=h2 --select price=.price --pages 5",
            "szk scrape --schema '{\"properties\": {\"title\": {\"type\": \"string\"}}}' --pages 10",
        ])
        .about("Collect content from one or more pages")
        .details(
            "Reads pages other than the open one in a tab that it closes again. Prints text as it is, \
             and a list as one JSON object per line.",
        )
        .positions(&["urls"])
        .arg("selectors", |arg| {
            arg.long("select")
                .value_name("NAME=CSS")
                .help("A name and a CSS selector; gives a list of texts; can be repeated")
                .conflicts_with("form")
        })
        .arg("schema", |arg| arg.conflicts_with_all(["form", "selectors"]))
        .arg("items", |arg| arg.requires("schema"))
    }

    async fn run(typed: Typed<Self>) -> Outcome {
        let output = typed.output().await?;
        for page in &output.pages {
            if let Some(error) = &page.error {
                let text = format!("{} was not read: {error}", page.url);
                typed.context.ui.warn(&text);
            }
        }
        typed.show(&output, text)
    }
}

fn text(output: &ScrapeOutput) -> String {
    content(
        output.content.as_deref(),
        output.entries.as_deref(),
        &output.notes,
        output.cursor.as_deref(),
        &Speech::running::<Scrape>(),
    )
}
