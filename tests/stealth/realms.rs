//! A page that makes every kind of realm, each of which reports what its first script sees.

use std::collections::BTreeMap;

use crate::harness::{Answer, Site, TestEnv};

/// Rounds of every realm.
pub(super) const TRIALS: usize = 20;

/// Every kind there is, as reported.
pub(super) const KINDS: [&str; 11] = [
    "blank-frame", "blank-popup", "cross-frame", "cross-popup", "dedicated", "frame", "page", "popup", "service", "shared", "srcdoc",
];

/// Counts how often it ran in a realm.
const INIT: &str = "globalThis.mark = (globalThis.mark ?? 0) + 1;\n";

/// Tells the server; `ORIGIN` is where that is.
const TELL: &str = "var tell = (kind, seen) => fetch('ORIGIN/tell?' + kind + '=' + seen, {mode: 'no-cors', keepalive: true});";

const PAGE: &str = r#"<!doctype html><title>busy</title><script>TELL
  tell('page', typeof mark === 'undefined' ? 0 : mark);
  const round = location.search.slice(1);
  const add = (set) => { const frame = document.createElement('iframe'); set(frame); document.body.append(frame); return frame; };
  const loaded = (frame) => new Promise(done => frame.addEventListener('load', done, {once: true}));
  const spoke = (target) => new Promise(done => target.addEventListener('message', done, {once: true}));
  const closed = (popup) => new Promise(done => { const look = setInterval(() => popup.closed && (clearInterval(look), done()), 20); });
  addEventListener('DOMContentLoaded', async () => {
    const blank = add(() => {});
    tell('blank-frame', blank.contentWindow.mark ?? 0);
    const waiting = [
      loaded(add(frame => frame.srcdoc = '<script>parent.tell("srcdoc", window.mark ?? 0)<\/script>')),
      loaded(add(frame => frame.src = '/child?frame')),
      loaded(add(frame => frame.src = 'OTHER/child?cross-frame')),
      spoke(new Worker('/worker.js')),
      closed(open('/child?popup')),
      closed(open('OTHER/child?cross-popup')),
    ];
    const popup = open('about:blank');
    tell('blank-popup', popup.mark ?? 0);
    popup.close();
    const shared = new SharedWorker('/shared.js?' + round);
    shared.port.start();
    waiting.push(spoke(shared.port));
    const service = await navigator.serviceWorker.register('/service.js?' + round, {scope: '/scope/' + round});
    const worker = service.installing;
    waiting.push(new Promise(done => worker.state === 'activated' ? done() :
      worker.addEventListener('statechange', () => worker.state === 'activated' && done())));
    await Promise.all(waiting);
    await service.unregister();
    document.title = 'done';
  });
</script><body></body>"#;

const CHILD: &str = r"<!doctype html><title>child</title><script>TELL
  tell(location.search.slice(1), window.mark ?? 0).finally(() => window.opener && window.close());
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
        // Popups without a click, which pages cannot tell from popups with one.
        env.config("[stealth]\nscripts = [\"init.js\"]\n\n[browser]\nargs = [\"--disable-popup-blocking\"]\n");
        env.open("work");
        Self { env, site: site() }
    }

    /// The page of one round.
    pub(super) fn url(&self, round: usize) -> String {
        self.site.url(&format!("/?{round}"))
    }

    /// What was reported: for each kind, what its first scripts saw.
    #[track_caller]
    pub(super) fn check(&self) {
        let mut told: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for asked in self.site.asked().iter().filter(|asked| asked.path == "/tell") {
            let (kind, seen) = asked.query.split_once('=').expect("kind=seen");
            told.entry(kind.to_owned()).or_default().push(seen.to_owned());
        }
        let kinds: Vec<&str> = told.keys().map(String::as_str).collect();
        assert_eq!(kinds, KINDS);
        for (kind, seen) in &told {
            let once = seen.iter().filter(|seen| *seen == "1").count();
            assert_eq!((once, seen.len()), (TRIALS, TRIALS), "{kind}: the script must have run exactly once: {seen:?}");
        }
    }
}

fn site() -> Site {
    // The page knows its own address; what it embeds is told by it.
    let page = |asked: &crate::harness::Asked, text: &str| {
        let own = format!("http://{}", asked.header("host"));
        let (here, there) = if own.contains("localhost") { (own.replace("localhost", "127.0.0.1"), own) } else { (own.clone(), own.replace("127.0.0.1", "localhost")) };
        text.replace("TELL", TELL).replace("ORIGIN", &here).replace("OTHER", &there)
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
