//! `workflow_crawl`: a site with traps, read once and only once, although its keeper is killed.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Value, json};

use crate::harness::process::Process;
use crate::harness::{Answer, PATIENTLY, Signal, Site, TestEnv, wait_until};

fn lines(path: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(path).unwrap_or_default();
    let whole = text.rsplit_once('\n').map_or("", |(whole, _)| whole);
    whole
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

fn line<'a>(lines: &'a [Value], path: &str) -> &'a Value {
    let ends = |line: &&Value| {
        let asked = line["asked"].as_str().or(line["url"].as_str()).unwrap();
        asked.ends_with(path)
    };
    let mut found = lines.iter().filter(ends);
    let line = found
        .next()
        .unwrap_or_else(|| panic!("no {path} in {lines:#?}"));
    assert!(found.next().is_none(), "{path} twice in {lines:#?}");
    line
}

#[test]
fn a_site_with_traps() {
    let away = Site::of("<title>away</title>");
    let target = away.url("/taken");
    let month = |asked: &crate::harness::SiteRequest| {
        let month: u32 = asked.field("of").parse().unwrap_or(0);
        Answer::html(format!(
            "<title>Month {month}</title><p>{month}<a href='/calendar?of={}'>next</a>",
            month + 1
        ))
    };
    let origin = Arc::new(std::sync::OnceLock::<String>::new());
    let known = Arc::clone(&origin);
    let site = Site::plan()
        .on("/robots.txt", |_| {
            Answer::html("User-agent: *\nDisallow: /private\n").header("content-type", "text/plain")
        })
        .on("/sitemap.xml", move |_| {
            let origin = known.get().unwrap();
            Answer::html(format!(
                "<?xml version='1.0'?><urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>\
                 <url><loc>{origin}/hidden</loc></url><url><loc>{origin}/private/map</loc></url></urlset>"
            ))
            .header("content-type", "application/xml")
        })
        .page(
            "/",
            "<title>Home</title><h1>Welcome</h1><a href='/item?id=1&utm_source=x#top'>one</a><a href='/item?id=1'>one</a>\
             <a href='/private/x'>p</a><a href='/out'>out</a><a href='/moved'>m</a><a href='/missing'>-</a>\
             <a href='/data'>d</a><a href='/a.zip'>z</a><a href='/calendar?of=1'>c</a><a rel=nofollow href='/not'>n</a>\
             <a href='/skip/this'>s</a>",
        )
        .page("/item", "<title>Item</title><ul><li><h2>Thing</h2><b>2.50</b></ul>")
        .page("/hidden", "<title>Hidden</title>")
        .on("/out", move |_| Answer::redirect(&target))
        .on("/moved", |_| Answer::redirect("/item?id=1"))
        .on("/missing", |_| Answer::html("<p>gone").with_status(404))
        .on("/data", |_| Answer::json(&json!({"a": 1})))
        .on("/calendar", month)
        .serve();
    origin.set(site.origin()).unwrap();
    let env = TestEnv::new();
    let mut mcp = env.mcp();
    mcp.open_session("work");
    let folder = env.work().join("result");
    let input = json!({
        "url": site.origin(), "path": folder, "pause_ms": 0, "exclude": ["/skip/*"], "depth": 1000, "tabs": 3,
    });
    let said = mcp.ok("workflow_crawl", input.clone());
    assert_eq!(said["ended"], "all", "{said:#}");
    let pages = lines(&folder.join("pages.jsonl"));
    let home = line(&pages, "/");
    assert_eq!(
        (&home["title"], &home["status"]),
        (&json!("Home"), &json!(200))
    );
    assert!(
        home["markdown"].as_str().unwrap().contains("# Welcome"),
        "{home:#}"
    );
    assert_eq!(line(&pages, "/hidden")["title"], "Hidden");
    assert_eq!(line(&pages, "/item?id=1")["title"], "Item");
    let out = line(&pages, "/out")["error"].as_str().unwrap().to_owned();
    assert!(out.contains("not on the site"), "{out}");
    assert_eq!(away.asked().len(), 0, "{:#?}", away.asked());
    let moved = line(&pages, "/moved");
    assert!(
        moved["url"].as_str().unwrap().ends_with("/item?id=1"),
        "{moved:#}"
    );
    assert!(
        line(&pages, "/missing")["error"]
            .as_str()
            .unwrap()
            .contains("404")
    );
    assert!(
        line(&pages, "/data")["error"]
            .as_str()
            .unwrap()
            .contains("application/json")
    );
    let left = &said["left_out"];
    for (reason, count) in [("robots", 2), ("patterns", 1), ("files", 1), ("traps", 1)] {
        assert_eq!(left[reason], count, "{reason}: {said:#}");
    }
    let asked: Vec<String> = site.asked().into_iter().map(|asked| asked.path).collect();
    let never = ["/private/x", "/private/map", "/a.zip", "/not", "/skip/this"];
    assert!(
        !asked.iter().any(|path| never.contains(&&**path)),
        "{asked:?}"
    );
    assert!(pages.len() > 20 && pages.len() < 50, "{}", pages.len());
    // Nothing is read twice, and no tab is left.
    let again = mcp.ok("workflow_crawl", input);
    assert_eq!(
        (&again["pages"], &again["resumed"]),
        (&said["pages"], &said["pages"])
    );
    assert_eq!(lines(&folder.join("pages.jsonl")).len(), pages.len());
    let tabs = mcp.ok("browser_tabs", json!({}));
    assert_eq!(tabs["tabs"].as_array().map(Vec::len), Some(1), "{tabs:#}");
    // Records, in the terminal.
    let schema = r#"{"type": "array", "items": {"properties": {"title": {"type": "string"}}}}"#;
    let url = site.url("/item?id=7");
    let printed = env
        .szk([
            "crawl",
            &url,
            "-s",
            "work",
            "--schema",
            schema,
            "--items",
            "li",
            "--no-sitemap",
            "--pause-ms",
            "0",
        ])
        .ok()
        .stdout;
    let records = lines(Path::new(printed.trim()));
    assert_eq!(records.len(), 1, "{records:#?}");
    assert_eq!(
        records[0]["records"][0],
        json!({"title": "Thing"}),
        "{records:#?}"
    );
    let refused = mcp.fails(
        "workflow_crawl",
        json!({"url": site.url("/private/x")}),
        "INVALID_INPUT",
    );
    assert!(refused.to_string().contains("robots.txt"), "{refused}");
    // Chromium shows a page of its own for an error without content.
    let failing = Site::plan()
        .page("/", "<title>Home</title><p>here")
        .on("/robots.txt", |_| Answer::status(503))
        .serve();
    let crawl = |ignore: bool| json!({"url": failing.url("/"), "pause_ms": 0, "no_sitemap": true, "ignore_robots": ignore});
    let refused = mcp.fails("workflow_crawl", crawl(false), "NAVIGATION_FAILED");
    assert_eq!(
        refused["message"], "robots.txt cannot be read: the site answered with status 503",
        "{refused}"
    );
    let read = mcp.ok("workflow_crawl", crawl(true));
    assert_eq!(read["pages"], 1, "{read:#}");
}

#[test]
fn a_killed_crawl_goes_on_where_it_was() {
    const PAGES: usize = 40;
    let asked = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&asked);
    let site = Site::plan()
        .on("/", |_| {
            let links = (1..PAGES).map(|number| format!("<a href='/page?n={number}'>{number}</a>"));
            Answer::html(format!("<title>All</title>{}", links.collect::<String>()))
        })
        .on("/page", move |asked| {
            counter.fetch_add(1, Ordering::Relaxed);
            Answer::html(format!("<title>Page</title><p>{}", asked.field("n")))
        })
        .serve();
    let env = TestEnv::new();
    let opened = env.open("work");
    let folder = env.work().join("result");
    let (pages, target) = (folder.join("pages.jsonl"), folder.to_str().unwrap());
    let origin = site.origin();
    let args = [
        "crawl",
        &origin,
        "-s",
        "work",
        "--out",
        target,
        "--pause-ms",
        "0",
    ];
    let count = || lines(&pages).len();
    // The terminal is killed, then the keeper.
    let running = env.szk(args).start();
    wait_until("a few pages", PATIENTLY, || count() >= 5);
    running.signal(Signal::KILL);
    running.end();
    let running = env.szk(args).start();
    let before = count();
    wait_until("a few more", PATIENTLY, || count() >= before + 5);
    let keeper = opened["keeper_pid"].as_u64().unwrap();
    let keeper = Process::find(u32::try_from(keeper).unwrap()).unwrap();
    keeper.signal(Signal::KILL);
    assert_ne!(running.end().code, Some(0));
    let there = count();
    assert!(there < PAGES, "it was over before it was killed");
    env.open("work");
    let ended = env.szk(args).ok();
    assert_eq!(ended.stdout.trim(), pages.to_str().unwrap());
    let lines = lines(&pages);
    let urls: BTreeSet<&str> = lines
        .iter()
        .map(|line| line["url"].as_str().unwrap())
        .collect();
    assert_eq!((lines.len(), urls.len()), (PAGES, PAGES), "{urls:#?}");
    // A page that has a line is not asked for again: at most those that were open when it was killed.
    assert!(asked.load(Ordering::Relaxed) < PAGES + 8, "{asked:?}");
}
