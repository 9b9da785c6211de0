//! How long each part of a row takes, and which rows there are: the sample by default, others through
//! `SZK_DAMAGE`, which `scripts/damage` sets.

use std::time::Duration;

use super::lists::{Cell, Listed, all};
use super::pairs::sample;

/// How long a save may take beyond its interval, in rounds of the page: reading the page, which waits
/// for its thread like the round itself, and writing. On an idle machine a round takes a quarter of a
/// second, and ten of them cover the longest read (two seconds) plus the unfinished round. On a busy
/// machine the page and the saver wait for the same processors.
const SLACK: f64 = 10.0;

/// Which rows to run, and how.
#[derive(Debug, Clone)]
pub(super) struct Plan {
    /// `session.save_seconds`.
    pub(super) save: u64,
    /// Fewest rounds that the page works before each blow.
    pub(super) rounds: usize,
    /// Fewest seconds that it works.
    pub(super) steady: u64,
    /// How long SIGSTOP lasts.
    pub(super) stopped: Duration,
    /// After how many deaths of its browser a keeper is closed and reopened.
    pub(super) deaths: usize,
    /// How many rows run side by side.
    pub(super) lanes: usize,
    /// The rows.
    pub(super) cells: Vec<Cell>,
}

impl Plan {
    /// What the suite runs.
    pub(super) fn sample() -> Self {
        Self {
            save: 1,
            rounds: 4,
            steady: 2,
            stopped: Duration::from_millis(1000),
            deaths: 2,
            lanes: 4,
            cells: sample(),
        }
    }

    /// The sample, or what the environment asks for.
    pub(super) fn chosen() -> Self {
        let mut plan = Self::sample();
        if let Ok(text) = std::env::var("SZK_DAMAGE") {
            plan.choose(&text);
        }
        plan
    }

    /// Words such as `signal=SIGKILL,SIGTERM target=network steady=60 save=5`; any word selects from
    /// the full table.
    fn choose(&mut self, text: &str) {
        self.save = 5;
        self.steady = 10;
        self.lanes = 2;
        self.cells = all();
        for word in text.split_whitespace() {
            let (key, value) = word.split_once('=').unwrap_or((word, ""));
            let number = || {
                value
                    .parse::<u64>()
                    .unwrap_or_else(|_| panic!("not a number: `{word}`"))
            };
            match key {
                "every" => {}
                "sample" => self.cells = sample(),
                "save" => self.save = number(),
                "steady" => self.steady = number(),
                "stopped" => self.stopped = Duration::from_secs(number()),
                "lanes" => self.lanes = usize::try_from(number()).unwrap_or(1).max(1),
                "signal" => keep(&mut self.cells, value, |cell| cell.blow.name()),
                "target" => keep(&mut self.cells, value, |cell| cell.target.name()),
                "moment" => keep(&mut self.cells, value, |cell| cell.moment.name()),
                _ => panic!("not known: `{word}`"),
            }
        }
        assert!(!self.cells.is_empty(), "no row is left of `{text}`");
    }

    /// How many seconds of work may be lost if a round of the page takes this long.
    pub(super) fn mark(&self, round: f64) -> f64 {
        self.save as f64 + SLACK * round.max(0.25)
    }

    /// The steady time in milliseconds.
    pub(super) fn millis(&self) -> u64 {
        self.steady * 1000
    }
}

/// Keeps the rows whose value is among these.
fn keep(cells: &mut Vec<Cell>, names: &str, of: impl Fn(&Cell) -> &'static str) {
    let wanted: Vec<&str> = names.split(',').collect();
    cells.retain(|cell| wanted.contains(&of(cell)));
}

/// No row is left out, and none is there twice.
#[test]
fn the_suite_runs_the_whole_sample() {
    let usual = Plan::sample();
    assert_eq!(usual.cells, sample());
    let mut table = usual.clone();
    table.choose("every");
    assert_eq!(table.cells, all());
}

/// A name in no list would select nothing and look like a success.
#[test]
fn every_row_can_be_chosen_by_its_names() {
    let usual = Plan::sample();
    for cell in all() {
        let mut plan = usual.clone();
        let Cell {
            blow,
            target,
            moment,
        } = cell;
        plan.choose(&format!(
            "signal={} target={} moment={}",
            blow.name(),
            target.name(),
            moment.name()
        ));
        assert_eq!(plan.cells, [cell]);
    }
}
