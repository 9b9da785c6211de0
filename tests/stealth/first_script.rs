//! What the first script of a document reads as the place of its window.
//!
//! Chromium tells a document's renderer where the window is only once it shows the document, which is when
//! it has already begun to load. A first script that is faster than that reads zeros in a browser started by
//! hand. In szk none does: `config/stealth/window.js` waits for the answer of the browser process.
//!
//! `scripts/first-scripts` makes these visits with more loads and prints the table.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::sync::{Arc, Condvar, Mutex};

use serde_json::json;

use super::detectors::{ByHand, Lab, POSITION, config};
use crate::harness::{Answer, Driver, PATIENTLY, Site, TestEnv, wait_until};

/// Loads of each kind. By hand a sixth to a third of those on the same site find no window, and a third or more of
/// those on another: without the wait, three runs of a hundred at most would pass in one mode.
const LOADS: usize = 6;

/// Starts take a second each.
const STARTS: usize = 1;

/// A page made ahead has no window until it is shown.
const NO_WINDOW: &str = "prerender";

/// Reads the window first of all and reports it, with the time until it was right. The numbered pages of
/// the chain then open windows that do the same, and go on.
const PAGE: &str = r#"<!doctype html><script>
  const first = [outerWidth, outerHeight, screenX, screenY], began = performance.now();
  const focused = document.hasFocus(), asked = new URLSearchParams(location.search);
  const restored = asked.get('kind') === 'open' && sessionStorage.seen;
  const kind = restored ? 'restored' : asked.get('kind');
  if (kind === 'open') sessionStorage.seen = 1;
  const told = () => new Promise((done) => {
    const { port1, port2 } = new MessageChannel();
    const look = () => {
      // Timers are slow in pages that are not shown.
      // A page that is made ahead has no window until it is shown.
      if (document.prerendering || outerWidth > 0 && outerHeight > 0 || performance.now() - began > 5000) {
        const waited = first[0] > 0 && first[1] > 0 ? 0 : performance.now() - began;
        const right = Number(document.prerendering || outerWidth > 0 && outerHeight > 0 && screenX === 70 && screenY === 50);
        done(fetch(`/tell?kind=${kind}&zero=${Number(!first[0] || !first[1])}&focused=${Number(focused)}&waited=${Math.round(waited)}&right=${right}`));
      } else port2.postMessage(0);
    };
    port1.onmessage = look;
    look();
  });
</script><title>first</title><script>
  const step = Number(asked.get('step') ?? -1), last = Number(asked.get('last'));
  const elsewhere = location.hostname === 'localhost' ? '127.0.0.1' : 'localhost';
  const at = (host, query) => `http://${host}:${location.port}/first?${query}`;
  const count = async () => Number(await (await fetch('/count')).text());
  const more = (before) => fetch(`/more?than=${before}`);
  const opened = async (url, features) => {
    const before = await count();
    open(url, '_blank', features);
    await more(before);
    // It closes itself; a page that is not shown gets no prerendered page, and would begin without focus.
    while (document.visibilityState !== 'visible')
      await new Promise((changed) => document.addEventListener('visibilitychange', changed, { once: true }));
  };
  const chain = async () => {
    // One round: to another site, to the same one, to a prerendered page.
    const next = ['cross', 'same', 'prerender'][(step + 1) % 3];
    const url = at(next === 'cross' ? elsewhere : location.hostname, `kind=${next}&step=${step + 1}&last=${last}`);
    if (step % 3 === 0) {
      await opened(at(location.hostname, 'kind=popup'));
      await opened(at(elsewhere, 'kind=popup-cross'));
      await opened(at(location.hostname, 'kind=tab'), 'noopener');
    }
    if (step === last) return fetch('/end');
    if (next === 'prerender') {
      const before = await count();
      const rules = document.createElement('script');
      rules.type = 'speculationrules';
      rules.textContent = JSON.stringify({ prerender: [{ urls: [url], eagerness: 'immediate' }] });
      document.head.append(rules);
      await more(before);
    }
    location.href = url;
  };
  told().then(async () => {
    if (document.prerendering) await new Promise((shown) => document.addEventListener('prerenderingchange', shown));
    if (step >= 0) await chain();
    else if (!asked.has('stay')) close();
  });
</script>"#;

/// What the loads of one kind found.
#[derive(Debug, Default, Clone)]
struct Found {
    loads: usize,
    zero: usize,
    /// Of those, how many had the focus, which BotD and others judge.
    focused: usize,
    /// Loads whose window never became right.
    wrong: usize,
    /// Milliseconds until the size was right.
    waited: Vec<u64>,
}

type ByKind = BTreeMap<String, Found>;

/// A site whose pages report.
struct ReportSite {
    site: Site,
    told: Arc<Reports>,
}

/// How many pages have reported.
#[derive(Default)]
struct Reports {
    count: Mutex<usize>,
    more: Condvar,
}

impl Reports {
    fn count(&self) -> usize {
        *self.count.lock().expect("no handler panics")
    }

    fn one_more(&self) {
        *self.count.lock().expect("no handler panics") += 1;
        self.more.notify_all();
    }

    /// Waits until there are more than that; a page that asks instead would take the processor from those that load.
    fn more_than(&self, before: usize) {
        let count = self.count.lock().expect("no handler panics");
        let waited = self
            .more
            .wait_timeout_while(count, PATIENTLY, |count| *count <= before);
        drop(waited.expect("no handler panics"));
    }
}

impl ReportSite {
    fn new() -> Self {
        let told = Arc::new(Reports::default());
        let (counted, read, awaited) = (told.clone(), told.clone(), told.clone());
        let site = Site::plan()
            .page("/first", PAGE)
            .page("/end", "")
            .on("/tell", move |_| {
                counted.one_more();
                Answer::html("")
            })
            .on("/count", move |_| Answer::html(read.count().to_string()))
            .on("/more", move |asked| {
                awaited.more_than(asked.field("than").parse().expect("a number"));
                Answer::html("")
            })
            .serve();
        Self { site, told }
    }

    fn url(&self, query: &str) -> String {
        self.site.url(&format!("/first?{query}"))
    }

    /// The page that makes all other loads by itself.
    fn chain(&self) -> String {
        self.url(&format!("kind=start&step=0&last={}", loads() * 3))
    }

    fn chain_ends(&self) {
        let limit = PATIENTLY * u32::try_from(loads().div_ceil(10)).expect("few");
        wait_until("the chain ends", limit, || self.site.was_asked("/end"));
    }

    /// How many pages have reported.
    fn told(&self) -> usize {
        self.told.count()
    }

    /// Waits until as many pages as that have reported.
    fn has_told(&self, count: usize) {
        wait_until("the page has reported", PATIENTLY, || self.told() >= count);
    }

    fn found(&self) -> ByKind {
        let mut all = ByKind::new();
        for asked in self.site.asked() {
            if asked.path != "/tell" {
                continue;
            }
            let number = |name: &str| asked.field(name).parse::<u64>().expect("a number");
            let found = all.entry(asked.field("kind")).or_default();
            found.loads += 1;
            found.wrong += usize::from(number("right") == 0);
            if number("zero") == 1 {
                found.zero += 1;
                found.focused += usize::from(number("focused") == 1);
                found.waited.push(number("waited"));
            }
        }
        all
    }
}

/// `SZK_LOADS`: what `scripts/first-scripts` wants.
fn asked() -> Option<usize> {
    let set = std::env::var("SZK_LOADS").ok()?;
    Some(set.parse().expect("SZK_LOADS is a number"))
}

/// That, or what a test needs.
fn loads() -> usize {
    asked().unwrap_or(LOADS)
}

/// The chain in a browser that nobody drives, for the table: whatever it finds is right.
fn by_hand(lab: &Lab) -> ByKind {
    let place = ReportSite::new();
    let binary = lab.binary();
    let _browser = ByHand::start(&lab.env, &binary, lab.display(), &place.chain());
    place.chain_ends();
    place.found()
}

/// The chain, then what only szk's callers do. `mode` is a switch of `szk open`.
fn by_szk(env: &TestEnv, mode: &str) -> ByKind {
    let place = ReportSite::new();
    let mut work = String::new();
    for start in 0..asked().unwrap_or(STARTS) {
        if start > 0 {
            env.close(&work);
        }
        work = format!("start{mode}{start}");
        let told = place.told();
        let url = place.url("kind=open&stay");
        env.szk(["open", &work, &url, "--detach", mode]).ok();
        place.has_told(told + 1);
        env.close(&work);
        env.szk(["open", &work, "--detach", mode]).ok();
        place.has_told(told + 2);
    }
    // The last one stays open for the rest.
    env.navigate(&work, &place.chain());
    place.chain_ends();
    let mut mcp = env.mcp();
    mcp.open_session(&work);
    let mut client = Driver::playwright(env, &env.endpoint(&work));
    for _ in 0..loads() {
        let told = place.told();
        let url = place.url("kind=navigate&stay");
        mcp.ok("browser_navigate", json!({"url": url}));
        place.has_told(told + 1);
        let url = place.url("kind=new-tab&stay");
        mcp.ok("browser_tabs", json!({"action": "open", "url": url}));
        place.has_told(told + 2);
        mcp.ok("browser_tabs", json!({"action": "close"}));
        let url = place.url("kind=client&stay");
        client.run(&format!(
            "state.own = await browser.contexts()[0].newPage(); await state.own.goto('{url}')"
        ));
        place.has_told(told + 3);
        client.run("await state.own.close()");
    }
    drop((mcp, client));
    env.close(&work);
    place.found()
}

/// One browser's part of the table.
fn rows(mode: &str, found: &ByKind) -> String {
    let mut table = String::new();
    for (kind, found) in found {
        let mut waited = found.waited.clone();
        waited.sort_unstable();
        let median = waited.get(waited.len() / 2).copied().unwrap_or_default();
        let longest = waited.last().copied().unwrap_or_default();
        let Found {
            loads,
            zero,
            focused,
            ..
        } = found;
        writeln!(
            table,
            "{mode:<10} {kind:<12} {zero:>4} of {loads:>4}, {focused:>3} focused, for {median} ms (longest {longest})"
        )
        .expect("a string takes everything");
        assert_eq!(found.wrong, 0, "{mode}, {kind}: {found:?}");
    }
    table
}

/// Fails if a first script in szk found no window.
fn judge(mode: &str, found: &ByKind) {
    for (kind, found) in found {
        let expected = if kind == NO_WINDOW { found.loads } else { 0 };
        assert_eq!(found.zero, expected, "{mode}, {kind}: {found:?}");
    }
}

#[test]
fn first_scripts_find_their_window() {
    let mut lab = Lab::new();
    lab.env.config(&config(&format!(", \"{POSITION}\"")));
    let headless = by_szk(&lab.env, "--headless");
    let display = lab.display().name().to_owned();
    lab.env.set("DISPLAY", &display);
    let window = by_szk(&lab.env, "--window");
    let mut found = vec![("headless", headless), ("window", window)];
    for (mode, found) in &found {
        judge(mode, found);
    }
    if asked().is_some() {
        found.push(("by hand", by_hand(&lab)));
    }
    let table: String = found
        .iter()
        .map(|(mode, found)| rows(mode, found))
        .collect();
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("../first-scripts.txt");
    fs::write(file, table).expect("the build's folder can be written");
}
