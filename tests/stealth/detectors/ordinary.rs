//! szk's browser is ordinary in everything that the suite checks.

use szk_detectors::{Report, Suite, compare};

use super::gold::POSITION;
use super::lab::{Lab, allowed, gold, publish, visit, visit_of};

/// What the suite needs of every browser, gold included.
pub(crate) fn config(more: &str) -> String {
    format!("[browser]\nargs = [\"--disable-popup-blocking\"{more}]\n")
}

/// Checks that exactly the listed differences from gold occur.
#[track_caller]
pub(super) fn check(report: &Report) {
    check_except(report, |_, _| false);
}

/// The same, without the checks and realms that `except` names: a test says why.
#[track_caller]
pub(super) fn check_except(report: &Report, except: impl Fn(&str, &str) -> bool) {
    publish(report);
    let differences = compare(gold(), report);
    let mut judgement = allowed().judge(&report.mode, &differences);
    judgement
        .unlisted
        .retain(|found| !except(&found.check, &found.realm));
    judgement
        .stale
        .retain(|[check, realm, ..]| !except(check, realm));
    assert!(
        judgement.is_clean(),
        "{judgement:#?}\nthe whole report is in target/detectors"
    );
}

#[test]
fn without_a_display() {
    let lab = Lab::new();
    lab.env.config(&config(""));
    check(&visit("szk", |url| {
        lab.env.open("work");
        lab.env.navigate("work", url);
    }));
}

#[test]
fn in_a_window() {
    let mut lab = Lab::new();
    let display = lab.display().name().to_owned();
    lab.env.set("DISPLAY", &display);
    lab.env.config(&config(&format!(", \"{POSITION}\"")));
    check(&visit("szk-window", |url| {
        // The page determines the window's size.
        lab.env
            .szk([
                "open",
                "work",
                "--detach",
                "--window",
                "--viewport",
                "1480x853",
            ])
            .ok();
        lab.env.navigate("work", url);
    }));
}

#[test]
fn gold_is_always_the_same() {
    let lab = Lab::new();
    let again = lab.by_hand("gold-again", &lab.binary());
    check(&again);
}

#[test]
fn the_short_suite_needs_neither_gold_nor_popups() {
    let lab = Lab::new();
    let report = visit_of(Suite::Short, "short", |url| {
        lab.env.open("work");
        lab.env.navigate("work", url);
    });
    let failed: Vec<_> = report.failed().collect();
    assert!(failed.is_empty(), "{failed:#?}");
    let realms: Vec<&str> = report.realms.keys().map(String::as_str).collect();
    for realm in ["main", "cross-frame", "dedicated", "shared", "service"] {
        assert!(realms.contains(&realm), "{realms:?}");
        let verdicts = &report.realms[realm];
        assert!(verdicts.contains_key("webdriver"), "{realm}: {verdicts:#?}");
    }
}
