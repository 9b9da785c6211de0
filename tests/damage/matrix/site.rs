//! The site: a page that works without a pause, and what the server knows of it.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};

use crate::harness::{Answer, PATIENTLY, Site, SiteRequest, wait_for, wait_until};

const WORK: &str = include_str!("work.js");
const FRAME: &str = include_str!("frame.js");
const WORKER: &str = "onmessage = ({ ports: [port] }) => port.postMessage('base');
oninstall = () => skipWaiting();";

/// Until when everything is known to be written, in milliseconds of the page's own clock.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Written {
    /// What scripts write.
    pub(super) scripts: u64,
    /// The cookies that the server and the frame set, reported a round later.
    pub(super) others: u64,
}

#[derive(Default)]
struct Heard {
    rounds: usize,
    based: bool,
    written: Written,
    found: Vec<Value>,
}

/// The site.
pub(super) struct WorkSite {
    site: Site,
    // A std mutex: nothing awaits under it.
    heard: Arc<Mutex<Heard>>,
}

impl WorkSite {
    pub(super) fn serve() -> Self {
        let heard = Arc::new(Mutex::new(Heard::default()));
        let (beats, based, found) = (heard.clone(), heard.clone(), heard.clone());
        let site = Site::plan()
            .on("/work", |asked| page(asked, "work"))
            .on("/base", |asked| page(asked, "base"))
            .script("/work.js", WORK)
            .script("/frame.js", FRAME)
            .script("/worker.js", WORKER)
            .page("/frame", "<!doctype html><script src=/frame.js></script>")
            .on("/beat", move |asked| {
                beat(asked, &mut beats.lock().unwrap())
            })
            .on("/based", move |_| {
                based.lock().unwrap().based = true;
                hidden("base-http", "base")
            })
            .on("/found", move |asked| {
                found.lock().unwrap().found.push(with_hidden(asked));
                Answer::json(&json!({}))
            })
            .serve();
        Self { site, heard }
    }

    /// URL of the page that works.
    pub(super) fn work(&self) -> String {
        self.site.url("/work")
    }

    /// URL of the page that writes what must never be lost.
    pub(super) fn base(&self) -> String {
        self.site.url("/base")
    }

    #[track_caller]
    pub(super) fn wait_based(&self) {
        wait_until("the base is written", PATIENTLY, || {
            self.heard.lock().unwrap().based
        });
    }

    /// Waits until a page has worked without a pause for this many rounds and this much of its time.
    /// Returns how many seconds a round took: more on a busy machine than on an idle one.
    #[track_caller]
    pub(super) fn wait_rounds(&self, rounds: usize, millis: u64) -> f64 {
        let (done, before) = self.progress();
        let limit = PATIENTLY + Duration::from_millis(millis);
        let (began, first) = wait_for("the page begins", limit, || {
            let (now, at) = self.progress();
            (now > done && at > before).then_some((now, at))
        });
        let (ended, last) = wait_for("the page works", limit, || {
            let (now, at) = self.progress();
            (now >= began + rounds && at >= first + millis).then_some((now, at))
        });
        (last - first) as f64 / 1000.0 / (ended - began) as f64
    }

    fn progress(&self) -> (usize, u64) {
        let heard = self.heard.lock().unwrap();
        (heard.rounds, heard.written.scripts)
    }

    /// What is written by now, and how many reports of findings there have been.
    pub(super) fn now(&self) -> (Written, usize) {
        let heard = self.heard.lock().unwrap();
        (heard.written, heard.found.len())
    }

    /// What this document found, identified by the time when it started.
    pub(super) fn found_by(&self, document: f64) -> Option<Value> {
        let heard = self.heard.lock().unwrap();
        let mut found = heard.found.iter();
        found
            .find(|found| found["document"].as_f64() == Some(document))
            .cloned()
    }

    /// What was found by the first page that read after so many others.
    pub(super) fn found_after(&self, count: usize) -> Option<Value> {
        self.heard.lock().unwrap().found.get(count).cloned()
    }
}

/// A page that loads the script; the frame is the same server as another site.
fn page(asked: &SiteRequest, does: &str) -> Answer {
    let other = asked.header("host").replace("127.0.0.1", "localhost");
    Answer::html(format!(
        "<!doctype html><title>{does}</title><body>
        <script src=/work.js data-does={does} data-frame=http://{other}/frame></script>"
    ))
}

fn beat(asked: &SiteRequest, heard: &mut Heard) -> Answer {
    let told: Value = serde_json::from_str(&asked.body).unwrap();
    let number = |key: &str| told[key].as_u64().unwrap();
    heard.rounds += 1;
    heard.written = Written {
        scripts: number("now"),
        others: number("seen").max(heard.written.others),
    };
    hidden("http", &told["now"].to_string())
}

/// A cookie hidden from scripts, like those of logins.
fn hidden(name: &str, value: &str) -> Answer {
    Answer::json(&json!({})).header(
        "set-cookie",
        &format!("{name}={value}; Path=/; HttpOnly; SameSite=Lax"),
    )
}

fn with_hidden(asked: &SiteRequest) -> Value {
    let mut told: Value = serde_json::from_str(&asked.body).unwrap();
    for (part, name) in [("counters", "http"), ("base", "base-http")] {
        let value = asked.cookie(name);
        told[part]["http"] = if value.is_empty() {
            Value::Null
        } else {
            value.into()
        };
    }
    told
}
