//! `szk crawl`

use szk_text::counted;
use szk_tools::workflow::{Crawl, CrawlEnd, CrawlOutput};

use crate::error::Outcome;
use crate::operation::{Table, Terminal, Typed};

impl Terminal for Crawl {
    fn table() -> Table {
        Table::new(&[
            "szk crawl https://example.com",
            "szk crawl https://example.com --include '/docs/*' --exclude '*?print=*' --out docs",
            "szk crawl https://example.com --tabs 4 --pause-ms 200 --pages 5000",
            "szk crawl https://example.com --schema '{\"properties\": {\"title\": {\"type\": \"string\"}}}'",
        ])
        .about("Read the pages of a site into a file")
        .details(
            "Finds pages by the sitemap and by links, keeps to robots.txt and to the site, and writes one \
             JSON line per page as it comes. Prints the path of that file. The same command continues a \
             crawl that was interrupted.",
        )
        .positions(&["url"])
        .arg("path", |arg| arg.value_name("DIR"))
        .help(
            "path",
            "Folder for the result [default: one in the profile's `artifacts/crawls`]",
        )
        .help("pages", "Maximum pages, 1 to 100000 [default: 500]")
        .help("depth", "Maximum links from the first page to any other [default: 10]")
        .arg("include", |arg| arg.value_name("PATTERN"))
        .help(
            "include",
            "Only addresses like this: path and query with `*`, such as `/docs/*`",
        )
        .arg("exclude", |arg| arg.value_name("PATTERN"))
        .help("exclude", "No addresses like this")
        .help("tabs", "Tabs at a time, 1 to 8 [default: 2]")
        .help(
            "pause_ms",
            "Minimum pause between two pages of a host in milliseconds [default: 500]",
        )
        .arg("items", |arg| arg.requires("schema"))
    }

    async fn run(typed: Typed<Self>) -> Outcome {
        let output = typed.output().await?;
        let mut said = counted(output.pages.into(), "page");
        if output.failed > 0 {
            said.push_str(&format!(", {} of them not read", output.failed));
        }
        typed.context.ui.talk(&said);
        if output.ended != CrawlEnd::All {
            let text = format!(
                "still to be read: {}; the same command {}",
                counted(output.waiting.into(), "address"),
                match output.ended {
                    CrawlEnd::Limit => "with more `--pages` continues",
                    _ => "continues",
                }
            );
            typed.context.ui.warn(&text);
        }
        for note in &output.notes {
            typed.context.ui.warn(note);
        }
        typed.show(&output, |output: &CrawlOutput| {
            format!("{}\n", output.path.display())
        })
    }
}
