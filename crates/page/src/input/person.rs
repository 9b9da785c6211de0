//! The habits of one profile's person.

use std::time::Duration;

use super::random::Random;

/// Milliseconds that people hold a mouse button.
const BUTTON: f64 = 64.0;
/// Milliseconds that a key is held.
const KEY: f64 = 79.0;
/// Milliseconds from one key press to the next, for someone who types well.
const STROKE: f64 = 150.0;
/// Milliseconds between two notches of a wheel.
const NOTCH: f64 = 55.0;
/// Milliseconds that the pointer rests on a target before the press.
const REST: f64 = 120.0;

/// Habits of one profile; the same seed gives the same person.
#[derive(Debug, Clone)]
pub struct Person {
    button: f64,
    key: f64,
    stroke: f64,
    notch: f64,
    /// How much times vary.
    spread: f64,
    /// Duration of a movement, relative to the average.
    pub(super) slowness: f64,
    /// How far a path bends from the straight line, relative to the average; the sign is the side.
    pub(super) bend: f64,
    rest: f64,
}

impl Person {
    /// The person for a profile's seed.
    #[must_use]
    pub fn of(seed: u64) -> Self {
        let mut random = Random::of(seed);
        let mut habit = |low: f64, high: f64| random.between(low, high);
        Self {
            button: BUTTON * habit(0.85, 1.2),
            key: KEY * habit(0.85, 1.2),
            stroke: STROKE * habit(0.8, 1.3),
            notch: NOTCH * habit(0.8, 1.4),
            spread: habit(0.16, 0.26),
            slowness: habit(0.8, 1.25),
            bend: habit(0.5, 1.5) * if habit(0.0, 1.0) < 0.7 { 1.0 } else { -1.0 },
            // Drawn last, so that people who were there before it keep their other habits.
            rest: REST * habit(0.7, 1.5),
        }
    }

    /// How long a mouse button is held this time.
    pub(super) fn button(&self, random: &mut Random) -> Duration {
        time(random.skewed(self.button, self.spread))
    }

    /// From the first click of a double click to the second.
    pub(super) fn between_clicks(&self, random: &mut Random) -> Duration {
        time(random.skewed(self.button * 1.3, self.spread))
    }

    /// How long a key is held this time.
    pub(super) fn key(&self, random: &mut Random) -> Duration {
        time(random.skewed(self.key, self.spread))
    }

    /// From this key press to the next; a little longer after a word.
    pub(super) fn stroke(&self, random: &mut Random, ends_word: bool) -> Duration {
        let mean = self.stroke * if ends_word { 1.35 } else { 1.0 };
        time(random.skewed(mean, self.spread * 1.6))
    }

    /// From the arrival of the pointer to the press.
    pub(super) fn rest(&self, random: &mut Random) -> Duration {
        time(random.skewed(self.rest, self.spread * 1.6))
    }

    /// From one key press to the next, when each is decided on its own.
    pub(super) fn next_key(&self, random: &mut Random) -> Duration {
        self.stroke(random, false)
    }

    /// To find a file, or an entry of a list that has just opened.
    pub(super) fn choice(&self, random: &mut Random) -> Duration {
        time(random.skewed(self.stroke * 6.0, self.spread * 1.6))
    }

    /// How long a text takes to type, about.
    pub(super) fn typing(&self, characters: usize) -> Duration {
        time(self.stroke * 1.1 * characters as f64)
    }

    /// To the next notch of the wheel.
    pub(super) fn notch(&self, random: &mut Random) -> Duration {
        time(random.skewed(self.notch, self.spread * 1.5))
    }
}

fn time(milliseconds: f64) -> Duration {
    Duration::from_secs_f64(milliseconds / 1000.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn people_differ_and_stay_themselves() {
        let shown = |seed| format!("{:?}", Person::of(seed));
        assert_eq!(shown(3), shown(3));
        assert_ne!(shown(3), shown(4));
    }

    #[test]
    fn nobody_is_inhuman() {
        let mut random = Random::of(5);
        for seed in 0..500 {
            let person = Person::of(seed);
            let button = person.button(&mut random).as_millis();
            let key = person.key(&mut random).as_millis();
            let stroke = person.stroke(&mut random, false).as_millis();
            assert!((20..200).contains(&button), "{button}");
            assert!((25..250).contains(&key), "{key}");
            assert!((45..500).contains(&stroke), "{stroke}");
        }
    }
}
