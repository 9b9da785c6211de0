//! A model of Chromium, of a keeper that reads it, and of the disk below both.

mod disk;
mod ends;
mod keeper;
mod restoring;

use std::collections::BTreeMap;
use std::io::Write as _;

use szk_recovery::{Doubt, Gone, Millis, Truth, Watched};

use crate::judge::Wanted;
use crate::rng::Rng;
use disk::Disk;

/// How often the keeper reads, in ms, and how long a reading takes to reach the disk.
const TICK: u64 = 2_000;
const WRITE: u64 = 300;
/// How late Chromium writes cookies and localStorage.
const COOKIES_LATE: u64 = 30_000;
const STORAGE_LATE: u64 = 60_000;

/// A cookie: its value, and whether it is a session cookie.
pub(crate) type Cookie = (u32, bool);

/// Mistakes, each of which the simulation must notice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sabotage {
    /// Readings count, whoever answered.
    BelieveAnybody,
    /// Chromium's files are always right.
    FilesWin,
    /// An exit code of 0 means a clean exit.
    BelieveExitCodes,
    /// Deleted keys are forgotten.
    ForgetDeleted,
    /// Databases are cleared before they are restored.
    ClearDatabases,
    /// The reading always wins, even if someone has used the profile since.
    ReadingWins,
    /// An unreadable state counts as none, even if there are older ones.
    NoGenerations,
}

impl Sabotage {
    pub(crate) const ALL: [Self; 7] = [
        Self::BelieveAnybody,
        Self::FilesWin,
        Self::BelieveExitCodes,
        Self::ForgetDeleted,
        Self::ClearDatabases,
        Self::ReadingWins,
        Self::NoGenerations,
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
    /// Which copy to trust until the next reading after a restore.
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
    /// A clock that never jumps, in ms, and how far the wall clock is ahead of it.
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
    disk: Disk,
    confirmed: Option<Millis>,
    last_tick: u64,
    doubt: Doubt,
    watched_network: Watched<u32>,
    watched_storage: Watched<u32>,
    // What should be there.
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
            disk: Disk::default(),
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
            // A pipe that closed early only loses the rest of the story.
            let _ = writeln!(std::io::stderr(), "{:>9} {what}", self.now);
        }
    }

    /// Makes one thing happen.
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
        // One thing after another, each in its time.
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
        // A clock jump and the keeper's end within one tick look like another program's use.
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
}
