//! The habits of one profile's person.

use std::time::Duration;

use super::keys::Key;
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
    /// How often a long movement stops short and is corrected.
    pub(super) corrects: f64,
    /// What the habits of fingers are drawn from.
    seed: u64,
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
            corrects: habit(0.25, 0.6),
            seed,
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

    /// From the press of one key to that of the next; a little longer after a word. Fingers have habits:
    /// the same two keys take the same person about as long on every page and every day.
    pub(super) fn stroke(&self, random: &mut Random, keys: (Key, Key)) -> Duration {
        let word = if keys.0.code == "Space" { 1.35 } else { 1.0 };
        let mean = self.stroke * word * reach(keys) * self.habit(keys);
        time(random.skewed(mean, self.spread * 1.2))
    }

    /// How long these two keys take this person, relative to anybody.
    fn habit(&self, keys: (Key, Key)) -> f64 {
        let codes = keys.0.code.bytes().chain([0]).chain(keys.1.code.bytes());
        let pair = codes.fold(self.seed, |all, byte| {
            (all ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        });
        Random::of(pair).between(0.82, 1.2)
    }

    /// From the arrival of the pointer to the press.
    pub(super) fn rest(&self, random: &mut Random) -> Duration {
        time(random.skewed(self.rest, self.spread * 1.6))
    }

    /// From one key press to the next, when each is decided on its own.
    pub(super) fn next_key(&self, random: &mut Random) -> Duration {
        time(random.skewed(self.stroke, self.spread * 1.6))
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

/// How long two keys take, relative to the average, by the fingers that strike them.
fn reach((from, to): (Key, Key)) -> f64 {
    if from == to {
        return 0.95;
    }
    match (finger(from.code), finger(to.code)) {
        (Some(one), Some(other)) if one == other => 1.25,
        (Some(one), Some(other)) if (one < 4) == (other < 4) => 1.05,
        (Some(_), Some(_)) => 0.9,
        // A thumb is always ready.
        _ => 0.95,
    }
}

/// The finger that strikes a key of the usual layouts, from left to right without thumbs.
fn finger(code: &str) -> Option<usize> {
    const FINGERS: [&str; 8] = [
        "QAZ1", "WSX2", "EDC3", "RFVTGB45", "YHNUJM67", "IK8", "OL9", "P0",
    ];
    let name = code.strip_prefix("Key").or(code.strip_prefix("Digit"));
    match (name, code) {
        (Some(name), _) => FINGERS.iter().position(|keys| keys.contains(name)),
        (None, "Comma") => Some(5),
        (None, "Period") => Some(6),
        (None, "Semicolon" | "Quote" | "Minus" | "Slash" | "BracketLeft" | "Enter") => Some(7),
        _ => None,
    }
}

fn time(milliseconds: f64) -> Duration {
    Duration::from_secs_f64(milliseconds / 1000.0)
}

#[cfg(test)]
mod tests {
    use super::super::Layout;
    use super::*;

    fn keys(from: char, to: char) -> (Key, Key) {
        let key = |character| Layout::Us.place(character).unwrap().key;
        (key(from), key(to))
    }

    /// Milliseconds between two keys, on average, in a session of their own.
    fn usual(seed: u64, from: char, to: char) -> f64 {
        let (person, mut random) = (Person::of(seed), Random::fresh());
        let times = (0..400).map(|_| person.stroke(&mut random, keys(from, to)));
        times.map(|time| time.as_secs_f64() * 1000.0).sum::<f64>() / 400.0
    }

    #[test]
    fn two_keys_have_their_time_on_every_visit() {
        let pairs = ["th", "he", "in", "er", "an", "re", "on", "at", "ed", "de"];
        let pairs = pairs.map(|pair| (pair.as_bytes()[0] as char, pair.as_bytes()[1] as char));
        let visit = |seed| pairs.map(|(from, to)| usual(seed, from, to));
        let (first, second, other) = (visit(3), visit(3), visit(4));
        let apart = |one: &[f64], two: &[f64]| {
            let mean = |times: &[f64]| times.iter().sum::<f64>() / times.len() as f64;
            let both = one.iter().zip(two);
            let each = both.map(|(a, b)| (a / mean(one) - b / mean(two)).abs());
            each.sum::<f64>() / one.len() as f64
        };
        let (same, different) = (apart(&first, &second), apart(&first, &other));
        assert!(same < 0.04 && different > 0.06, "{same} {different}");
        // A finger is slower than two hands.
        assert!(reach(keys('e', 'd')) > reach(keys('e', 'i')));
    }

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
            let stroke = person.stroke(&mut random, keys('t', 'h')).as_millis();
            assert!((20..200).contains(&button), "{button}");
            assert!((25..250).contains(&key), "{key}");
            assert!((45..500).contains(&stroke), "{stroke}");
        }
    }
}
