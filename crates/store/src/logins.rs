//! `logins.json`: where a profile is signed in, and whether it still is.
//!
//! Only the names of cookies are kept, never values. A login has ended when a cookie that came with it
//! is gone or expired; a site that forgets a visitor without telling the browser goes unnoticed.

use std::collections::BTreeMap;
use std::io;
use std::path::PathBuf;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::{Profile, StoreError, atomic};

/// The newest format known here.
const VERSION: u64 = 1;

/// Most sites to remember; the oldest login goes first.
const MOST: usize = 100;

/// A remembered login.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Login {
    /// The site, such as `example.org`.
    pub site: String,
    /// When it happened.
    pub since: Timestamp,
    /// The cookies it came with.
    pub cookies: Vec<LoginCookie>,
    /// The recipe that signed in, with which the login can be renewed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recipe: Option<LoginRecipe>,
}

/// A recipe that signs in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LoginRecipe {
    /// Its name.
    pub name: String,
    /// Values of its parameters; of secrets, their names.
    pub params: BTreeMap<String, String>,
}

/// A cookie without its value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LoginCookie {
    /// Its name.
    pub name: String,
    /// Its host, with a leading dot if subdomains get it too.
    pub domain: String,
}

/// The current state of a login.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Health {
    /// The site.
    pub site: String,
    /// When the login happened.
    pub since: Timestamp,
    /// Why it ended; `None` while it lasts.
    pub ended: Option<Ended>,
}

/// Why a login ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ended {
    /// This cookie expired at that time.
    Expired {
        /// Its name.
        cookie: String,
        /// When.
        at: Timestamp,
    },
    /// This cookie has disappeared.
    Gone {
        /// Its name.
        cookie: String,
    },
}

#[derive(Serialize, Deserialize)]
struct File {
    version: u64,
    logins: Vec<Login>,
}

/// The fields we need of a saved state.
#[derive(Deserialize)]
struct State {
    #[serde(default)]
    cookies: Vec<Saved>,
}

#[derive(Deserialize)]
struct Saved {
    name: String,
    domain: String,
    /// Seconds since 1970; negative for session cookies.
    #[serde(default)]
    expires: f64,
}

/// Longest `logins.json`, in bytes.
const LONGEST: u64 = 16 << 20;

impl Profile {
    /// Remembers a login and replaces an earlier one at the same site, but for its recipe. The caller holds the profile's
    /// lock. Skips a login without cookies, because there would be nothing to check later.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn remember_login(&self, mut login: Login) -> Result<(), StoreError> {
        if login.cookies.is_empty() {
            return Ok(());
        }
        let mut logins = self.logins()?;
        let before = logins.iter().find(|known| known.site == login.site);
        if login.recipe.is_none() {
            login.recipe = before.and_then(|known| known.recipe.clone());
        }
        logins.retain(|known| known.site != login.site);
        logins.push(login);
        let surplus = logins.len().saturating_sub(MOST);
        logins.drain(..surplus);
        self.write_logins(logins)
    }

    /// Copies the remembered logins to a copy. The caller holds the copy's lock.
    ///
    /// # Errors
    /// A file is unreadable or cannot be written.
    pub fn copy_logins_to(&self, copy: &Profile) -> Result<(), StoreError> {
        match self.logins()? {
            none if none.is_empty() => Ok(()),
            logins => copy.write_logins(logins),
        }
    }

    /// Moves an unreadable or newer `logins.json` aside as `logins.json.corrupt-<n>`, because it would
    /// be overwritten. Returns the new path; `None` if nothing is wrong. The caller holds the lock.
    ///
    /// # Errors
    /// The file cannot be read or moved.
    pub fn put_damaged_logins_aside(&self) -> Result<Option<PathBuf>, StoreError> {
        self.check()?;
        let path = self.file("logins.json");
        let usable = match szk_files::read_own(&path, LONGEST) {
            Ok(bytes) => {
                serde_json::from_slice::<File>(&bytes).is_ok_and(|file| file.version <= VERSION)
            }
            Err(e) if e.kind() == io::ErrorKind::NotFound => true,
            Err(e) if szk_files::is_unusable(&e) => false,
            Err(e) => return Err(StoreError::at(&path)(e)),
        };
        match usable {
            true => Ok(None),
            false => atomic::put_aside(&path, "corrupt").map(Some),
        }
    }

    pub(crate) fn write_logins(&self, logins: Vec<Login>) -> Result<(), StoreError> {
        let path = self.file("logins.json");
        let file = File {
            version: VERSION,
            logins,
        };
        let bytes = serde_json::to_vec_pretty(&file)
            .map_err(|error| StoreError::at(&path)(io::Error::from(error)))?;
        atomic::make_way(&path)?;
        atomic::write(&path, &bytes)
    }

    /// The remembered logins, oldest first. An unreadable file holds none.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn logins(&self) -> Result<Vec<Login>, StoreError> {
        self.check()?;
        let path = self.file("logins.json");
        let bytes = match szk_files::read_own(&path, LONGEST) {
            Ok(bytes) => bytes,
            Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(e) if szk_files::is_unusable(&e) => return Ok(Vec::new()),
            Err(e) => return Err(StoreError::at(&path)(e)),
        };
        let file: Result<File, _> = serde_json::from_slice(&bytes);
        Ok(file.map(|file| file.logins).unwrap_or_default())
    }

    /// The state of the remembered logins at `now`, by the last saved state. Empty if nothing was
    /// saved.
    ///
    /// # Errors
    /// A file cannot be read.
    pub fn login_health(&self, now: Timestamp) -> Result<Vec<Health>, StoreError> {
        let logins = self.logins()?;
        if logins.is_empty() {
            return Ok(Vec::new());
        }
        let state = self.read_state()?.unwrap_or_default();
        let Ok(State { cookies }) = serde_json::from_slice(&state) else {
            return Ok(Vec::new());
        };
        Ok(logins
            .into_iter()
            .map(|l| judge(l, &cookies, now))
            .collect())
    }
}

fn judge(login: Login, saved: &[Saved], now: Timestamp) -> Health {
    let ended = |cookie: &LoginCookie| {
        let same = |s: &&Saved| s.name == cookie.name && s.domain == cookie.domain;
        let Some(saved) = saved.iter().find(same) else {
            return Some(Ended::Gone {
                cookie: cookie.name.clone(),
            });
        };
        let at = Timestamp::from_second(saved.expires as i64).ok()?;
        (saved.expires > 0.0 && at <= now).then(|| Ended::Expired {
            cookie: cookie.name.clone(),
            at,
        })
    };
    Health {
        ended: login.cookies.iter().find_map(ended),
        site: login.site,
        since: login.since,
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::testing::profile;

    fn login(site: &str, cookies: &[&str]) -> Login {
        Login {
            site: site.into(),
            since: Timestamp::from_second(1000).unwrap(),
            recipe: None,
            cookies: cookies
                .iter()
                .map(|name| LoginCookie {
                    name: (*name).into(),
                    domain: site.into(),
                })
                .collect(),
        }
    }

    fn ended(profile: &Profile, now: i64) -> Vec<Option<Ended>> {
        let now = Timestamp::from_second(now).unwrap();
        let health = profile.login_health(now).unwrap();
        health.into_iter().map(|health| health.ended).collect()
    }

    #[test]
    fn a_login_lasts_as_long_as_its_cookies() {
        let (_dir, profile) = profile();
        assert_eq!(ended(&profile, 2000), []);
        profile
            .remember_login(login("x.test", &["sid", "keep"]))
            .unwrap();
        profile.remember_login(login("y.test", &["sid"])).unwrap();
        assert_eq!(ended(&profile, 2000), [], "nothing was saved yet");
        let state = br#"{"cookies": [{"name": "sid", "domain": "x.test", "expires": -1},
            {"name": "keep", "domain": "x.test", "expires": 3000.5}]}"#;
        profile.write_state(state).unwrap();
        let gone = || {
            Some(Ended::Gone {
                cookie: "sid".into(),
            })
        };
        assert_eq!(ended(&profile, 2000), [None, gone()]);
        let expired = Some(Ended::Expired {
            cookie: "keep".into(),
            at: Timestamp::from_second(3000).unwrap(),
        });
        assert_eq!(ended(&profile, 4000), [expired, gone()]);
    }

    #[test]
    fn one_site_is_remembered_once_and_many_sites_not_for_ever() {
        let (_dir, profile) = profile();
        profile.remember_login(login("x.test", &["old"])).unwrap();
        profile.remember_login(login("x.test", &["new"])).unwrap();
        profile.remember_login(login("z.test", &[])).unwrap();
        assert_eq!(profile.logins().unwrap(), [login("x.test", &["new"])]);
        for number in 0..MOST {
            let site = format!("{number}.test");
            profile.remember_login(login(&site, &["a"])).unwrap();
        }
        let logins = profile.logins().unwrap();
        assert_eq!((logins.len(), logins[0].site.as_str()), (MOST, "0.test"));
        assert_eq!(profile.put_damaged_logins_aside().unwrap(), None);
        fs::write(profile.file("logins.json"), "{").unwrap();
        assert_eq!(profile.logins().unwrap(), []);
        let aside = profile.put_damaged_logins_aside().unwrap().unwrap();
        assert_eq!(fs::read(&aside).unwrap(), b"{");
        assert_eq!(profile.put_damaged_logins_aside().unwrap(), None);
    }
}
