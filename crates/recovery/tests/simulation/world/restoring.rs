//! A browser starts and gets back what it lost.

use std::collections::BTreeMap;

use szk_recovery::{
    Chromium, Doubt, Evidence, Gone, Known, Truth, Watched, confirmed, plan, truth,
};

use super::{COOKIES_LATE, Cookie, STORAGE_LATE, Sabotage, Saved, World};

impl World {
    pub(super) fn begin(&mut self) {
        self.network += 1;
        self.storage += 1;
        self.watched_network = Watched::default();
        self.watched_storage = Watched::default();
        self.watched_network.found(self.network);
        self.watched_storage.found(self.storage);
        self.doubt = Doubt::default();
        self.last_tick = self.now;
    }

    /// A browser starts with Chromium's files and gets back what it lost.
    pub(super) fn restore(&mut self, saved: &Saved, end: u64, watched: bool) -> Result<(), String> {
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
            // The jar is read again at once; localStorage only if a page is open.
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
        // What was found there has been seen too, so its deletion will be noticed.
        if items_truth != Truth::Files {
            for (key, value) in &self.items {
                self.known.items.entry(*key).or_insert(*value);
            }
        }
        self.page_is_open = false;
        self.items_changed = false;
        // Written at once: an earlier state must not be taken for one of this browser.
        self.write();
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
        // Chromium writes restored data late, like everything else.
        self.cookies_due = Some(self.now + 1 + self.rng.below(COOKIES_LATE));
        self.items_due = Some(self.now + 1 + self.rng.below(STORAGE_LATE));
        Ok(())
    }

    pub(super) fn put_cookies_back(&mut self, saved: &Saved, truth: Truth) {
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

    pub(super) fn put_items_back(&mut self, saved: &Saved, truth: Truth) {
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

    pub(super) fn put_databases_back(&mut self, saved: &Saved, truth: Truth) {
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
