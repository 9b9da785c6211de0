//! Our own saved states on disk, some of which become unreadable.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use szk_recovery::Gone;
use szk_recovery::generations::{Slot, before_writing};

use super::{Sabotage, Saved, World};

/// The newest state and the older ones.
#[derive(Debug, Clone, Default)]
pub(super) struct Disk {
    /// Each with the time it was written.
    states: BTreeMap<Slot, (Saved, u64)>,
    torn: BTreeSet<Slot>,
}

impl Disk {
    /// Stores a state as the newest; the older ones move down.
    pub(super) fn write(&mut self, state: Saved, now: u64) {
        let age = |slot: Slot| {
            let (_, at) = self.states.get(&slot)?;
            Some(Duration::from_millis(now.saturating_sub(*at)))
        };
        for (from, to) in before_writing(age) {
            if let Some(moved) = self.states.get(&from).cloned() {
                self.states.insert(to, moved);
                match self.torn.contains(&from) {
                    true => self.torn.insert(to),
                    false => self.torn.remove(&to),
                };
            }
        }
        self.states.insert(Slot::Newest, (state, now));
        self.torn.remove(&Slot::Newest);
    }

    /// The newest readable state, and whether it is an older one. An older one says nothing about what
    /// happened since: Chromium's files win, and only what they never have comes from it.
    fn read(&self) -> (Saved, bool) {
        let readable = |slot: &&Slot| self.states.contains_key(slot) && !self.torn.contains(slot);
        let found = Slot::ALL.iter().find(readable);
        let is_older = !self.torn.is_empty() && found != Some(&Slot::Newest);
        let mut state = found.map_or_else(Saved::default, |slot| self.states[slot].0.clone());
        if is_older {
            state.sealed = true;
            // Each says when it was saved.
            state.read.get_or_insert(0);
            state.gone_cookies = Gone::default();
            state.gone_items = Gone::default();
        }
        (state, is_older)
    }
}

impl World {
    pub(super) fn write(&mut self) {
        self.disk.write(self.known.clone(), self.now);
    }

    /// Makes a saved state unreadable, sometimes the previous one too.
    pub(super) fn states_are_damaged(&mut self) {
        self.say("the saved state is damaged");
        self.disk.torn.insert(Slot::Newest);
        if self.rng.once_in(3) {
            self.say("so is the one before");
            self.disk.torn.insert(Slot::Before);
        }
    }

    /// What is found when the profile opens. After damage, what Chromium had not written may be lost,
    /// and what it never writes is as old as the remaining state; nothing else may be.
    pub(super) fn read_saved(&mut self) -> Saved {
        let (saved, is_older) = self.disk.read();
        if !is_older {
            return saved;
        }
        if self.is(Sabotage::NoGenerations) {
            return Saved::default();
        }
        for key in 0..5 {
            let written = self.files.cookies.get(&key).map(|(cookie, _)| *cookie);
            let is_lasting = written.is_some_and(|(_, session)| !session);
            let left = saved.cookies.get(&key).filter(|(_, session)| *session);
            let allowed = written.filter(|_| is_lasting).or(left.copied());
            self.cookies_wanted.allow(key, allowed);
            if self.files.used.is_none() {
                // There is nothing newer.
                let older = saved.cookies.get(&key).copied();
                self.cookies_wanted.allow(key, older);
                self.items_wanted.allow(key, saved.items.get(&key).copied());
            }
        }
        for key in 0..4 {
            self.items_wanted
                .allow(key, self.files.items.get(&key).copied());
        }
        saved
    }
}
