//! Every check can fail: drivers of everyday fail the ones that are meant for them, and what no driver
//! fails is failed by a made sabotage.

use std::collections::BTreeSet;
use std::thread;

use szk_detectors::{Outcome, Report, Suite, compare};

use super::lab::{Lab, every, gold, publish, visit_of};
use crate::harness::Driver;

/// What a driver's users do before they go to a page.
const USED: &str = "await page.exposeFunction('exposed', () => 1);";

/// Checks that each of these drivers is known for failing in its ordinary use.
const DRIVERS: &[(&str, &str, &[&str])] = &[
    (
        "playwright",
        "await page.addInitScript(() => {});",
        &[
            "runtime.prepare-stack",
            "runtime.table-time",
            "runtime.subclass-getters",
            "traces.names",
            "traces.bindings",
            "sannysoft.user-agent",
            "sannysoft.webdriver",
            "fpscanner.HEADCHR_UA",
            "fpscanner.HAS_CDP",
            "fpscanner.PLAYWRIGHT",
            "fpscanner.HEADLESS_SCREEN",
        ],
    ),
    (
        "puppeteer",
        "await page.setBypassCSP(true);
         const session = await page.createCDPSession();
         session.on('Debugger.paused', () => session.send('Debugger.resume'));
         await session.send('Debugger.enable');",
        &[
            "runtime.prepare-stack",
            "runtime.table-time",
            "runtime.debugger-time",
            "traces.bindings",
            "sannysoft.webdriver",
            "fpscanner.PHANTOM_WINDOW_HEIGHT",
            "fpscanner.WEBDRIVER",
            "csp.holds",
        ],
    ),
    (
        "stealth",
        "",
        &[
            "native.cyclic",
            "native.child-source",
            "native.source-frames",
            "native.own-properties",
            "errors.thrown-frames",
            "runtime.prepare-stack",
            "traces.names",
            "fpscanner.HEADCHR_PERMISSIONS",
            "fpscanner.CONTEXTS",
            "fpscanner.WEBGL_WORKER",
        ],
    ),
];

/// Files of `crates/detectors/sabotage` that run as init scripts, by visit, and what each visit must fail.
const SABOTAGES: &[(&str, &[&str], &[&str])] = &[
    (
        "natives",
        &["natives"],
        &[
            "native.source",
            "native.source-own",
            "native.source-name",
            "native.keys",
            "native.no-prototype",
            "native.name",
            "native.descriptors",
            "native.order",
            "native.parents",
            "native.no-construct",
            "native.cyclic",
            "native.arguments",
            "native.illegal-invocation",
            "native.prototype-getters",
            "native.source-of-source",
            "native.call-and-apply",
            "native.own-properties",
            "native.tags",
        ],
    ),
    (
        "traces",
        &["errors", "console", "traces"],
        &[
            "errors.prepare",
            "errors.limit",
            "errors.frames",
            "errors.timer-frames",
            "errors.native-frames",
            "runtime.stack-getter",
            "runtime.object-getters",
            "runtime.console-sources",
            "traces.names-elsewhere",
            "traces.against-a-fresh-frame",
            "traces.attributes",
            "traces.elements",
            "traces.caret",
            "traces.styles",
        ],
    ),
    (
        "identity",
        &["identity"],
        &[
            "sannysoft.chrome",
            "sannysoft.permissions",
            "sannysoft.languages",
            "sannysoft.webgl-vendor",
            "fpscanner.PHANTOM_UA",
            "fpscanner.PLATFORM",
            "fpscanner.TRANSPARENT_PIXEL",
        ],
    ),
];

/// Names of the checks that a browser failed in any realm: by its own verdict, or held against gold.
fn failed(report: &Report) -> BTreeSet<String> {
    let mut gold = gold().clone();
    // What was not visited has not failed.
    gold.realms
        .retain(|realm, _| report.realms.contains_key(realm));
    compare(&gold, report)
        .into_iter()
        .map(|difference| difference.check)
        .collect()
}

#[track_caller]
fn must_fail(report: &Report, checks: &[&str]) {
    let failed = failed(report);
    let passed: Vec<&&str> = checks
        .iter()
        .filter(|check| !failed.contains(**check))
        .collect();
    assert!(
        passed.is_empty(),
        "`{}` passes what it should fail: {passed:?}",
        report.mode
    );
}

/// A driver's visit, in a browser that it started. It gives itself away in every realm, so a few will do;
/// the report of `scripts/detect` has all of them.
fn driven(tool: &str, before: &str) -> Report {
    let lab = Lab::new();
    let browser = lab.binary();
    let suite = if every() {
        Suite::Full
    } else {
        Suite::FewRealms
    };
    visit_of(suite, tool, |url| {
        let mut driver = Driver::control(&lab.env, tool, &browser);
        driver.run(&format!("{USED} {before} await page.goto('{url}')"));
        driver
    })
}

/// A visit by szk with init scripts that it would never have. They are the same in every realm, so a few
/// will do.
fn sabotaged(name: &str, files: &[&str]) -> Report {
    let lab = Lab::new();
    let scripts: Vec<String> = files
        .iter()
        .map(|file| {
            let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../detectors/sabotage");
            format!("{:?}", format!("{folder}/{file}.js"))
        })
        .collect();
    lab.env.config(&format!(
        "[stealth]\nscripts = [{}]\n\n[browser]\nargs = [\"--disable-popup-blocking\"]\n",
        scripts.join(", ")
    ));
    visit_of(Suite::FewRealms, &format!("sabotage-{name}"), |url| {
        lab.env.open("work");
        lab.env.navigate("work", url);
    })
}

#[test]
fn every_check_is_failed_by_somebody() {
    // Gold first: what follows is held against it.
    let gold = gold();
    let drivers = DRIVERS.iter().map(|(tool, before, checks)| {
        let visit = move || driven(tool, before);
        (
            Box::new(visit) as Box<dyn Fn() -> Report + Send + Sync>,
            *checks,
        )
    });
    let sabotages = SABOTAGES.iter().map(|(name, files, checks)| {
        let visit = move || sabotaged(name, files);
        (
            Box::new(visit) as Box<dyn Fn() -> Report + Send + Sync>,
            *checks,
        )
    });
    let all: Vec<_> = drivers.chain(sabotages).collect();
    let mut failures = BTreeSet::new();
    // Two at a time, as the tests are.
    for pair in all.chunks(2) {
        let reports: Vec<Report> = thread::scope(|scope| {
            let visits: Vec<_> = pair.iter().map(|(visit, _)| scope.spawn(visit)).collect();
            let ended = visits.into_iter().map(|visit| visit.join());
            ended
                .map(|report| report.expect("the visit ends"))
                .collect()
        });
        for (report, (_, checks)) in reports.iter().zip(pair) {
            if DRIVERS.iter().any(|(tool, ..)| *tool == report.mode) {
                publish(report);
            }
            must_fail(report, checks);
            failures.extend(failed(report));
        }
    }
    let verdicts: BTreeSet<&String> = gold
        .realms
        .values()
        .flatten()
        .filter(|(_, outcome)| matches!(outcome, Outcome::Verdict { .. }))
        .map(|(check, _)| check)
        .collect();
    let toothless: Vec<&&String> = verdicts
        .iter()
        .filter(|check| !failures.contains(**check))
        .collect();
    assert!(
        toothless.is_empty(),
        "nobody fails these, so they may not be able to: {toothless:#?}"
    );
}
