//! A page that asks every kind of realm for its identity.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::harness::{Answer, Site, SiteRequest, TestEnv};

/// A realm's identity.
const LOOK: &str = "var look = async () => ({
  agent: navigator.userAgent, platform: navigator.platform, language: navigator.language, languages: navigator.languages,
  low: navigator.userAgentData?.toJSON(),
  high: await navigator.userAgentData?.getHighEntropyValues(['architecture', 'bitness', 'model', 'platformVersion', 'uaFullVersion', 'fullVersionList', 'formFactors', 'wow64']),
  intl: [Intl.DateTimeFormat, Intl.NumberFormat, Intl.Collator].map(of => of().resolvedOptions().locale),
  number: (1234.5).toLocaleString(), month: new Date(0).toLocaleString(undefined, {month: 'long'}),
  zone: Intl.DateTimeFormat().resolvedOptions().timeZone, summer: new Date(2026, 6, 1).getTimezoneOffset(),
});\n";

const PAGE: &str = r#"<!doctype html><title>asks</title><meta name=viewport content="width=device-width"><script>LOOK
  const post = (kind) => look().then(seen => (window.opener ?? parent).postMessage({kind, seen}, '*'));
  const kind = location.search.slice(1);
  if (kind) post(kind);
  const told = (kind) => new Promise(done => addEventListener('message', ({data}) => data.kind === kind && done(data.seen)));
  const spoke = (target) => new Promise(done => target.addEventListener('message', ({data}) => done(data), {once: true}));
  const frame = (src) => document.body.append(Object.assign(document.createElement('iframe'), {src}));
  async function all() {
    const frames = ['frame', 'cross-frame', 'popup'].map(told);
    frame('/?frame'); frame('OTHER/?cross-frame');
    // A message of another process is lost while a popup is held: docs/stealth.md.
    await Promise.all([frames[0], frames[1]]);
    const popup = open('/?popup');
    const shared = new SharedWorker('/worker.js?shared');
    const shares = spoke(shared.port);
    shared.port.start();
    const service = await navigator.serviceWorker.register('/worker.js?service');
    await navigator.serviceWorker.ready;
    const answered = spoke(navigator.serviceWorker);
    navigator.serviceWorker.startMessages();
    service.active.postMessage('');
    const seen = {
      page: await look(), frame: await frames[0], 'cross-frame': await frames[1], popup: await frames[2],
      dedicated: await spoke(new Worker('/worker.js?dedicated')), nested: await spoke(new Worker('/worker.js?outer')),
      shared: await shares, service: await answered,
    };
    popup.close();
    return seen;
  }
</script><body></body>"#;

const WORKER: &str = "LOOK
  switch (location.search) {
    case '?dedicated': case '?nested': look().then(seen => postMessage(seen)); break;
    case '?outer': new Worker('/worker.js?nested').onmessage = ({data}) => postMessage(data); break;
    case '?shared': onconnect = ({ports}) => look().then(seen => ports[0].postMessage(seen)); break;
    default: onmessage = ({source}) => look().then(seen => source.postMessage(seen));
  }";

/// The site.
pub(super) fn site() -> Site {
    let filled = |asked: &SiteRequest, text: &str| {
        let other = format!(
            "http://{}",
            asked.header("host").replace("127.0.0.1", "localhost")
        );
        text.replace("LOOK", LOOK).replace("OTHER", &other)
    };
    let hints = "Sec-CH-UA-Full-Version-List, Sec-CH-UA-Platform-Version, Sec-CH-UA-Arch, Sec-CH-UA-Bitness, Sec-CH-UA-Model, Sec-CH-UA-Form-Factors";
    Site::plan()
        .on("/", move |asked| {
            Answer::html(filled(asked, PAGE)).header("accept-ch", hints)
        })
        .on("/worker.js", move |asked| Answer::js(filled(asked, WORKER)))
        .serve()
}

/// What every realm reports about itself, by kind.
pub(super) fn everywhere(env: &TestEnv, site: &Site) -> BTreeMap<String, Value> {
    // Twice: the first answer says which hints the site wants.
    env.navigate("work", &site.url("/"));
    env.navigate("work", &site.url("/"));
    let seen = env.eval_main("work", "all()");
    let seen: BTreeMap<String, Value> = serde_json::from_value(seen).unwrap();
    assert_eq!(seen.len(), 8, "{seen:#?}");
    seen
}

/// The last request for the page itself.
pub(super) fn request(site: &Site) -> SiteRequest {
    let of_page = |asked: &SiteRequest| asked.path == "/" && asked.query.is_empty();
    site.asked()
        .into_iter()
        .rfind(of_page)
        .expect("it was asked for")
}
