//! What the keeper reads, and what of it reaches the disk.

use std::collections::BTreeMap;
use std::time::Duration;

use szk_recovery::{Source, Verdict, confirmed};

use super::{Cookie, Sabotage, WRITE, World};

impl World {
    pub(super) fn keeper_reads(&mut self) {
        self.last_tick = self.now;
        let sources = (self.watched_network.source(), self.watched_storage.source());
        self.keeper_notes(sources);
        // A write cut off by an exit leaves the previous file: temporary file and rename.
        self.now += self.rng.below(WRITE);
        if self.known.cookies_unread.is_some() {
            // Nothing is written before this browser has been read.
            return;
        }
        self.write();
        self.confirmed = Some(confirmed(self.wall(), self.files.used));
    }

    pub(super) fn keeper_notes(&mut self, (network, storage): (Source<u32>, Source<u32>)) {
        let (alive_network, alive_storage) = (self.network, self.storage);
        let anybody = self.is(Sabotage::BelieveAnybody);
        if self
            .watched_network
            .believes(network, |pid| pid == alive_network)
            || anybody
        {
            let read: BTreeMap<u8, Cookie> = self
                .jar
                .iter()
                .map(|(key, (cookie, _))| (*key, *cookie))
                .collect();
            let now = Duration::from_millis(self.now);
            let verdict = self
                .doubt
                .judge(self.known.cookies.len(), read.len(), now, true);
            if verdict != Verdict::Wait || anybody {
                self.known
                    .gone_cookies
                    .note(self.known.cookies.keys(), read.keys());
                self.known.cookies = read;
                self.known.cookies_unread = None;
                self.known.cookies_read = Some(confirmed(self.wall(), self.files.used));
            }
        }
        let believed = self
            .watched_storage
            .believes(storage, |pid| pid == alive_storage);
        // Only what has changed is read.
        if self.items_changed && (believed || anybody) {
            self.items_changed = false;
            self.known.items_unread = None;
            self.known
                .gone_items
                .note(self.known.items.keys(), self.items.keys());
            self.known.items = self.items.clone();
        }
        let even = |(_, value): &(&u8, &u32)| **value % 2 == 0;
        self.known.databases = self
            .files
            .databases
            .iter()
            .filter(even)
            .map(|(key, value)| (*key, *value))
            .collect();
        self.known.sealed = false;
        self.known.read = Some(confirmed(self.wall(), self.files.used));
    }
}
