//! A page that creates every kind of realm; each reports what its first script sees.

use std::collections::BTreeMap;

use crate::harness::{Answer, SOON, Site, TestEnv, wait_until};

/// Rounds of every realm.
pub(super) const TRIALS: usize = 20;

/// Every kind there is, as reported.
pub(super) const KINDS: [&str; 11] = [
    "blank-frame",
    "blank-popup",
    "cross-frame",
    "cross-popup",
    "dedicated",
    "frame",
    "page",
    "popup",
    "service",
    "shared",
    "srcdoc",
];

/// Settles in the page once all its realms have reported, as a function for a client to evaluate. A client that
/// waits for the title itself looks at it with every frame that is drawn, and has frames drawn for that.
pub(super) const DONE: &str = "() => document.title === 'done' || new Promise((done) => \
  new MutationObserver(() => document.title === 'done' && done(true)).observe(document.querySelector('title'), { childList: true }))";

/// Counts how often it ran in a realm.
const INIT: &str = "globalThis.mark = (globalThis.mark ?? 0) + 1;\n";

/// Reports to the server; `ORIGIN` is its address.
const TELL: &str = "var tell = (kind, seen) => fetch('ORIGIN/tell?' + kind + '=' + seen, {mode: 'no-cors', keepalive: true});";

const PAGE: &str = r#"<!doctype html><title>busy</title><script>TELL
  tell('page', typeof mark === 'undefined' ? 0 : mark);
  const round = location.search.slice(1);
  const add = (set) => { const frame = document.createElement('iframe'); set(frame); document.body.append(frame); return frame; };
  const told = (kind) => new Promise(done => addEventListener('message', event => event.data === kind && done()));
  const spoke = (target) => new Promise(done => target.addEventListener('message', done, {once: true}));
  const closed = (popup) => new Promise(done => { const look = setInterval(() => popup.closed && (clearInterval(look), done()), 20); });
  addEventListener('DOMContentLoaded', async () => {
    const blank = add(() => {});
    tell('blank-frame', blank.contentWindow.mark ?? 0);
    const waiting = [
      told('srcdoc'), told('frame'), told('cross-frame'),
      spoke(new Worker('/worker.js')),
    ];
    add(frame => frame.srcdoc = '<script>parent.tell("srcdoc", window.mark ?? 0); parent.postMessage("srcdoc", "*")<\/script>');
    add(frame => frame.src = '/child?frame');
    add(frame => frame.src = 'OTHER/child?cross-frame');
    const shared = new SharedWorker('/shared.js?' + round);
    shared.port.start();
    waiting.push(spoke(shared.port));
    const service = await navigator.serviceWorker.register('/service.js?' + round, {scope: '/scope/' + round});
    const worker = service.installing;
    waiting.push(new Promise(done => worker.state === 'activated' ? done() :
      worker.addEventListener('statechange', () => worker.state === 'activated' && done())));
    await Promise.all(waiting);
    // One after another: two popups held by two debuggers at the same time crash Chromium 156.
    const popup = open('about:blank');
    tell('blank-popup', popup.mark ?? 0);
    popup.close();
    await closed(popup);
    await closed(open('/child?popup'));
    await closed(open('OTHER/child?cross-popup'));
    await service.unregister();
    document.title = 'done';
  });
</script><body></body>"#;

const CHILD: &str = r"<!doctype html><title>child</title><script>TELL
  const kind = location.search.slice(1);
  tell(kind, window.mark ?? 0).finally(() => window.opener ? window.close() : parent.postMessage(kind, '*'));
</script>";

/// The site, and a session whose init script marks realms.
pub(super) struct Realms {
    pub(super) env: TestEnv,
    pub(super) site: Site,
}

impl Realms {
    pub(super) fn open() -> Self {
        let env = TestEnv::new();
        std::fs::write(env.work().join("init.js"), INIT).unwrap();
        // Popups without a click; pages cannot tell them from popups with one.
        env.config("[stealth]\nscripts = [\"init.js\"]\n\n[browser]\nargs = [\"--disable-popup-blocking\"]\n");
        env.open("work");
        Self { env, site: site() }
    }

    /// The page of one round.
    pub(super) fn url(&self, round: usize) -> String {
        self.site.url(&format!("/?{round}"))
    }

    /// The same on another site.
    pub(super) fn url_elsewhere(&self, round: usize) -> String {
        self.url(round).replace("127.0.0.1", "localhost")
    }

    /// Reports so far: for each kind, what its first scripts saw.
    fn told(&self) -> BTreeMap<String, Vec<String>> {
        let mut told: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for asked in self
            .site
            .asked()
            .iter()
            .filter(|asked| asked.path == "/tell")
        {
            let (kind, seen) = asked.query.split_once('=').expect("kind=seen");
            told.entry(kind.to_owned())
                .or_default()
                .push(seen.to_owned());
        }
        told
    }

    /// Goes to the page of one round and waits until every realm has reported.
    #[track_caller]
    pub(super) fn go(&self, round: usize) {
        // Its popups may be the tab used last.
        let there = self.env.navigate("work", &self.url(round));
        let tab = there["tab"].as_str().expect("a tab");
        let title = || {
            self.env
                .szk(["run-code", "document.title", "-s", "work", "-t", tab])
                .ok()
                .stdout
        };
        let all = |told: &BTreeMap<String, Vec<String>>| {
            told.len() == KINDS.len() && told.values().all(|seen| seen.len() == round + 1)
        };
        let deadline = std::time::Instant::now() + SOON;
        wait_until("every realm has reported", SOON * 2, || {
            let told = self.told();
            assert!(
                std::time::Instant::now() < deadline,
                "round {round}: {} {told:#?}",
                title()
            );
            // The page is not asked while it is busy.
            all(&told) && title() == "done\n"
        });
    }

    /// Every first script of every realm must see the init script's effect.
    #[track_caller]
    pub(super) fn check(&self, rounds: usize) {
        let told = self.told();
        let kinds: Vec<&str> = told.keys().map(String::as_str).collect();
        assert_eq!(kinds, KINDS);
        for (kind, seen) in &told {
            // A popup's empty first document passes its global object on to the next one of the same
            // origin, and the script runs for both.
            let most = if kind.ends_with("popup") { 2 } else { 1 };
            let before = seen
                .iter()
                .filter(|seen| (1..=most).any(|times| **seen == times.to_string()))
                .count();
            assert_eq!((before, seen.len()), (rounds, rounds), "{kind}: {seen:?}");
        }
    }
}

fn site() -> Site {
    // The page knows its own address and tells it to what it embeds.
    let page = |asked: &crate::harness::SiteRequest, text: &str| {
        let own = format!("http://{}", asked.header("host"));
        let (here, there) = if own.contains("localhost") {
            (own.replace("localhost", "127.0.0.1"), own)
        } else {
            (own.clone(), own.replace("127.0.0.1", "localhost"))
        };
        text.replace("TELL", TELL)
            .replace("ORIGIN", &here)
            .replace("OTHER", &there)
    };
    Site::plan()
        .on("/", move |asked| Answer::html(page(asked, PAGE)))
        .on("/child", move |asked| Answer::html(page(asked, CHILD)))
        .on("/worker.js", move |asked| Answer::js(page(asked, "TELL tell('dedicated', self.mark ?? 0).finally(() => postMessage(1));")))
        .on("/shared.js", move |asked| {
            Answer::js(page(asked, "TELL const told = tell('shared', self.mark ?? 0); onconnect = ({ports}) => told.finally(() => ports[0].postMessage(1));"))
        })
        .on("/service.js", move |asked| {
            Answer::js(page(asked, "TELL const told = tell('service', self.mark ?? 0); oninstall = (event) => event.waitUntil(told);"))
        })
        .on("/tell", |_| Answer::status(204))
        .serve()
}
