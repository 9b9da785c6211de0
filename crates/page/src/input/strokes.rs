//! Text as the keys that type it, with their times.

use std::time::Duration;

use super::event::KeyEvent;
use super::keys::{self, ALT_GRAPH, Key, SHIFT};
use super::layout::{KeyPosition, Layout};
use super::person::Person;
use super::random::Random;

/// A part of a text that is entered in one way.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Part {
    /// Characters of the layout, by keys.
    Keys(Vec<Typed>),
    /// Letters that the layout does not have, through an input method.
    Composed(String),
    /// Symbols that nobody types, as if from a picker.
    Inserted(String),
}

/// One character and its key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Typed {
    key: String,
    text: String,
    place: KeyPosition,
}

/// Splits a text into parts. Lines end with Enter. A tab is put in: its key would move the focus, and the rest
/// would be another field's.
///
/// What the layout lacks goes through an input method only if the text is `composed`. Otherwise it comes by keys as
/// well, those of a layout that has them.
pub(super) fn parts(text: &str, layout: Layout, composed: bool) -> Vec<Part> {
    let text = text.replace("\r\n", "\n");
    let mut parts: Vec<Part> = Vec::new();
    for character in text.chars() {
        let typed = typed(character, layout);
        let typed = typed.or_else(|| (!composed).then(|| foreign(character)));
        match (typed, parts.last_mut()) {
            (Some(typed), Some(Part::Keys(keys))) => keys.push(typed),
            (Some(typed), _) => parts.push(Part::Keys(vec![typed])),
            (None, last) => {
                let composed = character.is_alphabetic();
                match last {
                    Some(Part::Composed(run)) if composed => run.push(character),
                    // Whatever joins or follows a symbol belongs to it.
                    Some(Part::Inserted(run)) if !composed => run.push(character),
                    _ if composed => parts.push(Part::Composed(character.into())),
                    _ => parts.push(Part::Inserted(character.into())),
                }
            }
        }
    }
    parts
}

fn typed(character: char, layout: Layout) -> Option<Typed> {
    if matches!(character, '\n' | '\r')
        && let Some(named) = keys::find("Enter")
    {
        return Some(Typed {
            key: named.key.to_owned(),
            text: named.text.to_owned(),
            place: plain(named.key_info),
        });
    }
    Some(Typed {
        key: character.into(),
        text: character.into(),
        place: layout.place(character)?,
    })
}

/// Whether a text has characters that the layout lacks.
pub(super) fn lacks(text: &str, layout: Layout) -> bool {
    text.chars().any(|one| typed(one, layout).is_none())
}

/// A character by its key on any layout: without one, by a key that is nowhere, as on a keyboard on a screen.
fn foreign(character: char) -> Typed {
    let mut layouts = Layout::ALL.into_iter();
    let place = layouts.find_map(|layout| layout.place(character));
    Typed {
        key: character.into(),
        text: character.into(),
        place: place.unwrap_or_else(|| plain(keys::key("", 0, 0))),
    }
}

fn plain(key: Key) -> KeyPosition {
    KeyPosition {
        key,
        shift: false,
        alt_graph: false,
    }
}

/// When each key goes down and up, from the start. Shift is held across consecutive capitals; a key
/// may still be down when the next one goes down, as with fast typists.
pub(super) fn schedule(
    keys: &[Typed],
    person: &Person,
    random: &mut Random,
) -> Vec<(Duration, KeyEvent)> {
    let mut events: Vec<(Duration, KeyEvent)> = Vec::new();
    let mut now = Duration::ZERO;
    let mut held: Option<HeldModifier> = None;
    let mut released = Duration::ZERO;
    for (index, typed) in keys.iter().enumerate() {
        let wanted = HeldModifier::of(typed.place);
        if held != wanted {
            // Hands change modifiers between keys, not while one is down.
            now = now.max(released) + person.key(random) / 6;
            if let Some(held) = held.take() {
                events.push((now, held.event(false)));
                now += person.key(random) / 8;
            }
            if let Some(wanted) = wanted {
                now += person.key(random) / 4;
                events.push((now, wanted.event(true)));
                now += person.key(random) / 2;
            }
            held = wanted;
        }
        let modifiers = held.map_or(0, HeldModifier::bit);
        let event = |down: bool| KeyEvent {
            down,
            key: typed.key.clone(),
            info: typed.place.key,
            modifiers,
            text: if down {
                typed.text.clone()
            } else {
                String::new()
            },
        };
        // The same key cannot go down again before it is up.
        let twice = events
            .iter()
            .rev()
            .find(|(_, event)| !event.down && event.info == typed.place.key);
        if let Some((up, _)) = twice {
            now = now.max(*up + Duration::from_millis(12));
        }
        let up = now + person.key(random);
        events.push((now, event(true)));
        events.push((up, event(false)));
        released = released.max(up);
        let next = keys.get(index + 1).unwrap_or(typed);
        now += person.stroke(random, (typed.place.key, next.place.key));
    }
    if let Some(held) = held {
        let after = released + person.key(random) / 3;
        events.push((after, held.event(false)));
    }
    // Stable: at the same time, earlier events stay first.
    events.sort_by_key(|(at, _)| *at);
    events
}

/// The same without times: each key is up again before the next one goes down.
pub(super) fn in_order(keys: &[Typed]) -> Vec<KeyEvent> {
    let mut events = Vec::with_capacity(keys.len() * 2);
    let mut held: Option<HeldModifier> = None;
    for typed in keys {
        let wanted = HeldModifier::of(typed.place);
        if held != wanted {
            events.extend(held.take().map(|held| held.event(false)));
            events.extend(wanted.map(|wanted| wanted.event(true)));
            held = wanted;
        }
        let modifiers = held.map_or(0, HeldModifier::bit);
        for down in [true, false] {
            events.push(KeyEvent {
                down,
                key: typed.key.clone(),
                info: typed.place.key,
                modifiers,
                text: if down {
                    typed.text.clone()
                } else {
                    String::new()
                },
            });
        }
    }
    events.extend(held.map(|held| held.event(false)));
    events
}

/// Modifiers to hold for a character.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum HeldModifier {
    Shift,
    AltGraph,
}

impl HeldModifier {
    fn of(place: KeyPosition) -> Option<Self> {
        match (place.shift, place.alt_graph) {
            (true, _) => Some(Self::Shift),
            (_, true) => Some(Self::AltGraph),
            _ => None,
        }
    }

    /// AltGr is not one of CDP's modifiers, and sets neither Alt nor Control on Linux.
    fn bit(self) -> u8 {
        match self {
            Self::Shift => 8,
            Self::AltGraph => 0,
        }
    }

    fn event(self, down: bool) -> KeyEvent {
        let (key, info) = match self {
            Self::Shift => ("Shift", SHIFT),
            Self::AltGraph => ("AltGraph", ALT_GRAPH),
        };
        KeyEvent {
            down,
            key: key.to_owned(),
            info,
            modifiers: if down { self.bit() } else { 0 },
            text: String::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(text: &str, layout: Layout) -> Vec<Typed> {
        match parts(text, layout, true).as_slice() {
            [Part::Keys(keys)] => keys.clone(),
            other => panic!("{other:?}"),
        }
    }

    fn told(events: &[KeyEvent]) -> String {
        let one = |event: &KeyEvent| format!("{}{}", if event.down { "+" } else { "-" }, event.key);
        events.iter().map(one).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn capitals_are_between_shift_down_and_up() {
        let events = in_order(&keys("aBC!d", Layout::Us));
        assert_eq!(told(&events), "+a -a +Shift +B -B +C -C +! -! -Shift +d -d");
        assert!(events[3].modifiers == 8 && events[3].text == "B");
        assert_eq!(
            told(&in_order(&keys("x@", Layout::De))),
            "+x -x +AltGraph +@ -@ -AltGraph"
        );
    }

    #[test]
    fn a_hand_writes_the_same_characters_in_the_same_order() {
        let typed = keys("Hello, World!", Layout::Us);
        for seed in 0..100 {
            let events = schedule(&typed, &Person::of(seed), &mut Random::of(seed));
            assert!(events.is_sorted_by_key(|(at, _)| *at));
            let written: String = events
                .iter()
                .map(|(_, event)| event.text.as_str())
                .collect();
            assert_eq!(written, "Hello, World!");
            let mut down: Vec<&str> = Vec::new();
            for (_, event) in &events {
                if event.down {
                    assert!(!down.contains(&event.info.code), "pressed twice");
                    let shift = down.contains(&"ShiftLeft") || event.info == SHIFT;
                    assert_eq!(event.modifiers == 8, shift);
                    down.push(event.info.code);
                } else {
                    down.retain(|code| *code != event.info.code);
                }
            }
            assert!(down.is_empty(), "{down:?} stay down");
        }
    }

    #[test]
    fn what_the_layout_lacks_is_entered_otherwise() {
        let parts = parts("a日本🙂é\n", Layout::Us, true);
        assert_eq!(parts.len(), 5, "{parts:?}");
        assert_eq!(parts[1], Part::Composed("日本".into()));
        assert_eq!(parts[2], Part::Inserted("🙂".into()));
        assert_eq!(parts[3], Part::Composed("é".into()));
    }

    #[test]
    fn without_an_input_method_everything_comes_by_keys() {
        let parts = parts("aÄ日🙂", Layout::Us, false);
        let [Part::Keys(keys)] = parts.as_slice() else {
            panic!("{parts:?}");
        };
        let events = in_order(keys);
        assert_eq!(told(&events), "+a -a +Shift +Ä -Ä -Shift +日 -日 +🙂 -🙂");
        // As on a German keyboard, and on none.
        let codes: Vec<&str> = keys.iter().map(|typed| typed.place.key.code).collect();
        assert_eq!(codes, ["KeyA", "Quote", "", ""]);
        assert!(lacks("aé", Layout::Us) && !lacks("aé", Layout::Fr));
    }

    #[test]
    fn a_tab_is_text_and_no_key() {
        let parts = parts("a\t\tb", Layout::Us, true);
        assert_eq!(parts.len(), 3, "{parts:?}");
        assert_eq!(parts[1], Part::Inserted("\t\t".into()));
    }
}
