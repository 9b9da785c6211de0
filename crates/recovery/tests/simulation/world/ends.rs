//! What dies, and who opens the profile afterwards.

use szk_recovery::{GAP, Gone, Truth};

use super::{Sabotage, Saved, TICK, World};

impl World {
    pub(super) fn network_service_dies(&mut self) -> Result<(), String> {
        self.say("the network service dies");
        let (died, asked) = (self.now, self.watched_network.source());
        self.network += 1;
        // The next one has what is on disk, without session cookies.
        self.jar = self.files.cookies.clone();
        self.jar.retain(|_, ((_, session), _)| !*session);
        self.cookies_due = None;
        // The next one may answer a reading that was meant for the dead one.
        if self.rng.once_in(2) {
            self.keeper_notes((asked, self.watched_storage.source()));
        }
        self.now += self.rng.below(300);
        self.watched_network.lost();
        if self.rng.once_in(3) {
            self.keeper_reads();
        }
        if self.rng.once_in(6) {
            // The browser dies before anything is restored.
            return self.browser_dies("the browser follows", died);
        }
        let known = self.known.clone();
        self.put_cookies_back(&known, Truth::Reading.unless(known.cookies_unread));
        self.watched_network.replaced(Some(self.network));
        let there = self
            .jar
            .iter()
            .map(|(key, (cookie, _))| (*key, *cookie))
            .collect();
        self.cookies_wanted.judge("cookie", &there, died, self.now)
    }

    pub(super) fn storage_service_dies(&mut self) -> Result<(), String> {
        self.say("the storage service dies");
        let died = self.now;
        self.storage += 1;
        self.items = self.files.items.clone();
        self.items_due = None;
        self.now += self.rng.below(300);
        self.watched_storage.lost();
        if self.rng.once_in(3) {
            self.keeper_reads();
        }
        let known = self.known.clone();
        self.put_items_back(&known, Truth::Reading.unless(known.items_unread));
        self.watched_storage.replaced(Some(self.storage));
        self.items_wanted
            .judge("item", &self.items.clone(), died, self.now)
    }

    pub(super) fn something_ends(&mut self) -> Result<(), String> {
        let now = self.now;
        match self.rng.below(10) {
            0..3 => self.browser_dies("the browser is killed", now),
            3..5 => self.browser_gets_sigterm(),
            5..7 => self.keeper_is_killed(),
            7 => self.power_fails(),
            _ => self.session_closes(),
        }
    }

    /// Its keeper survives and restarts it.
    pub(super) fn browser_dies(&mut self, how: &str, end: u64) -> Result<(), String> {
        self.say(how);
        self.now += self.rng.below(2_000);
        let known = self.known.clone();
        let watched = self.now - self.last_tick < GAP.unsigned_abs();
        self.restore(&known, end, watched)
    }

    /// It claims that all is well, and has written nothing.
    pub(super) fn browser_gets_sigterm(&mut self) -> Result<(), String> {
        self.known.sealed = self.is(Sabotage::BelieveExitCodes);
        let end = self.now;
        self.browser_dies("the browser gets SIGTERM", end)
    }

    /// Chromium sees its pipe close and exits cleanly, which takes a while.
    pub(super) fn keeper_is_killed(&mut self) -> Result<(), String> {
        self.say("the keeper is killed");
        let end = self.now;
        if self.rng.once_in(2) {
            let key = self.rng.below(4) as u8;
            let value = self.value();
            self.set_item(key, Some(value));
        }
        self.now += self.rng.below(1_000);
        if self.rng.once_in(3) {
            self.say("and the browser with it");
        } else {
            self.chromium_writes_cookies();
            self.chromium_writes_items();
        }
        self.somebody_opens(end)
    }

    /// Everything unsynced is lost, on our side too: the last write may be incomplete.
    pub(super) fn power_fails(&mut self) -> Result<(), String> {
        self.say("the power fails");
        let end = self.now;
        // A file's time is not synced with it.
        if self.rng.once_in(2) {
            self.confirmed = None;
        }
        self.somebody_opens(end)
    }

    pub(super) fn session_closes(&mut self) -> Result<(), String> {
        self.say("the session is closed");
        let end = self.now;
        self.keeper_reads();
        // Otherwise, everything not trusted at once would be lost.
        self.now += 2 * TICK;
        self.keeper_reads();
        self.chromium_writes_cookies();
        self.chromium_writes_items();
        self.known.sealed = true;
        self.known.gone_cookies = Gone::default();
        self.known.gone_items = Gone::default();
        (self.known.cookies_unread, self.known.items_unread) = (None, None);
        self.write();
        self.confirmed = None;
        self.somebody_opens(end)
    }

    /// szk opens the profile, or a person first uses it with another browser.
    pub(super) fn somebody_opens(&mut self, end: u64) -> Result<(), String> {
        self.known = Saved::default();
        if self.rng.once_in(20) {
            self.states_are_damaged();
        }
        let saved = self.read_saved();
        let mut end = end;
        if self.rng.once_in(4) && !self.jumped {
            self.say("a person uses the profile without szk");
            self.jar = self.files.cookies.clone();
            self.jar.retain(|_, ((_, session), _)| !*session);
            self.items = self.files.items.clone();
            self.now += 600_000 + self.rng.below(600_000);
            // What the files had lost is lost for that person too; from then on it counts.
            self.accept_what_is_there();
            self.accept_what_was_saved(&saved);
            self.page_is_open = true;
            self.pages_set_an_item();
            let value = self.value();
            self.set_cookie(1, Some((value, false)));
            self.now += 10_000;
            end = self.now;
            self.chromium_writes_cookies();
            self.chromium_writes_items();
        }
        self.restore(&saved, end, false)
    }

    /// What that person leaves alone may also be as szk had read it, if that is later than the files.
    pub(super) fn accept_what_was_saved(&mut self, saved: &Saved) {
        for key in 0..5 {
            self.cookies_wanted
                .allow(key, saved.cookies.get(&key).copied());
        }
        for key in 0..4 {
            self.items_wanted.allow(key, saved.items.get(&key).copied());
        }
    }

    pub(super) fn accept_what_is_there(&mut self) {
        for key in 0..5 {
            let there = self.jar.get(&key).map(|(cookie, _)| *cookie);
            self.cookies_wanted.change(self.now, key, there);
        }
        for key in 0..4 {
            self.items_wanted
                .change(self.now, key, self.items.get(&key).copied());
        }
    }
}
