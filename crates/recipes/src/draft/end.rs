//! How the end of a recipe is known: by what the page shows once its last step is done.

use super::{Draft, LONGEST_SAID, SHORTEST};
use crate::acted::{Effect, Thing};
use crate::recipe::{Do, Expect, Step};
use crate::{Identity, Position, State};

impl Draft {
    /// The last step says what the page shows once it is done: what became of its element and of others, else
    /// what appeared or went away, in plain words if nothing better is known. A recipe is as good as what its
    /// end can be known by.
    pub(super) fn end(&mut self) {
        let Some(last) = self.steps.last() else {
            return;
        };
        if !shows_nothing(last.act) {
            return;
        }
        let mut expect = last.expect.clone().unwrap_or_default();
        if expect.navigates.is_none() {
            self.shown(last, &mut expect);
        }
        if expect.is_empty() {
            expect.appears = plain(&self.effect.appeared).map(|thing| self.thing(thing));
            if expect.appears.is_none() {
                expect.gone = plain(&self.effect.gone).map(|thing| self.thing(thing));
            }
        }
        if expect.is_empty() && self.effect.visible {
            expect.changes = Some(true);
        }
        if let Some(last) = self.steps.last_mut() {
            last.expect = (!expect.is_empty()).then_some(expect);
        }
    }

    /// Adds what became of the step's element, and of another one if nothing is said of others yet.
    fn shown(&self, last: &Step, expect: &mut Expect) {
        let Effect {
            state,
            place,
            became,
            ..
        } = &self.effect;
        if last.on.is_some() {
            // What the field holds is said already.
            expect.state = match expect.value {
                Some(true) => self.state(&state.flags()),
                _ => self.state(state),
            };
            expect.place = self.place(place);
        }
        if expect.appears.is_none() {
            let own = |thing: &&Thing| {
                let on = last.on.as_ref();
                on.is_some_and(|on| on.role == thing.role && on.name == thing.name)
            };
            let known = !expect.state.is_empty();
            let others = became.iter().filter(|thing| !(known && own(thing)));
            expect.appears = telling(others).map(|thing| self.thing(&thing));
        }
    }

    pub(super) fn state(&self, state: &State) -> State {
        State {
            value: state.value.as_deref().map(|value| self.templated(value)),
            ..state.clone()
        }
    }

    fn place(&self, place: &Position) -> Position {
        let mut place = place.clone();
        for text in place.texts_mut() {
            *text = text.take().map(|text| self.templated(&text));
        }
        place
    }
}

/// The state of an element that any step may be expected to lead to, where nothing else is: what it holds
/// may be different the next time.
pub(super) fn state_of(effect: &Effect, on: Option<&Identity>) -> State {
    match on {
        Some(_) => effect.state.flags(),
        None => State::default(),
    }
}

/// What says most of what became of others: what one holds or whether it was chosen, before whether it is open.
fn telling<'a>(became: impl Iterator<Item = &'a Thing>) -> Option<Thing> {
    let rank = |thing: &Thing| {
        let State {
            checked,
            selected,
            pressed,
            value,
            ..
        } = &thing.state;
        match value {
            Some(value) if value.chars().count() <= LONGEST_SAID => 0,
            _ if checked == &Some(true) || selected == &Some(true) => 1,
            _ if pressed == &Some(true) => 2,
            _ => 3,
        }
    };
    let named = |thing: &&Thing| {
        let long = thing.state.value.as_ref();
        // Without a name it may be any of its kind.
        let known = !thing.name.trim().is_empty() || rank(thing) == 0;
        known && long.is_none_or(|value| value.chars().count() <= LONGEST_SAID)
    };
    let mut thing = became
        .filter(named)
        .min_by_key(|thing| rank(thing))?
        .clone();
    if thing.state.value.is_some() {
        // A list that closes is not why something was chosen in it.
        thing.state.expanded = None;
    }
    Some(thing)
}

/// Whether an act of this kind succeeds though what it was for may not have come about.
fn shows_nothing(act: Do) -> bool {
    matches!(
        act,
        Do::Click | Do::Press | Do::Type | Do::Hover | Do::Drag | Do::Upload
    )
}

/// Something with words that will be the same the next time: figures hardly are.
fn plain(things: &[Thing]) -> Option<&Thing> {
    let says = |thing: &&Thing| {
        let name = thing.name.trim();
        name.chars().filter(|c| c.is_alphabetic()).count() >= SHORTEST
            && name.chars().count() <= LONGEST_SAID
            && !name.contains(|c: char| c.is_ascii_digit())
    };
    things.iter().find(says)
}
