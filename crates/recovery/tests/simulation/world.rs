//! A model of Chromium, of a keeper that reads it, and of the disk beneath both.

use std::collections::BTreeMap;
use std::time::Duration;

use szk_recovery::{
    Chromium, Doubt, Evidence, GAP, Gone, Known, Millis, Source, Truth, Verdict, Watched,
    confirmed, plan, truth,
};

use crate::judge::Wanted;
use crate::rng::Rng;

/// How often the keeper reads, in ms; and how long until a reading is on disk.
const TICK: u64 = 2_000;
const WRITE: u64 = 300;
/// How late Chromium writes cookies and localStorage.
const COOKIES_LATE: u64 = 30_000;
const STORAGE_LATE: u64 = 60_000;

/// A cookie: its value, and whether it ends with the browser.
pub(crate) type Cookie = (u32, bool);

/// Ways of doing it wrong, each of which must be noticed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sabotage {
    /// Readings count whoever answered.
    BelieveAnybody,
    /// Chromium's files are always right.
    FilesWin,
    /// An exit code of 0 is an orderly end.
    BelieveExitCodes,
    /// Deleted keys are not remembered.
    ForgetDeleted,
    /// Databases are cleared before they are restored.
    ClearDatabases,
    /// The reading is always right, whoever has used the profile since.
    ReadingWins,
}

impl Sabotage {
    pub(crate) const ALL: [Self; 6] = [
        Self::BelieveAnybody,
        Self::FilesWin,
        Self::BelieveExitCodes,
        Self::ForgetDeleted,
        Self::ClearDatabases,
        Self::ReadingWins,
    ];
}

/// What the keeper knows, and what of it is on disk.
#[derive(Debug, Clone, Default)]
struct Saved {
    cookies: BTreeMap<u8, Cookie>,
    items: BTreeMap<u8, u32>,
    databases: BTreeMap<u8, u32>,
    gone_cookies: Gone<u8>,
    gone_items: Gone<u8>,
    /// By the wall clock.
    read: Option<Millis>,
    cookies_read: Option<Millis>,
    sealed: bool,
    /// What is right until the next reading, since the last restore.
    cookies_unread: Option<Truth>,
    items_unread: Option<Truth>,
}

/// Chromium's own files.
#[derive(Debug, Clone, Default)]
struct Files {
    cookies: BTreeMap<u8, (Cookie, Millis)>,
    items: BTreeMap<u8, u32>,
    /// Values of databases; odd ones are keys that no saved state can hold.
    databases: BTreeMap<u8, u32>,
    used: Option<Millis>,
}

pub(crate) struct World {
    rng: Rng,
    sabotage: Option<Sabotage>,
    tell: bool,
    /// A clock that never jumps, in ms, and what the wall clock is ahead of it.
    now: u64,
    ahead: i64,
    jumped: bool,
    next_value: u32,
    // Chromium.
    jar: BTreeMap<u8, (Cookie, Millis)>,
    items: BTreeMap<u8, u32>,
    items_changed: bool,
    page_is_open: bool,
    files: Files,
    cookies_due: Option<u64>,
    items_due: Option<u64>,
    network: u32,
    storage: u32,
    // The keeper.
    known: Saved,
    disk: Saved,
    confirmed: Option<Millis>,
    last_tick: u64,
    doubt: Doubt,
    watched_network: Watched<u32>,
    watched_storage: Watched<u32>,
    // What ought to be.
    cookies_wanted: Wanted<Cookie>,
    items_wanted: Wanted<u32>,
}

impl World {
    pub(crate) fn new(seed: u64, sabotage: Option<Sabotage>, tell: bool) -> Self {
        let mut world = Self {
            rng: Rng::new(seed),
            sabotage,
            tell,
            now: 1_000_000,
            ahead: 0,
            jumped: false,
            next_value: 0,
            jar: BTreeMap::new(),
            items: BTreeMap::new(),
            items_changed: false,
            page_is_open: false,
            files: Files::default(),
            cookies_due: None,
            items_due: None,
            network: 1,
            storage: 1,
            known: Saved::default(),
            disk: Saved::default(),
            confirmed: None,
            last_tick: 0,
            doubt: Doubt::default(),
            watched_network: Watched::default(),
            watched_storage: Watched::default(),
            cookies_wanted: Wanted::default(),
            items_wanted: Wanted::default(),
        };
        world.begin();
        world
    }

    fn is(&self, sabotage: Sabotage) -> bool {
        self.sabotage == Some(sabotage)
    }

    fn wall(&self) -> Millis {
        i64::try_from(self.now).unwrap_or(0) + self.ahead
    }

    fn say(&self, what: &str) {
        if self.tell {
            println!("{:>9} {what}", self.now);
        }
    }

    /// One thing happens.
    pub(crate) fn step(&mut self) -> Result<(), String> {
        match self.rng.below(100) {
            0..30 => self.pages_set_a_cookie(),
            30..38 => self.pages_delete_a_cookie(),
            38..56 => self.pages_set_an_item(),
            56..62 => self.pages_delete_an_item(),
            62..66 => self.pages_write_a_database(),
            66..67 => self.pages_clear_everything(),
            67..80 => self.time_passes(4_000),
            80..84 => self.time_passes(90_000),
            84..85 => self.clock_jumps(),
            85..89 => self.network_service_dies()?,
            89..91 => self.storage_service_dies()?,
            _ => self.something_ends()?,
        }
        Ok(())
    }

    // ---- Pages and servers.

    fn value(&mut self) -> u32 {
        self.next_value += 1;
        self.next_value
    }

    fn pages_set_a_cookie(&mut self) {
        let (key, value) = (self.rng.below(5) as u8, self.value());
        self.set_cookie(key, Some((value, key % 2 == 0)));
    }

    fn pages_delete_a_cookie(&mut self) {
        let key = self.rng.below(5) as u8;
        self.set_cookie(key, None);
    }

    fn set_cookie(&mut self, key: u8, value: Option<Cookie>) {
        self.say(&format!("cookie {key} becomes {value:?}"));
        match value {
            Some(cookie) => {
                let wall = self.wall();
                self.jar.insert(key, (cookie, wall));
            }
            None => {
                self.jar.remove(&key);
            }
        }
        self.cookies_wanted.change(self.now, key, value);
        let late = 1 + self.rng.below(COOKIES_LATE);
        self.cookies_due.get_or_insert(self.now + late);
    }

    fn pages_set_an_item(&mut self) {
        let (key, value) = (self.rng.below(4) as u8, self.value());
        self.set_item(key, Some(value));
    }

    fn pages_delete_an_item(&mut self) {
        let key = self.rng.below(4) as u8;
        self.set_item(key, None);
    }

    fn set_item(&mut self, key: u8, value: Option<u32>) {
        if !self.page_is_open {
            // A page is read when it opens.
            self.page_is_open = true;
            self.items_changed = true;
            self.keeper_reads();
        }
        self.say(&format!("item {key} becomes {value:?}"));
        match value {
            Some(value) => self.items.insert(key, value),
            None => self.items.remove(&key),
        };
        self.items_wanted.change(self.now, key, value);
        self.items_changed = true;
        let late = 1 + self.rng.below(STORAGE_LATE);
        self.items_due.get_or_insert(self.now + late);
    }

    fn pages_write_a_database(&mut self) {
        let (key, value) = (self.rng.below(2) as u8, self.value());
        self.say(&format!("database {key} becomes {value}"));
        self.files.databases.insert(key, value);
    }

    fn pages_clear_everything(&mut self) {
        self.say("everything is cleared");
        (0..5).for_each(|key| self.set_cookie(key, None));
        (0..4).for_each(|key| self.set_item(key, None));
    }

    // ---- Time.

    fn time_passes(&mut self, most: u64) {
        let until = self.now + 1 + self.rng.below(most);
        // One thing after the other, each at its time.
        loop {
            let due = [
                self.cookies_due.unwrap_or(u64::MAX),
                self.items_due.unwrap_or(u64::MAX),
                self.last_tick + TICK,
            ];
            let next = due.into_iter().min().unwrap_or(until);
            if next > until {
                break;
            }
            self.now = self.now.max(next);
            match due {
                [cookies, ..] if cookies == next => self.chromium_writes_cookies(),
                [_, items, _] if items == next => self.chromium_writes_items(),
                _ => self.keeper_reads(),
            }
        }
        self.now = until;
    }

    fn clock_jumps(&mut self) {
        let by = self.rng.below(14_400_000) as i64 - 7_200_000;
        self.say(&format!("the clock jumps by {by} ms"));
        self.ahead += by;
        self.jumped = true;
        // A jump and the end of the keeper within one tick are not told from another's use.
        self.keeper_reads();
    }

    fn chromium_writes_cookies(&mut self) {
        self.say("Chromium writes its cookies");
        self.files.cookies = self.jar.clone();
        self.files.used = Some(self.wall());
        self.cookies_due = None;
    }

    fn chromium_writes_items(&mut self) {
        self.say("Chromium writes its localStorage");
        self.files.items = self.items.clone();
        self.files.used = Some(self.wall());
        self.items_due = None;
    }

    // ---- The keeper.

    fn keeper_reads(&mut self) {
        self.last_tick = self.now;
        let sources = (self.watched_network.source(), self.watched_storage.source());
        self.keeper_notes(sources);
        // A write that an end cuts off leaves the file from before: temporary file and rename.
        self.now += self.rng.below(WRITE);
        if self.known.cookies_unread.is_some() {
            // Nothing is written before this browser was read.
            return;
        }
        self.disk = self.known.clone();
        self.confirmed = Some(confirmed(self.wall(), self.files.used));
    }

    fn keeper_notes(&mut self, (network, storage): (Source<u32>, Source<u32>)) {
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

    // ---- What dies.

    fn network_service_dies(&mut self) -> Result<(), String> {
        self.say("the network service dies");
        let (died, asked) = (self.now, self.watched_network.source());
        self.network += 1;
        // The next one has what is on disk, and no session cookies.
        self.jar = self.files.cookies.clone();
        self.jar.retain(|_, ((_, session), _)| !*session);
        self.cookies_due = None;
        // A reading that was asked of the dead one may be answered by the next one.
        if self.rng.once_in(2) {
            self.keeper_notes((asked, self.watched_storage.source()));
        }
        self.now += self.rng.below(300);
        self.watched_network.lost();
        if self.rng.once_in(3) {
            self.keeper_reads();
        }
        if self.rng.once_in(6) {
            // The browser dies before anything is back.
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

    fn storage_service_dies(&mut self) -> Result<(), String> {
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

    fn something_ends(&mut self) -> Result<(), String> {
        let now = self.now;
        match self.rng.below(10) {
            0..3 => self.browser_dies("the browser is killed", now),
            3..5 => self.browser_gets_sigterm(),
            5..7 => self.keeper_is_killed(),
            7 => self.power_fails(),
            _ => self.session_closes(),
        }
    }

    /// Its keeper lives on and starts it again.
    fn browser_dies(&mut self, how: &str, end: u64) -> Result<(), String> {
        self.say(how);
        self.now += self.rng.below(2_000);
        let known = self.known.clone();
        let watched = self.now - self.last_tick < GAP.unsigned_abs();
        self.restore(&known, end, watched)
    }

    /// It says that all is well, and has written nothing.
    fn browser_gets_sigterm(&mut self) -> Result<(), String> {
        self.known.sealed = self.is(Sabotage::BelieveExitCodes);
        let end = self.now;
        self.browser_dies("the browser gets SIGTERM", end)
    }

    /// Chromium sees its pipe closed and ends in order, which takes a while.
    fn keeper_is_killed(&mut self) -> Result<(), String> {
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

    /// What was not synced is gone, on our side too: the last write may not have been finished.
    fn power_fails(&mut self) -> Result<(), String> {
        self.say("the power fails");
        let end = self.now;
        // The time of a file is not synced with it.
        if self.rng.once_in(2) {
            self.confirmed = None;
        }
        self.somebody_opens(end)
    }

    fn session_closes(&mut self) -> Result<(), String> {
        self.say("the session is closed");
        let end = self.now;
        self.keeper_reads();
        // Everything that is not believed at once would be lost.
        self.now += 2 * TICK;
        self.keeper_reads();
        self.chromium_writes_cookies();
        self.chromium_writes_items();
        self.known.sealed = true;
        self.known.gone_cookies = Gone::default();
        self.known.gone_items = Gone::default();
        (self.known.cookies_unread, self.known.items_unread) = (None, None);
        self.disk = self.known.clone();
        self.confirmed = None;
        self.somebody_opens(end)
    }

    /// Szk opens the profile, or a person uses it with a browser of their own before.
    fn somebody_opens(&mut self, end: u64) -> Result<(), String> {
        self.known = Saved::default();
        let saved = self.disk.clone();
        let mut end = end;
        if self.rng.once_in(4) && !self.jumped {
            self.say("a person uses the profile without szk");
            self.jar = self.files.cookies.clone();
            self.jar.retain(|_, ((_, session), _)| !*session);
            self.items = self.files.items.clone();
            self.now += 600_000 + self.rng.below(600_000);
            // What the files had lost is lost for that person as well; from there on it counts.
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

    /// What that person does not touch may also be as szk had read it, where that is later than the files.
    fn accept_what_was_saved(&mut self, saved: &Saved) {
        for key in 0..5 {
            self.cookies_wanted
                .allow(key, saved.cookies.get(&key).copied());
        }
        for key in 0..4 {
            self.items_wanted.allow(key, saved.items.get(&key).copied());
        }
    }

    fn accept_what_is_there(&mut self) {
        for key in 0..5 {
            let there = self.jar.get(&key).map(|(cookie, _)| *cookie);
            self.cookies_wanted.change(self.now, key, there);
        }
        for key in 0..4 {
            self.items_wanted
                .change(self.now, key, self.items.get(&key).copied());
        }
    }

    // ---- Restoring.

    fn begin(&mut self) {
        self.network += 1;
        self.storage += 1;
        self.watched_network = Watched::default();
        self.watched_storage = Watched::default();
        self.watched_network.found(self.network);
        self.watched_storage.found(self.storage);
        self.doubt = Doubt::default();
        self.last_tick = self.now;
    }

    /// A browser starts with Chromium's files, and gets what it has lost.
    fn restore(&mut self, saved: &Saved, end: u64, watched: bool) -> Result<(), String> {
        let until = saved
            .read
            .map(|read| read.max(self.confirmed.unwrap_or(read)));
        let truth = match truth(Evidence {
            files: self.files.used,
            confirmed: until,
            sealed: saved.sealed,
            watched,
        }) {
            _ if self.is(Sabotage::FilesWin) => Truth::Files,
            _ if self.is(Sabotage::ReadingWins) => Truth::Reading,
            truth => truth,
        };
        self.say(&format!("it is opened again: {truth:?}"));
        self.jar = self.files.cookies.clone();
        self.jar.retain(|_, ((_, session), _)| !*session);
        self.items = self.files.items.clone();
        let databases = self.files.databases.clone();
        (self.cookies_due, self.items_due) = (None, None);
        self.begin();
        let cookies_truth = truth.unless(saved.cookies_unread);
        let items_truth = truth.unless(saved.items_unread);
        self.put_cookies_back(saved, cookies_truth);
        self.put_items_back(saved, items_truth);
        self.put_databases_back(saved, items_truth);
        self.known = Saved {
            sealed: false,
            // The jar is read again at once; localStorage only where a page is open.
            cookies: self
                .jar
                .iter()
                .map(|(key, (cookie, _))| (*key, *cookie))
                .collect(),
            cookies_read: Some(confirmed(self.wall(), self.files.used)),
            cookies_unread: None,
            items_unread: Some(items_truth.until_read()),
            ..saved.clone()
        };
        // What was found there has been seen, too: it is noticed when it is deleted.
        if items_truth != Truth::Files {
            for (key, value) in &self.items {
                self.known.items.entry(*key).or_insert(*value);
            }
        }
        self.page_is_open = false;
        self.items_changed = false;
        // Written at once: a state from before must not be taken for one of this browser.
        self.disk = self.known.clone();
        self.confirmed = Some(confirmed(self.wall(), self.files.used));
        let there = self
            .jar
            .iter()
            .map(|(key, (cookie, _))| (*key, *cookie))
            .collect();
        self.cookies_wanted.judge("cookie", &there, end, self.now)?;
        self.items_wanted
            .judge("item", &self.items.clone(), end, self.now)?;
        if self.files.databases != databases {
            return Err(format!(
                "databases were {databases:?} and are {:?}",
                self.files.databases
            ));
        }
        // Chromium writes what was restored late, like everything else.
        self.cookies_due = Some(self.now + 1 + self.rng.below(COOKIES_LATE));
        self.items_due = Some(self.now + 1 + self.rng.below(STORAGE_LATE));
        Ok(())
    }

    fn put_cookies_back(&mut self, saved: &Saved, truth: Truth) {
        let there: BTreeMap<u8, Cookie> = self
            .jar
            .iter()
            .map(|(key, (cookie, _))| (*key, *cookie))
            .collect();
        let nothing = Gone::default();
        let forget = self.is(Sabotage::ForgetDeleted);
        let files = self.files.cookies.clone();
        let plan = plan(
            truth,
            Known {
                items: &saved.cookies,
                gone: if forget {
                    &nothing
                } else {
                    &saved.gone_cookies
                },
                read: saved.cookies_read,
            },
            &Chromium {
                items: &there,
                changed: &|key| files.get(key).map(|(_, changed)| *changed),
                fleeting: &|(_, session): &Cookie| *session,
            },
        );
        let wall = self.wall();
        for (key, cookie) in plan.set {
            self.jar.insert(key, (cookie, wall));
        }
        self.jar.retain(|key, _| !plan.remove.contains(key));
    }

    fn put_items_back(&mut self, saved: &Saved, truth: Truth) {
        let nothing = Gone::default();
        let forget = self.is(Sabotage::ForgetDeleted);
        let plan = plan(
            truth,
            Known {
                items: &saved.items,
                gone: if forget { &nothing } else { &saved.gone_items },
                read: saved.read,
            },
            &Chromium {
                items: &self.items,
                changed: &|_| None,
                fleeting: &|_| false,
            },
        );
        self.items.extend(plan.set);
        self.items.retain(|key, _| !plan.remove.contains(key));
    }

    fn put_databases_back(&mut self, saved: &Saved, truth: Truth) {
        if truth == Truth::Files {
            return;
        }
        if self.is(Sabotage::ClearDatabases) && truth == Truth::Reading {
            self.files.databases.clear();
        }
        for (key, value) in &saved.databases {
            self.files.databases.entry(*key).or_insert(*value);
        }
    }
}
