//! `szk crawl`

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
        .arg("include", |arg| arg.value_name("PATTERN"))
        .arg("exclude", |arg| arg.value_name("PATTERN"))
        .arg("items", |arg| arg.requires("schema"))
    }

    async fn run(typed: Typed<Self>) -> Outcome {
        let output = typed.output().await?;
        let mut said = format!("{} pages", output.pages);
        if output.failed > 0 {
            said.push_str(&format!(", {} of them not read", output.failed));
        }
        typed.context.ui.talk(&said);
        if output.ended != CrawlEnd::All {
            let text = format!(
                "{} addresses are still to be read; the same command {}",
                output.waiting,
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
