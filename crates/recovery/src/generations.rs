//! Which older states to keep beside the newest one.
//!
//! There is always the previous one, and one each from about the last minute, hour and day, so a
//! mistake noticed late can still be undone while the number of files stays bounded.

use std::time::Duration;

/// A slot for a saved state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Slot {
    /// The one in use.
    Newest,
    /// The previous one.
    Before,
    /// At most about a minute older than the newest.
    Minute,
    /// At most about an hour older.
    Hour,
    /// At most about a day older.
    Day,
}

impl Slot {
    /// All of them, in the order to try when one is unreadable.
    pub const ALL: [Self; 5] = [
        Self::Newest,
        Self::Before,
        Self::Minute,
        Self::Hour,
        Self::Day,
    ];

    /// How old a slot's content gets before it is replaced.
    fn period(self) -> Duration {
        Duration::from_secs(match self {
            Self::Newest | Self::Before => 0,
            Self::Minute => 60,
            Self::Hour => 60 * 60,
            Self::Day => 24 * 60 * 60,
        })
    }
}

/// What to copy, in this order, before a new state becomes the newest. `age` says how long ago a
/// slot's content was saved: `None` for an empty slot, `Some(MAX)` for an impossible time.
#[must_use]
pub fn before_writing(age: impl Fn(Slot) -> Option<Duration>) -> Vec<(Slot, Slot)> {
    let due = |slot: Slot| age(slot).is_none_or(|age| age >= slot.period());
    let mut copies = Vec::new();
    // From the oldest: each takes over what the next younger one is about to lose.
    let ladder = [Slot::Newest, Slot::Minute, Slot::Hour, Slot::Day];
    for (at, pair) in ladder.windows(2).enumerate().rev() {
        let passes = ladder[1..=at + 1].iter().all(|slot| due(*slot));
        if passes && age(pair[0]).is_some() {
            copies.push((pair[0], pair[1]));
        }
    }
    if age(Slot::Newest).is_some() {
        copies.push((Slot::Newest, Slot::Before));
    }
    copies
}

#[cfg(test)]
mod tests {
    use super::*;
    use Slot::{Before, Day, Hour, Minute, Newest};

    #[track_caller]
    fn check(ages: [Option<u64>; 4], expected: &[(Slot, Slot)]) {
        let age = |slot| {
            let at = [Newest, Minute, Hour, Day].iter().position(|s| *s == slot);
            ages[at?].map(Duration::from_secs)
        };
        assert_eq!(before_writing(age), expected, "{ages:?}");
    }

    #[test]
    fn each_takes_what_the_younger_one_loses() {
        check([None; 4], &[]);
        check(
            [Some(2), None, None, None],
            &[(Newest, Minute), (Newest, Before)],
        );
        check([Some(2), Some(59), None, None], &[(Newest, Before)]);
        check(
            [Some(2), Some(60), None, None],
            &[(Minute, Hour), (Newest, Minute), (Newest, Before)],
        );
        check(
            [Some(2), Some(60), Some(3599), None],
            &[(Newest, Minute), (Newest, Before)],
        );
        check(
            [Some(2), Some(60), Some(3600), Some(90_000)],
            &[
                (Hour, Day),
                (Minute, Hour),
                (Newest, Minute),
                (Newest, Before),
            ],
        );
    }

    #[test]
    fn a_year_of_work_leaves_one_of_each_age() {
        // When the content of each slot was saved.
        let mut saved = std::collections::BTreeMap::new();
        let mut now = Duration::ZERO;
        for write in 0..40_000_u64 {
            now += Duration::from_secs(if write % 1000 == 0 { 20_000 } else { 7 });
            let copies = before_writing(|slot| saved.get(&slot).map(|then| now - *then));
            for (from, to) in copies {
                saved.insert(to, saved[&from]);
            }
            saved.insert(Newest, now);
        }
        let age = |slot: Slot| (now - saved[&slot]).as_secs();
        assert!(age(Before) <= 7 && age(Minute) <= 67, "{saved:?}");
        assert!((60..=3700).contains(&age(Hour)), "{saved:?}");
        assert!((3600..=26 * 3600 + 20_000).contains(&age(Day)), "{saved:?}");
    }
}
