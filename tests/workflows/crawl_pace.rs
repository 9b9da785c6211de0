//! `szk crawl` of a site that asks for pauses, has packed sitemaps and a subdomain: stopped by Ctrl-C and by its
//! time, it goes on.

use std::collections::BTreeSet;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::sync::{Arc, Mutex, OnceLock};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::harness::{Answer, PATIENTLY, Signal, Site, TestEnv, wait_until};

/// What `gzip` makes of a text.
fn packed(text: &str) -> Vec<u8> {
    let mut command = Command::new("gzip");
    let command = command.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut gzip = command.spawn().unwrap();
    let mut stdin = gzip.stdin.take().unwrap();
    stdin.write_all(text.as_bytes()).unwrap();
    drop(stdin);
    gzip.wait_with_output().unwrap().stdout
}

fn sitemap(kind: &str, entry: &str, addresses: &[String]) -> String {
    let entries = addresses
        .iter()
        .map(|address| format!("<{entry}><loc>{address}</loc></{entry}>"));
    let entries: String = entries.collect();
    format!("<{kind} xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>{entries}</{kind}>")
}

fn paths(pages: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(pages).unwrap_or_default();
    let lines = text
        .split_inclusive('\n')
        .filter(|line| line.ends_with('\n'));
    let line = lines.map(|line| serde_json::from_str::<Value>(line).unwrap());
    line.map(|line| line["url"].as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn a_slow_site_is_read_in_several_goes() {
    let (release, held) = mpsc::channel::<()>();
    let held = Mutex::new(held);
    let origin = Arc::new(OnceLock::<String>::new());
    let known = || {
        let origin = Arc::clone(&origin);
        move |path: &str| format!("{}{path}", origin.get().unwrap())
    };
    let (home, robots, index, one, two) = (known(), known(), known(), known(), known());
    let site = Site::plan()
        .on("/robots.txt", move |_| {
            let text = format!(
                "User-agent: *\nCrawl-delay: 1\nSitemap: {}\n",
                robots("/maps.xml")
            );
            Answer::bytes("text/plain", text.into_bytes())
        })
        .on("/maps.xml", move |_| {
            let all = [
                index("/one.xml"),
                index("/two.xml.gz"),
                index("/gone.xml.gz"),
            ];
            Answer::bytes(
                "application/xml",
                sitemap("sitemapindex", "sitemap", &all).into_bytes(),
            )
        })
        .on("/one.xml", move |_| {
            let all = [one("/a"), one("/b")];
            Answer::bytes(
                "application/xml",
                sitemap("urlset", "url", &all).into_bytes(),
            )
        })
        .on("/two.xml.gz", move |_| {
            Answer::bytes(
                "application/gzip",
                packed(&sitemap("urlset", "url", &[two("/packed")])),
            )
        })
        .on("/", move |_| {
            let below = home("/below").replace("localhost", "blog.localhost");
            Answer::html(format!(
                "<title>Home</title><a href='/slow'>s</a><a href='{below}'>b</a>"
            ))
        })
        .page("/a", "<title>A</title>")
        .page("/b", "<title>B</title>")
        .page("/packed", "<title>Packed</title>")
        .page("/below", "<title>Below</title>")
        .on("/slow", move |_| {
            let _ = held.lock().unwrap().recv_timeout(PATIENTLY);
            Answer::html("<title>Slow</title>")
        })
        .serve();
    let start = site.origin().replace("127.0.0.1", "localhost");
    origin.set(start.clone()).unwrap();
    let env = TestEnv::new();
    env.open("work");
    let folder = env.work().join("result");
    let pages = folder.join("pages.jsonl");
    let target = folder.to_str().unwrap().to_owned();
    let crawl = |more: &[&str]| {
        let args = [
            "crawl",
            &start,
            "-s",
            "work",
            "--subdomains",
            "--tabs",
            "1",
            "--pause-ms",
            "0",
            "--out",
            &target,
        ];
        env.szk(args.iter().chain(more).copied().collect::<Vec<_>>())
    };
    // Ctrl-C, after two pages: the site has asked for a second between them.
    let began = Instant::now();
    let running = crawl(&[]).start();
    wait_until("two pages", PATIENTLY, || paths(&pages).len() >= 2);
    assert!(began.elapsed() >= Duration::from_secs(1));
    running.signal(Signal::INT);
    // The signal itself ended it, which shells report as 130.
    assert_eq!(running.end().code, None);
    let there = paths(&pages).len();
    // Its time is up while a page does not come.
    let ended = crawl(&["--timeout-ms", "9000", "--json"]).run();
    assert_eq!(ended.code, Some(0), "{ended:#?}");
    let said: Value = serde_json::from_str(&ended.stdout).unwrap();
    assert_eq!(said["ended"], "time", "{ended:#?}");
    assert!(said["resumed"].as_u64() >= Some(there as u64), "{said}");
    release.send(()).unwrap();
    let ended = crawl(&["--json"]).run();
    let said: Value = serde_json::from_str(&ended.stdout).unwrap();
    assert_eq!(said["ended"], "all", "{ended:#?}");
    let read = paths(&pages);
    let different: BTreeSet<&str> = read
        .iter()
        .map(|url| url.rsplit('/').next().unwrap())
        .collect();
    let expected = ["", "a", "b", "below", "packed", "slow"];
    assert_eq!(
        different.into_iter().collect::<Vec<_>>(),
        expected,
        "{read:?}"
    );
    assert_eq!(read.len(), expected.len(), "{read:?}");
    assert!(
        read.iter()
            .any(|url| url.starts_with("http://blog.localhost")),
        "{read:?}"
    );
    let notes = said["notes"].to_string();
    assert!(
        notes.contains("gone.xml.gz") && !notes.contains("two.xml.gz"),
        "{notes}"
    );
    let downloads = std::fs::read_dir(env.in_profile("work", "downloads"));
    assert_eq!(downloads.map_or(0, Iterator::count), 0);
}
