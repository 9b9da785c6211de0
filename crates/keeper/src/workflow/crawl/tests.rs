//! The decisions of a crawl, without a browser.

use std::collections::HashSet;

use serde_json::json;
use szk_tools::workflow::{CrawlEnd, CrawlLeftOut, CrawlOutput};
use texting_robots::Robot;
use url::Url;

use super::address::{Pattern, Site, is_file, key, normal, repeats};
use super::frontier::{Frontier, Rules};
use super::output::{self, Line, Output, Plan};

fn url(text: &str) -> Url {
    Url::parse(text).unwrap()
}

#[test]
fn one_page_has_one_key() {
    let check = |one: &str, other: &str, same: bool| {
        let keys = [one, other].map(|text| key(&normal(text).unwrap()));
        assert_eq!(keys[0] == keys[1], same, "{one} {other}: {keys:?}");
    };
    check("http://a.example", "https://www.a.example/#top", true);
    check(
        "http://a.example/?b=1&a=2",
        "http://a.example/?a=2&b=1",
        true,
    );
    check("http://a.example/%7euser", "http://a.example/~user", true);
    check(
        "http://a.example/a?utm_source=x&gclid=1",
        "http://a.example/a",
        true,
    );
    check(
        "http://a.example/a;jsessionid=1?PHPSESSID=2",
        "http://a.example/a",
        true,
    );
    check("http://a.example:80/", "http://a.example/", true);
    check("http://a.example/a%2fb", "http://a.example/a/b", false);
    check("http://a.example/A", "http://a.example/a", false);
    check("http://a.example/?a=1", "http://a.example/?a=2", false);
    check("http://a.example/%zz%4", "http://a.example/", false);
    check("http://a.example/%e", "http://a.example/%é", false);
    assert!(normal("mailto:a@b").is_none() && normal("x").is_none());
    assert!(normal(&format!("http://a.example/{}", "x".repeat(3000))).is_none());
}

#[test]
fn a_site_is_its_host() {
    let check = |below: bool, address: &str, has: bool| {
        let site = Site::of(&url("https://www.a.example/x"), below);
        assert_eq!(site.has(&url(address)), has, "{below} {address}");
    };
    check(false, "http://a.example/", true);
    check(false, "https://www.a.example/", true);
    check(false, "https://b.a.example/", false);
    check(true, "https://b.a.example/", true);
    check(true, "https://ba.example/", false);
    check(true, "https://a.example.evil.example/", false);
    check(false, "https://a.example:8443/", false);
    check(false, "ftp://a.example/", false);
}

#[test]
fn patterns_are_about_path_and_query() {
    let fits = |pattern: &str, address: &str| Pattern::read(pattern).unwrap().fits(&url(address));
    assert!(fits("/docs/*", "http://a.example/docs/a?b=c"));
    assert!(!fits("/docs/*", "http://a.example/x/docs/a"));
    assert!(fits("*?print=*", "http://a.example/x?print=1"));
    assert!(!fits("/a.b", "http://a.example/aXb"));
    assert!(fits("https://*.example/x", "https://a.example/x"));
    assert!(Pattern::read("docs").is_err());
}

#[test]
fn paths_without_end_and_files_are_known() {
    assert!(repeats(&url("http://a.example/a/b/a/b/a/b")));
    assert!(repeats(&url("http://a.example/x/x/x")));
    assert!(!repeats(&url("http://a.example/2026/01/01/a")));
    assert!(is_file(&url("http://a.example/a.PDF?x")) && !is_file(&url("http://a.example/a.html")));
}

fn frontier(robots: &str, depth: u32) -> Frontier {
    let mut frontier = Frontier::new(Rules {
        site: Site::of(&url("http://a.example/"), false),
        include: Vec::new(),
        exclude: vec![Pattern::read("/no/*").unwrap()],
        depth,
        robots: Some(Robot::new("szk", robots.as_bytes()).unwrap()),
    });
    frontier.start(&url("http://a.example/"));
    frontier
}

#[test]
fn every_address_is_taken_once_or_has_a_reason() {
    let mut frontier = frontier("User-agent: *\nDisallow: /private", 1);
    for link in [
        "/a",
        "/a#b",
        "/private/x",
        "/no/x",
        "/f.zip",
        "http://b.example/",
        "/x/x/x",
        "mailto:x@y.example",
    ] {
        let link = url("http://a.example/").join(link).unwrap();
        frontier.found(link.as_str(), 1, Some("http://a.example/"));
    }
    frontier.found("http://a.example/deep", 2, Some("http://a.example/a"));
    let order: Vec<String> = std::iter::from_fn(|| frontier.next())
        .map(|next| next.url.to_string())
        .collect();
    assert_eq!(order, ["http://a.example/", "http://a.example/a"]);
    let out = frontier.left_out;
    assert_eq!(
        (
            out.robots,
            out.patterns,
            out.files,
            out.elsewhere,
            out.traps,
            out.depth
        ),
        (1, 1, 1, 1, 1, 1)
    );
}

#[test]
fn a_page_that_was_reached_does_not_wait_any_more() {
    let mut frontier = frontier("", 10);
    for path in ["a", "b", "c"] {
        frontier.found(&format!("http://a.example/{path}"), 1, None);
    }
    assert_eq!(frontier.waiting(), 4);
    frontier.reached(&url("https://www.a.example/b#x"));
    frontier.reached(&url("http://a.example/elsewhere"));
    assert_eq!(frontier.waiting(), 3);
    frontier.found("http://a.example/elsewhere", 1, None);
    frontier.found("http://a.example/b", 1, None);
    assert_eq!(frontier.waiting(), 3);
    let first = frontier.next().unwrap();
    frontier.again(first);
    assert_eq!(frontier.waiting(), 3);
    let order: Vec<String> = std::iter::from_fn(|| frontier.next())
        .map(|next| next.url.path().to_owned())
        .collect();
    assert_eq!(order, ["/", "/a", "/c"]);
    assert_eq!(frontier.waiting(), 0);
}

/// The keeper has one thread, and others want it while a long crawl is taken up again. With the work of each line
/// growing with all that waits, this test would not come to its end.
#[tokio::test]
async fn a_long_crawl_continues_while_others_work() {
    let folder = tempfile::tempdir().unwrap();
    let asked = json!({"url": "a"});
    let path = |page: usize| format!("http://a.example/page/{page}/of/{}", page % 7);
    let pages = 5_000;
    let mut output = Output::open(folder.path().join("crawl"), &asked).unwrap();
    output.lines = (0..pages)
        .map(|page| Line {
            url: path(page),
            asked: (page % 2 == 0).then(|| format!("{}?from", path(page))),
            depth: 1,
            links: (0..8).map(|link| path(page * 8 + link)).collect(),
            ..Line::default()
        })
        .collect();
    let mut crawling = super::Crawling {
        output,
        frontier: frontier("", 10),
        wanted: &crate::browser::Content::Markdown,
        contents: Default::default(),
        done: HashSet::new(),
        lines: 0,
        failed: 0,
        slots: Default::default(),
        pause: Default::default(),
        deadline: tokio::time::Instant::now(),
    };
    let mut turns = 0;
    let others = async {
        loop {
            turns += 1;
            tokio::task::yield_now().await;
        }
    };
    let resumed = tokio::select! {
        resumed = crawling.resume() => resumed,
        () = others => 0,
    };
    assert_eq!((resumed, crawling.done.len()), (pages, pages));
    // What was linked and has no line, and the beginning.
    assert_eq!(crawling.frontier.waiting(), 8 * pages - pages + 1);
    assert!(turns > 100, "{turns}");
}

#[test]
fn a_calendar_has_an_end() {
    let mut frontier = frontier("", 1_000_000);
    let mut read = 0;
    while let Some(next) = frontier.next() {
        read += 1;
        assert!(read < 100);
        let from = next.url.to_string();
        frontier.found(
            &format!("http://a.example/month?of={read}"),
            next.depth + 1,
            Some(&from),
        );
    }
    assert!(frontier.left_out.traps == 1 && read > 12, "{read}");
}

#[test]
fn the_folder_is_the_whole_state() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("crawl");
    let asked = json!({"url": "a"});
    let plan = |done| Plan {
        asked: asked.clone(),
        robots: None,
        sitemap: Vec::new(),
        notes: Vec::new(),
        done,
    };
    let line = |url: &str| Line {
        url: url.to_owned(),
        ..Line::default()
    };
    let mut output = Output::open(path.clone(), &asked).unwrap();
    output.keep(plan(false)).unwrap();
    output.add(&line("one")).unwrap();
    // Nobody else writes there.
    assert!(Output::open(path.clone(), &asked).is_err());
    drop(output);
    // Killed in the middle of a line.
    let pages = path.join("pages.jsonl");
    let whole = std::fs::read_to_string(&pages).unwrap();
    std::fs::write(&pages, format!("{whole}{{\"url\":\"tw")).unwrap();
    assert!(Output::open(path.clone(), &json!({"url": "b"})).is_err());
    let mut output = Output::open(path.clone(), &asked).unwrap();
    assert_eq!(output.lines.len(), 1);
    output.add(&line("two")).unwrap();
    drop(output);
    let mut output = Output::open(path.clone(), &asked).unwrap();
    let urls: HashSet<&str> = output.lines.iter().map(|line| &*line.url).collect();
    assert_eq!(urls, HashSet::from(["one", "two"]));
    let same = |asked| output::default_folder(folder.path(), "crawl", &asked).unwrap();
    assert_eq!(same(asked.clone()), path);
    assert_eq!(same(json!({"url": "b"})), folder.path().join("crawl-2"));
    output.keep(plan(true)).unwrap();
    assert_eq!(
        output::default_folder(folder.path(), "crawl", &asked).unwrap(),
        folder.path().join("crawl-2")
    );
}

#[test]
fn what_is_said_of_a_crawl_adds_up() {
    let check = |ended, [pages, failed, resumed, waiting]: [u32; 4], expected: &str| {
        let said = super::summary(&CrawlOutput {
            session: "work".to_owned(),
            path: "/f/pages.jsonl".into(),
            ended,
            pages,
            resumed,
            failed,
            waiting,
            left_out: CrawlLeftOut::default(),
            notes: Vec::new(),
        });
        let end = said.find("\nleft out: 0 by robots.txt").unwrap();
        assert_eq!(&said[..end], expected);
    };
    check(
        CrawlEnd::All,
        [3, 0, 0, 0],
        "3 lines in /f/pages.jsonl: 3 pages read\nended: no address is left to visit",
    );
    check(
        CrawlEnd::All,
        [3, 2, 1, 0],
        "3 lines in /f/pages.jsonl: 1 page read, 2 pages not read (`error` in the line says why); 1 line by earlier calls\nended: no address is left to visit",
    );
    check(
        CrawlEnd::All,
        [1, 1, 0, 0],
        "1 line in /f/pages.jsonl: 0 pages read, 1 page not read (`error` in the line says why)\nended: no address is left to visit",
    );
    check(
        CrawlEnd::Limit,
        [2, 0, 0, 1],
        "2 lines in /f/pages.jsonl: 2 pages read\nended at the limit of `pages` with 1 address still to visit; the same call with more `pages` continues",
    );
    check(
        CrawlEnd::Time,
        [0, 0, 0, 5],
        "0 lines in /f/pages.jsonl: 0 pages read\nended as the time was up with 5 addresses still to visit; the same call continues",
    );
}
