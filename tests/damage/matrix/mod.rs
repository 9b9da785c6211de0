//! Every signal, to every process, at every moment: what is lost, and whether everything comes back.
//!
//! Reading order: [`lists`], [`pairs`] (which rows the suite runs), [`site`] (the page at work),
//! [`chain`] (a row), [`verdict`].

mod chain;
pub(super) mod clock;
mod lists;
mod pairs;
mod pending;
mod plan;
mod processes;
mod saving;
mod site;
pub(super) mod suspended;
mod verdict;

use std::collections::VecDeque;
use std::io::{self, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::thread;

use chain::Chain;
use lists::Cell;
use plan::Plan;
use verdict::{Verdict, head};

/// The suite runs a sample that covers every pair; `scripts/damage` runs the whole table.
#[test]
fn what_was_there_is_there_again() {
    if let Ok(name) = std::env::var("SZK_DAMAGE_DRILL") {
        return super::drills::run(&name);
    }
    let plan = Plan::chosen();
    let rest = Mutex::new(VecDeque::from(plan.cells.clone()));
    let done: Vec<Verdict> = thread::scope(|scope| {
        let lanes: Vec<_> = (0..plan.lanes)
            .map(|_| scope.spawn(|| lane(&plan, &rest)))
            .collect();
        let results = lanes
            .into_iter()
            .map(|lane| lane.join().expect("a lane catches what fails"));
        results.flatten().collect()
    });
    let failed: Vec<String> = done
        .iter()
        .filter(|verdict| !verdict.holds())
        .map(ToString::to_string)
        .collect();
    assert_eq!(done.len(), plan.cells.len(), "every row has a verdict");
    assert!(
        failed.is_empty(),
        "{} of {} rows:\n{}\n{}",
        failed.len(),
        done.len(),
        head(),
        failed.join("\n")
    );
}

/// Takes rows until none is left. A failure ends the chain; the next row starts a new one.
fn lane(plan: &Plan, rest: &Mutex<VecDeque<Cell>>) -> Vec<Verdict> {
    let mut chain = None;
    let mut done = Vec::new();
    let next = || rest.lock().expect("nobody panics with it").pop_front();
    while let Some(cell) = next() {
        let ran = catch_unwind(AssertUnwindSafe(|| {
            let mut now = chain.take().unwrap_or_else(|| Chain::begin(plan.clone()));
            let verdict = now.row(cell);
            (now, verdict)
        }));
        let verdict = match ran {
            Ok((now, verdict)) => {
                chain = verdict.holds().then_some(now);
                verdict
            }
            Err(panic) => {
                let mut verdict = Verdict::new(cell);
                verdict.troubles.push(super::words(&*panic));
                verdict
            }
        };
        match verdict.holds() {
            true => eprintln!("{verdict}"),
            // At once, past the harness, which shows it only after the last test.
            false => drop(writeln!(io::stderr(), "{verdict}")),
        }
        done.push(verdict);
    }
    if let (Some(chain), Some(last)) = (chain, done.last_mut()) {
        last.troubles.extend(chain.end());
    }
    done
}
