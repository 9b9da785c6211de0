//! Visits of the suite's page, and the one report that they make together in `target/detectors`.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::Duration;

use szk_detectors::{Allowed, Report, Server, Suite, Table};

use super::gold::ByHand;
use crate::harness::{Display, TestEnv};

/// How long a browser may take for all realms on a machine that runs other tests.
const VISIT: Duration = Duration::from_secs(300);

/// Whether `scripts/detect` wants the whole table: what CI visits once or in a few realms, apart and in all.
pub(crate) fn every() -> bool {
    std::env::var("SZK_DETECT").is_ok_and(|set| set == "every")
}

/// Surroundings, and a screen for those who want one.
pub(crate) struct Lab {
    pub(crate) env: TestEnv,
    /// Most never look at one.
    display: OnceLock<Display>,
}

impl Lab {
    pub(crate) fn new() -> Self {
        Self {
            env: TestEnv::new(),
            display: OnceLock::new(),
        }
    }

    /// The screen; starts with the first use.
    pub(crate) fn display(&self) -> &Display {
        self.display.get_or_init(Display::start)
    }

    /// The browser that szk finds and starts, looked up once for all tests.
    pub(crate) fn binary(&self) -> PathBuf {
        static BINARY: OnceLock<PathBuf> = OnceLock::new();
        let found = BINARY.get_or_init(|| {
            self.env.open("which");
            let exe = fs::read_link(format!("/proc/{}/exe", self.env.browser().pid));
            self.env.close("which");
            self.env.no_chromium_is_left();
            exe.expect("a process of ours has a program")
        });
        found.clone()
    }

    /// What the browser shows when a person starts it.
    pub(crate) fn by_hand(&self, mode: &str, binary: &Path) -> Report {
        visit(mode, |url| {
            ByHand::start(&self.env, binary, self.display(), url)
        })
    }
}

/// Lets a browser visit the suite's page. `open` makes it go to the address; what it returns is kept
/// until the browser has reported.
#[track_caller]
pub(crate) fn visit<T>(mode: &str, open: impl FnOnce(&str) -> T) -> Report {
    visit_of(Suite::Full, mode, open)
}

/// The same for a suite of one's choice.
#[track_caller]
pub(crate) fn visit_of<T>(suite: Suite, mode: &str, open: impl FnOnce(&str) -> T) -> Report {
    let server = Server::start().expect("a port is free");
    let run = server.expect(mode, suite);
    let kept = open(&run.url());
    let report = run.report(VISIT).unwrap_or_else(|error| panic!("{error}"));
    drop(kept);
    report
}

/// Gold; made once for all tests.
pub(crate) fn gold() -> &'static Report {
    static GOLD: OnceLock<Report> = OnceLock::new();
    GOLD.get_or_init(|| {
        let lab = Lab::new();
        let binary = lab.binary();
        lab.by_hand("gold", &binary)
    })
}

/// The differences that are known, with their reasons.
pub(crate) fn allowed() -> Allowed {
    Allowed::known().unwrap_or_else(|error| panic!("{error}"))
}

/// Adds a mode to the report in `target/detectors`, which has all modes that ran so far.
pub(crate) fn publish(report: &Report) {
    static SEEN: Mutex<BTreeMap<String, Report>> = Mutex::new(BTreeMap::new());
    // A std mutex; nobody but tests that end holds it.
    let mut seen = SEEN.lock().unwrap_or_else(PoisonError::into_inner);
    seen.insert(report.mode.clone(), report.clone());
    let mut table = Table::new(gold().clone(), allowed());
    for report in seen.values() {
        table.add(report.clone());
    }
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("../detectors");
    fs::create_dir_all(&folder).expect("the build's folder can be written");
    for (name, text) in [
        ("report.txt", table.text()),
        ("report.json", table.json().to_string()),
        ("report.html", table.html()),
    ] {
        fs::write(folder.join(name), text).expect("the build's folder can be written");
    }
}
