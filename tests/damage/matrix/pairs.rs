//! A sample of the table that covers every pair of values: each signal with each target, each signal
//! at each moment, each target at each moment.

use std::collections::HashSet;

use super::lists::{Blow, Cell, Listed, Moment, Target, all};

/// Two values of different lists, by their names.
type Pair = (&'static str, &'static str);

fn pairs(cell: &Cell) -> [Pair; 3] {
    let (blow, target, moment) = (cell.blow.name(), cell.target.name(), cell.moment.name());
    [(blow, target), (blow, moment), (target, moment)]
}

/// Greedily takes the first row with the most missing pairs until none is missing.
pub(super) fn sample() -> Vec<Cell> {
    let mut rest = all();
    let mut missing: HashSet<Pair> = rest.iter().flat_map(pairs).collect();
    let mut taken = Vec::new();
    while !missing.is_empty() {
        let news = |cell: &Cell| {
            pairs(cell)
                .iter()
                .filter(|pair| missing.contains(*pair))
                .count()
        };
        let most = rest
            .iter()
            .map(news)
            .max()
            .expect("missing pairs have rows");
        let at = rest
            .iter()
            .position(|cell| news(cell) == most)
            .expect("one has the most");
        let cell = rest.remove(at);
        for pair in pairs(&cell) {
            missing.remove(&pair);
        }
        taken.push(cell);
    }
    taken
}

#[test]
fn the_sample_has_every_pair_and_little_more() {
    let sample = sample();
    let covered: HashSet<Pair> = sample.iter().flat_map(pairs).collect();
    for blow in Blow::ALL {
        for target in Target::ALL {
            assert!(
                covered.contains(&(blow.name(), target.name())),
                "{blow:?} {target:?}"
            );
        }
        for moment in Moment::ALL {
            assert!(
                covered.contains(&(blow.name(), moment.name())),
                "{blow:?} {moment:?}"
            );
        }
    }
    for target in Target::ALL {
        for moment in Moment::ALL {
            assert!(
                covered.contains(&(target.name(), moment.name())),
                "{target:?} {moment:?}"
            );
        }
    }
    let fewest = Target::ALL.len() * Moment::ALL.len();
    assert!(
        (fewest..=fewest + 4).contains(&sample.len()),
        "{} rows",
        sample.len()
    );
    assert_eq!(all().len(), 288);
}
