//! Notices that the model goes round in circles: the same act with the same outcome, again and again.

use std::collections::VecDeque;

/// How far back an act counts.
const WINDOW: usize = 16;
/// It is a circle once the same was done this often.
const ROUND: usize = 3;
/// After so many acts without a circle, the circles before are forgotten.
const FORGOTTEN: usize = 2 * WINDOW;

/// What was done lately, with what came of it.
#[derive(Debug, Default)]
pub(crate) struct Circles {
    lately: VecDeque<(String, String)>,
    reached: Reached,
    /// Acts since the last circle.
    quiet: usize,
}

/// What was done about circles so far.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Reached {
    #[default]
    Nothing,
    Told,
    Planned,
}

/// How the run goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Course {
    /// On.
    On,
    /// Round: the model hears of it.
    Round,
    /// Round, although the model was told: it plans anew.
    Anew,
    /// Round with the new plan, too.
    Lost,
}

impl Circles {
    /// Takes note of an act and its outcome.
    pub(crate) fn note(&mut self, act: String, outcome: &str) -> Course {
        let outcome: String = outcome.chars().take(2000).collect();
        let one = (act, outcome);
        let times = 1 + self.lately.iter().filter(|known| **known == one).count();
        self.lately.push_back(one);
        if self.lately.len() > WINDOW {
            self.lately.pop_front();
        }
        if times < ROUND {
            self.quiet += 1;
            if self.quiet >= FORGOTTEN {
                self.reached = Reached::Nothing;
            }
            return Course::On;
        }
        self.quiet = 0;
        match self.reached {
            Reached::Nothing => {
                self.reached = Reached::Told;
                Course::Round
            }
            Reached::Told => {
                self.reached = Reached::Planned;
                self.lately.clear();
                Course::Anew
            }
            Reached::Planned => Course::Lost,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_act_with_the_same_outcome_is_a_circle() {
        let mut circles = Circles::default();
        let mut note = |act: &str, outcome: &str| circles.note(act.to_owned(), outcome);
        assert_eq!(note("click e1", "nothing changed"), Course::On);
        assert_eq!(note("click e2", "nothing changed"), Course::On);
        assert_eq!(note("click e1", "nothing changed"), Course::On);
        assert_eq!(note("click e1", "something changed"), Course::On);
        assert_eq!(note("click e1", "nothing changed"), Course::Round);
        // A different act in between is no circle.
        assert_eq!(note("click e2", "nothing changed"), Course::On);
        assert_eq!(note("click e1", "nothing changed"), Course::Anew);
        // With the new plan it counts anew.
        assert_eq!(note("click e1", "nothing changed"), Course::On);
        assert_eq!(note("click e1", "nothing changed"), Course::On);
        assert_eq!(note("click e1", "nothing changed"), Course::Lost);
    }

    #[test]
    fn a_circle_of_long_ago_is_forgotten() {
        let mut circles = Circles::default();
        let mut round = |name: &str| {
            let mut last = Course::On;
            for _ in 0..ROUND {
                last = circles.note(name.to_owned(), "");
            }
            last
        };
        assert_eq!(round("a"), Course::Round);
        for number in 0..FORGOTTEN {
            circles.note(number.to_string(), "");
        }
        let mut round = |name: &str| {
            let mut last = Course::On;
            for _ in 0..ROUND {
                last = circles.note(name.to_owned(), "");
            }
            last
        };
        assert_eq!(round("b"), Course::Round);
        assert_eq!(round("c"), Course::Anew);
        assert_eq!(round("d"), Course::Lost);
    }
}
