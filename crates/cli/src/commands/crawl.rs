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
        .about("Read the pages of a site into a folder")
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
        .help("exclude", "Skip addresses like this")
        .help("tabs", "Tabs at a time, 1 to 8 [default: 2]")
        .help(
            "pause_ms",
            "Minimum pause between two pages of a host in milliseconds [default: 500]",
        )
        .arg("items", |arg| arg.requires("schema"))
    }

    async fn run(typed: Typed<Self>) -> Outcome {
        let output = typed.output().await?;
        typed.context.ui.talk(&said(&output));
        if let Some(text) = unread(&output) {
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

fn said(output: &CrawlOutput) -> String {
    let pages = counted(output.pages.into(), "page");
    match (output.pages, output.failed) {
        (_, 0) => pages,
        (1, _) => format!("{pages}, which was not read"),
        (_, failed) => format!("{pages}, {failed} of them not read"),
    }
}

/// What a crawl that was not complete left, and how to go on.
fn unread(output: &CrawlOutput) -> Option<String> {
    let how = match output.ended {
        CrawlEnd::All => return None,
        CrawlEnd::Limit => "with more `--pages` continues",
        CrawlEnd::Time => "continues",
    };
    let waiting = counted(output.waiting.into(), "address");
    Some(format!(
        "still to be read: {waiting}; the same command {how}"
    ))
}

#[cfg(test)]
mod tests {
    use szk_tools::workflow::CrawlLeftOut;

    use super::*;

    #[test]
    fn one_page_and_one_address_have_no_plural() {
        let output = |pages: u32, failed: u32, waiting: u32| CrawlOutput {
            session: "work".to_owned(),
            path: "pages.jsonl".into(),
            ended: CrawlEnd::Time,
            pages,
            resumed: 0,
            failed,
            waiting,
            left_out: CrawlLeftOut::default(),
            notes: Vec::new(),
        };
        assert_eq!(said(&output(1, 0, 0)), "1 page");
        assert_eq!(said(&output(1, 1, 0)), "1 page, which was not read");
        assert_eq!(said(&output(3, 1, 0)), "3 pages, 1 of them not read");
        let check = |waiting: u32, expected: &str| {
            let text = unread(&output(1, 0, waiting)).unwrap();
            assert_eq!(
                text,
                format!("still to be read: {expected}; the same command continues")
            );
        };
        check(1, "1 address");
        check(2, "2 addresses");
    }
}
