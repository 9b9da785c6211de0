//! Notices that the model goes round in circles: the same act with the same outcome, again and again.

use std::collections::VecDeque;

/// How far back an act counts.
const WINDOW: usize = 16;
/// The model is told when it has done the same this often.
const TOLD: usize = 3;
/// The run ends when it has done the same this often.
const STOPPED: usize = 5;

/// What was done lately, with what came of it.
#[derive(Debug, Default)]
pub(crate) struct Circles {
    lately: VecDeque<(String, String)>,
}

/// How the run goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Course {
    /// On.
    On,
    /// Round: the model hears of it.
    Round,
    /// Round, although the model was told.
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
        match times {
            STOPPED.. => Course::Lost,
            TOLD.. => Course::Round,
            _ => Course::On,
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
        assert_eq!(note("click e1", "nothing changed"), Course::Round);
        assert_eq!(note("click e1", "nothing changed"), Course::Lost);
        assert_eq!(note("click e1", "something new"), Course::On);
    }
}
