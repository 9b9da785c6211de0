//! Waits become expectations.

use super::Draft;
use crate::acted::Acted;
use crate::address;
use crate::recipe::{Do, Expect, Step};

/// A wait that took longer than this says how long the next one may take, in milliseconds.
const LONG: u64 = 3_000;
/// How much longer a replay may wait than the recording did.
const LONGER: u64 = 3;

impl Draft {
    /// What was waited for is expected of the step before, or has a step of its own if that one expects
    /// something else.
    pub(super) fn wait(&mut self, acted: &Acted) {
        let Some(awaited) = self.awaited(acted) else {
            let note =
                "a wait was left out: a replay waits for texts, addresses and elements with a name";
            self.notes.push(note.to_owned());
            return;
        };
        let fits = self.steps.last_mut().is_some_and(|last| {
            let expect = last.expect.get_or_insert_with(Expect::default);
            let fits = add(expect, &awaited);
            last.expect = last.expect.take().filter(|expect| !expect.is_empty());
            fits
        });
        if !fits {
            let mut step = Step::new(Do::Wait);
            step.expect = Some(awaited);
            self.steps.push(step);
        }
    }

    fn awaited(&self, acted: &Acted) -> Option<Expect> {
        let mut expect = Expect::default();
        if let Some(awaited) = &acted.awaited {
            let text = awaited.text.as_deref().map(|text| self.templated(text));
            match awaited.away {
                true => expect.no_text = text,
                false => expect.text = text,
            }
        }
        let effect = &acted.effect;
        let url = effect.navigated.as_deref();
        expect.navigates = url.map(|url| self.templated(&address::pattern(url)));
        expect.appears = effect.appeared.first().map(|thing| self.thing(thing));
        expect.gone = effect.gone.first().map(|thing| self.thing(thing));
        if expect.is_empty() {
            return None;
        }
        let seconds = (acted.ms * LONGER).div_ceil(1000).next_multiple_of(10);
        expect.seconds = (acted.ms > LONG).then(|| u32::try_from(seconds).unwrap_or(u32::MAX));
        Some(expect)
    }
}

/// Adds to an expectation what it does not say yet; nothing, and `false`, if it says otherwise.
fn add(to: &mut Expect, more: &Expect) -> bool {
    fn free<T: PartialEq>(old: &Option<T>, new: &Option<T>) -> bool {
        old.is_none() || new.is_none() || old == new
    }
    let fits = free(&to.navigates, &more.navigates)
        && free(&to.appears, &more.appears)
        && free(&to.gone, &more.gone)
        && free(&to.text, &more.text)
        && free(&to.no_text, &more.no_text);
    if !fits {
        return false;
    }
    let more = more.clone();
    to.navigates = to.navigates.take().or(more.navigates);
    to.appears = to.appears.take().or(more.appears);
    to.gone = to.gone.take().or(more.gone);
    to.text = to.text.take().or(more.text);
    to.no_text = to.no_text.take().or(more.no_text);
    to.seconds = to.seconds.max(more.seconds);
    true
}
