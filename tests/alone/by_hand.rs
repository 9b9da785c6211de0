//! The page that judges input, worked by hand in a browser that nobody drives: gold. What it wants of others is
//! what mouse and keyboard of an X server show.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::{Value, json};

use super::shows;
use crate::harness::{Answer, Hands, PATIENTLY, Site, wait_for};
use crate::stealth::detectors::{ByHand, Lab};
use crate::stealth::input;

const BACKSPACE: u32 = 0xff08;
const ESCAPE: u32 = 0xff1b;

/// The page, which asks `/wanted` whether to hand in its report.
fn page(wanted: &Arc<AtomicBool>) -> Site {
    let wanted = Arc::clone(wanted);
    let html = include_str!("../../crates/detectors/pages/input.html");
    input::scripts()
        .page(
            "/",
            &format!("{html}<script src=\"input/by_hand.js\"></script>"),
        )
        .script(
            "/input/by_hand.js",
            include_str!("../../crates/detectors/pages/input/by_hand.js"),
        )
        .on("/wanted", move |_| {
            Answer::json(&json!(wanted.load(Ordering::SeqCst)))
        })
        .on("/told", |_| Answer::status(204))
        .serve()
}

/// What the page has told under a name.
fn told(site: &Site, name: &str) -> Value {
    wait_for(name, PATIENTLY, || {
        let told = site
            .asked()
            .into_iter()
            .filter(|asked| asked.path == "/told");
        let told = told.filter_map(|asked| serde_json::from_str::<Value>(&asked.body).ok());
        told.map(|told| told[name].clone())
            .find(|value| !value.is_null())
    })
}

#[test]
fn a_hand_is_a_person() {
    let lab = Lab::new();
    let wanted = Arc::default();
    let site = page(&wanted);
    let _browser = ByHand::start(&lab.env, &lab.binary(), lab.display(), &site.url("/"));
    wait_for("the page asks", PATIENTLY, || {
        let asks = site.asked().iter().any(|asked| asked.path == "/wanted");
        asks.then_some(())
    });
    let mut hands = Hands::on(lab.display());
    hands.go((600, 500));
    let places = told(&site, "places");
    let place = |name: &str| -> (i32, i32) {
        let place = serde_json::from_value(places[name].clone());
        place.unwrap_or_else(|error| panic!("{name}: {error}: {places}"))
    };
    hands.go(place("button"));
    hands.press(1, 120, 70);
    hands.go(place("double"));
    hands.press(1, 140, 70);
    hands.press(1, 90, 65);
    hands.go(place("right"));
    // Long enough for the menu to open, which takes the release.
    hands.press(3, 130, 1500);
    hands.key(ESCAPE, 500, 60);
    hands.go(place("text"));
    hands.press(1, 150, 80);
    hands.write("Hello, World 42!");
    hands.key(BACKSPACE, 160, 70);
    hands.go(place("scroll"));
    for notch in 0..7 {
        hands.press(5, 90 + notch * 11 % 30, 1);
    }
    hands.go(place("from"));
    hands.drag(place("from"), place("to"));
    hands.drag(place("card"), place("tray"));
    hands.go(place("button"));
    hands.press(1, 110, 75);
    hands.done();
    wanted.store(true, Ordering::SeqCst);
    let report = told(&site, "report");
    let judged = report.as_object().expect("a report");
    assert!(judged.len() > 60, "{} checks", judged.len());
    let failed = judged
        .iter()
        .filter(|(name, verdict)| !shows(name, verdict));
    let failed: Vec<&String> = failed.map(|(name, _)| name).collect();
    assert!(failed.is_empty(), "{failed:?}: {report:#}");
}
