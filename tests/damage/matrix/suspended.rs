//! The whole machine stands still for a while, like a closed laptop: afterwards no one takes anyone
//! for dead, and work continues where it was.

use std::time::{Duration, Instant};

use crate::harness::{PATIENTLY, Signal, wait_until};

use super::chain::{Chain, PROFILE};
use super::lists::{Blow, Cell, Moment, Target};
use super::plan::Plan;
use super::processes;
use super::verdict::{Verdict, head};

/// How long, if the environment does not say.
const USUALLY: u64 = 8;

pub(crate) fn a_machine_that_was_suspended_goes_on() {
    let asked = std::env::var("SZK_DAMAGE_SUSPENDED").ok();
    let seconds = asked.and_then(|text| text.parse().ok()).unwrap_or(USUALLY);
    let mut chain = Chain::begin(Plan::sample());
    let cell = Cell {
        blow: Blow::Stop,
        target: Target::Everything,
        moment: Moment::Idle,
    };
    let mut verdict = Verdict::new(cell);
    verdict.mark = chain.steady();
    let before = chain.env.browser();
    let all = processes::of(Target::Everything, &chain.env, chain.mcp.pid());
    all.iter().for_each(|process| process.signal(Signal::STOP));
    let (written, told) = chain.site.now();
    let (began, limit) = (Instant::now(), Duration::from_secs(seconds));
    wait_until("the time is over", limit + PATIENTLY, || {
        began.elapsed() >= limit
    });
    all.iter().for_each(|process| process.signal(Signal::CONT));
    // The page that was at work is the same, and continues.
    chain.steady();
    assert_eq!(chain.env.browser(), before, "the browser is the same");
    let url = serde_json::json!({"session": PROFILE, "url": chain.site.work()});
    chain.mcp.ok("browser_navigate", url);
    let found = crate::harness::wait_for("the page tells what it found", PATIENTLY, || {
        chain.site.found_after(told)
    });
    verdict.compare(written, &found);
    eprintln!("suspended for {seconds} s: {verdict}");
    assert!(verdict.holds(), "{}\n{verdict}", head());
    let left = chain.end();
    assert!(left.is_empty(), "{left:?}");
}
