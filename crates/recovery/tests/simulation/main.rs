//! A hundred thousand lives of a browser, each with crashes where they hurt.
//!
//! `world` is a model of Chromium: a cookie jar and a localStorage in memory, their files, which it
//! writes late, databases, which it writes at once, processes that die, and our own saved state beside
//! them. A seeded stream of numbers drives it, and it asks the real crate what to believe, write and
//! restore. After each exit `judge` compares what exists with what pages and servers had set, second
//! by second.
//!
//! A failing seed prints itself; `SZK_SEED=<seed> cargo test -p szk-recovery --test simulation` runs
//! it alone and prints its story. Add a seed that has failed to `REGRESSIONS`.

mod judge;
mod rng;
mod world;

use std::panic::{AssertUnwindSafe, catch_unwind};

use world::{Sabotage, World};

/// How many lives a run simulates.
const SEEDS: u64 = 100_000;
/// Steps of one life.
const STEPS: u32 = 120;
/// Seeds that have failed before.
const REGRESSIONS: [u64; 0] = [];

/// One life. The error is what was lost, and the story that led to it.
fn live(seed: u64, sabotage: Option<Sabotage>, tell: bool) -> Result<(), String> {
    let mut world = World::new(seed, sabotage, tell);
    for _ in 0..STEPS {
        world.step()?;
    }
    Ok(())
}

#[test]
fn nothing_is_lost_and_nothing_comes_back() {
    if let Ok(seed) = std::env::var("SZK_SEED") {
        let seed = seed.parse().expect("SZK_SEED is a number");
        if let Err(lost) = live(seed, None, true) {
            panic!("{lost}");
        }
        return;
    }
    for seed in REGRESSIONS.into_iter().chain(0..SEEDS) {
        match catch_unwind(AssertUnwindSafe(|| live(seed, None, false))) {
            Ok(Ok(())) => {}
            Ok(Err(lost)) => panic!("SZK_SEED={seed} fails: {lost}"),
            Err(_) => panic!("SZK_SEED={seed} panics"),
        }
    }
}

#[test]
fn each_way_of_doing_it_wrong_is_found() {
    for sabotage in Sabotage::ALL {
        let found = (0..SEEDS / 20).find(|seed| live(*seed, Some(sabotage), false).is_err());
        assert!(found.is_some(), "nobody notices {sabotage:?}");
    }
}
