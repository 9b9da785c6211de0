//! `/json/list` contains what Chromium's own does.

use serde_json::Value;

use super::control::Control;
use crate::harness::http::{get, parts, request};
use crate::harness::{Driver, SOON, Site, TestEnv, wait_until};

/// One of each kind that may be listed, and a page that is not visible yet.
const PAGE: &str = r#"<!doctype html><title>here</title>
<script type=speculationrules>{"prerender": [{"urls": ["/there"], "eagerness": "immediate"}]}</script>
<iframe src="OTHER/frame"></iframe><iframe src="/frame"></iframe>
<script>new Worker('/worker.js'); new SharedWorker('/shared.js'); navigator.serviceWorker.register('/service.js');</script>"#;

const THERE: &str = "<!doctype html><title>there</title><iframe src='/frame'></iframe><script>
  fetch('/tell?' + (document.prerendering ? 'ahead' : 'late'));
</script>";

fn site() -> Site {
    Site::plan()
        .on("/", |asked| {
            let other = asked.header("host").replace("127.0.0.1", "localhost");
            crate::harness::Answer::html(PAGE.replace("OTHER", &format!("http://{other}")))
        })
        .page("/there", THERE)
        .page("/frame", "<title>frame</title>")
        .script("/worker.js", "")
        .script("/shared.js", "")
        .script("/service.js", "")
        .page("/tell", "")
        .serve()
}

/// Opens the page over HTTP and waits until the other one is prerendered.
fn open(endpoint: &Value, site: &Site) {
    let told = || {
        site.asked()
            .iter()
            .filter(|asked| asked.query == "ahead")
            .count()
    };
    let before = told();
    let (port, token) = parts(endpoint["http_url"].as_str().unwrap());
    let token = token.trim_end_matches('/');
    let host = format!("127.0.0.1:{port}");
    let path = format!("{token}/json/new?{}", site.url("/"));
    let headers = [("Host", &*host), ("Content-Length", "0")];
    assert_eq!(request(port, "PUT", &path, &headers).status, 200);
    wait_until("it is prerendered", SOON, || told() > before);
}

/// What is listed of the site: kind and path, and its parent's path.
fn list(endpoint: &Value, site: &Site) -> Vec<String> {
    let (port, token) = parts(endpoint["http_url"].as_str().unwrap());
    let all = get(port, &format!("{}/json/list", token.trim_end_matches('/'))).json();
    let all = all.as_array().unwrap();
    let path = |target: &Value| {
        let url = target["url"].as_str().unwrap();
        let url = url.replace("localhost", "127.0.0.1");
        url.strip_prefix(&site.origin()).map(str::to_owned)
    };
    let describe = |target: &Value| {
        let parent = all.iter().find(|other| other["id"] == target["parentId"]);
        let inside = parent.and_then(path).unwrap_or_default();
        let kind = target["type"].as_str().unwrap();
        Some(format!("{kind} {} in `{inside}`", path(target)?))
    };
    let mut listed: Vec<String> = all.iter().filter_map(describe).collect();
    listed.sort();
    listed
}

#[test]
fn the_same_is_listed_as_on_a_bare_chromium() {
    let env = TestEnv::new();
    let site = site();
    env.open("work");
    let control = Control::start(&env);
    // Workers are listed while someone is attached to their page, as szk always is.
    let _attached = Driver::puppeteer(&env, &control.endpoint);
    open(&control.endpoint, &site);
    // They appear one after another.
    let kinds = ["iframe ", "worker ", "shared_worker ", "service_worker "];
    wait_until("all of it is there", SOON, || {
        let listed = list(&control.endpoint, &site);
        kinds
            .iter()
            .all(|kind| listed.iter().any(|line| line.starts_with(kind)))
    });
    let expected = list(&control.endpoint, &site);
    let pages = |listed: &[String]| -> Vec<String> {
        let pages = listed.iter().filter(|line| line.starts_with("page"));
        pages.cloned().collect()
    };
    assert_eq!(pages(&expected), ["page / in ``"]);

    let ours = env.endpoint("work");
    open(&ours, &site);
    wait_until("the same is there", SOON, || list(&ours, &site) == expected);
    // Clients that hear of more do not add to the list either.
    let mut puppeteer = Driver::puppeteer(&env, &ours);
    let url = site.url("/");
    puppeteer.run(&format!(
        "const own = (await browser.pages()).find(page => page.url() === '{url}'); await own.goto('{url}')"
    ));
    let mut playwright = Driver::playwright(&env, &ours);
    playwright.run("await page.title()");
    assert_eq!(pages(&list(&ours, &site)), ["page / in ``"]);
}
