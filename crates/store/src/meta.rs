//! `meta.json`: what is known about a profile without opening it.

use std::hash::{BuildHasher, Hasher, RandomState};
use std::io;
use std::path::PathBuf;

use jiff::Timestamp;
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::Value;
use szk_config::Identity;

use crate::{Name, Profile, StoreError, atomic};

/// Longest `meta.json`, in bytes.
const LONGEST: u64 = 1 << 20;
/// The newest format of `meta.json` known here.
const VERSION: u64 = 1;

/// What is known about a profile without opening it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Meta {
    /// The file's format, 1.
    pub version: u64,
    /// The profile's name. The folder's name wins: people may move profiles by hand.
    pub name: Name,
    /// When the profile was created.
    pub created: Timestamp,
    /// When it was last opened or closed.
    pub last_used: Timestamp,
    /// A display name for people.
    #[serde(default)]
    pub label: Option<String>,
    /// The preset it was made with.
    #[serde(default)]
    pub preset: Option<String>,
    /// The identity the browser shows, kept from one session to the next.
    #[serde(default)]
    pub identity: Identity,
    /// The Chromium version that last used the profile; an older one may not understand it.
    #[serde(default)]
    pub chromium: Option<String>,
    /// The profile it was copied from.
    #[serde(default)]
    pub clone_of: Option<Name>,
    /// Removed when its keeper exits, or by [`crate::collect_leftovers`] if the keeper was killed.
    #[serde(default)]
    pub ephemeral: bool,
    /// Seed for everything that must differ between profiles but stay the same within one.
    #[serde(default = "new_seed")]
    pub seed: u64,
    /// The numbers of its events, which go on from one session to the next.
    #[serde(default)]
    pub events: EventNumbers,
}

/// How far the events of a profile are numbered, so that whoever comes back is not given other events under numbers
/// that they know.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct EventNumbers {
    /// The number of the last event. While a session is open, and if its keeper was killed, one that it surely has
    /// not reached.
    pub last: u64,
    /// Since this number none was left out.
    pub gapless_since: u64,
    /// Whether `last` is of a session that has not closed.
    pub open: bool,
}

impl EventNumbers {
    /// More events than a session has.
    const RESERVED: u64 = 1_000_000;

    /// A session begins: where its numbers go on from.
    #[must_use]
    pub fn begun(self) -> Self {
        Self {
            open: false,
            gapless_since: match self.open {
                true => self.last,
                false => self.gapless_since,
            },
            ..self
        }
    }

    /// As it stands on disk while the session that [`Self::begun`] is open.
    #[must_use]
    pub fn reserved(self) -> Self {
        Self {
            last: self.last.saturating_add(Self::RESERVED),
            open: true,
            ..self
        }
    }

    /// As it stands on disk once the session has closed after this event.
    #[must_use]
    pub fn closed(self, last: u64) -> Self {
        Self {
            last,
            open: false,
            ..self
        }
    }
}

impl Meta {
    /// The meta of a new profile, with a seed of its own.
    pub fn new(name: Name) -> Self {
        let now = Timestamp::now();
        Self {
            version: VERSION,
            name,
            created: now,
            last_used: now,
            label: None,
            preset: None,
            identity: Identity::default(),
            chromium: None,
            clone_of: None,
            ephemeral: false,
            seed: new_seed(),
            events: EventNumbers::default(),
        }
    }
}

/// A usable meta, and what had to be moved aside to get it.
#[derive(Debug, Clone, PartialEq)]
pub struct Recovered {
    /// The meta now in force and on disk.
    pub meta: Meta,
    /// Where the unusable file was kept; `None` if nothing was wrong.
    pub kept: Option<PathBuf>,
}

impl Profile {
    /// Reads the meta; `None` if there is none yet.
    pub fn meta(&self) -> Result<Option<Meta>, StoreError> {
        self.check()?;
        let path = self.meta_path();
        let bytes = match szk_files::read_own(&path, LONGEST) {
            Ok(bytes) => bytes,
            Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(e) if szk_files::is_unusable(&e) => return Err(StoreError::unusable(&path, &e)),
            Err(e) => return Err(StoreError::at(&path)(e)),
        };
        let corrupt = |reason: String| StoreError::Corrupt {
            path: path.clone(),
            reason,
        };
        // Read the format on its own: a newer file need not fit our fields.
        let format: Format =
            serde_json::from_slice(&bytes).map_err(|e| corrupt(explain(&bytes, &e)))?;
        if format.version > VERSION {
            return Err(StoreError::Newer {
                path,
                found: format.version,
                known: VERSION,
            });
        }
        let mut meta: Meta =
            serde_json::from_slice(&bytes).map_err(|e| corrupt(explain(&bytes, &e)))?;
        meta.name = self.name().clone();
        Ok(Some(meta))
    }

    /// Writes the meta. From then on the profile exists.
    pub fn write_meta(&self, meta: &Meta) -> Result<(), StoreError> {
        self.check()?;
        let path = self.meta_path();
        let mut bytes = serde_json::to_vec_pretty(meta)
            .map_err(|e| StoreError::at(&path)(io::Error::from(e)))?;
        bytes.push(b'\n');
        atomic::write(&path, &bytes)
    }

    /// Returns a usable meta whatever the file looks like; needs the profile's lock.
    ///
    /// Keeps a damaged or newer file, or whatever else is in its place, as `meta.json.corrupt-<n>` or
    /// `meta.json.newer-<n>`, takes over its readable fields and starts the others afresh. Writes a
    /// missing file. Only an I/O error makes this fail.
    pub fn recover_meta(&self) -> Result<Recovered, StoreError> {
        let why = match self.meta() {
            Ok(Some(meta)) => return Ok(Recovered { meta, kept: None }),
            Ok(None) => None,
            Err(StoreError::Corrupt { .. }) => Some("corrupt"),
            Err(StoreError::Newer { .. }) => Some("newer"),
            Err(other) => return Err(other),
        };
        let path = self.meta_path();
        let kept = why.map(|why| atomic::keep_copy(&path, why)).transpose()?;
        let mut meta = Meta::new(self.name().clone());
        if let Some(kept) = &kept {
            // What was moved away whole (a FIFO, a giant file) holds nothing to salvage.
            salvage(
                &mut meta,
                &szk_files::read_own(kept, LONGEST).unwrap_or_default(),
            );
            tracing::warn!(profile = %self.name(), kept = %kept.display(), "unusable meta.json put aside");
        }
        self.write_meta(&meta)?;
        Ok(Recovered { meta, kept })
    }

    pub(crate) fn meta_path(&self) -> PathBuf {
        self.file("meta.json")
    }
}

#[derive(Deserialize)]
struct Format {
    version: u64,
}

fn explain(bytes: &[u8], error: &serde_json::Error) -> String {
    match bytes {
        [] => "the file is empty".to_owned(),
        _ => error.to_string(),
    }
}

/// Takes over each field that parses on its own, except `ephemeral`: nothing is thrown away unless it
/// is certain to be worthless.
fn salvage(meta: &mut Meta, bytes: &[u8]) {
    let Ok(Value::Object(mut old)) = serde_json::from_slice(bytes) else {
        return;
    };
    let mut take = |key: &str| old.remove(key);
    keep(&mut meta.created, take("created"));
    keep(&mut meta.last_used, take("last_used"));
    keep(&mut meta.label, take("label"));
    keep(&mut meta.preset, take("preset"));
    keep(&mut meta.identity, take("identity"));
    keep(&mut meta.chromium, take("chromium"));
    keep(&mut meta.clone_of, take("clone_of"));
    keep(&mut meta.seed, take("seed"));
    keep(&mut meta.events, take("events"));
}

fn keep<T: DeserializeOwned>(field: &mut T, old: Option<Value>) {
    if let Some(value) = old.and_then(|v| serde_json::from_value(v).ok()) {
        *field = value;
    }
}

/// Random but not secret, like the keys of a new hasher. 53 bits, so that a reader whose numbers are
/// all floating point sees the same value.
fn new_seed() -> u64 {
    RandomState::new().build_hasher().finish() >> 11
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::testing::{mode, names, profile};

    fn with(content: &str) -> (tempfile::TempDir, Profile) {
        let (dir, profile) = profile();
        fs::write(profile.meta_path(), content).unwrap();
        (dir, profile)
    }

    #[test]
    fn numbers_of_events_go_on_and_none_comes_twice() {
        let first = EventNumbers::default().begun();
        assert_eq!((first.last, first.gapless_since), (0, 0));
        let second = first.closed(26).begun();
        assert_eq!((second.last, second.gapless_since), (26, 0));
        // A killed keeper leaves what it had reserved.
        let third = second.reserved().begun();
        assert!(third.last > 1000 && third.gapless_since == third.last);
        let fourth = third.closed(third.last + 3).begun();
        assert_eq!(fourth.gapless_since, third.last);
    }

    fn check_corrupt(content: &str, reason: &str) {
        let (_dir, profile) = with(content);
        let error = profile.meta().unwrap_err();
        let StoreError::Corrupt {
            path,
            reason: given,
        } = &error
        else {
            panic!("{error}");
        };
        assert_eq!(path, &profile.meta_path());
        assert!(given.contains(reason), "{given}");
        let recovered = profile.recover_meta().unwrap();
        let kept = recovered.kept.unwrap();
        assert_eq!(kept, profile.file("meta.json.corrupt-1"));
        assert_eq!(
            (fs::read_to_string(&kept).unwrap(), mode(&kept)),
            (content.to_owned(), 0o600)
        );
        assert_eq!(profile.meta().unwrap(), Some(recovered.meta));
    }

    #[test]
    fn a_meta_comes_back_as_it_was_written() {
        let (_dir, profile) = profile();
        let mut meta = Meta::new(profile.name().clone());
        meta.label = Some("for ünïcode".to_owned());
        meta.chromium = Some("156.0.1.2".to_owned());
        meta.clone_of = Some(Name::parse("origin").unwrap());
        meta.ephemeral = true;
        meta.identity.locale = Some("de-AT".to_owned());
        profile.write_meta(&meta).unwrap();
        assert_eq!(profile.meta().unwrap().as_ref(), Some(&meta));
        assert_eq!(mode(&profile.meta_path()), 0o600);
        let recovered = profile.recover_meta().unwrap();
        assert_eq!((recovered.meta, recovered.kept), (meta, None));
    }

    #[test]
    fn seeds_differ_and_survive_floating_point() {
        let name = || Name::parse("p").unwrap();
        let seeds: std::collections::HashSet<u64> =
            (0..1000).map(|_| Meta::new(name()).seed).collect();
        assert_eq!(seeds.len(), 1000);
        assert!(seeds.iter().all(|&seed| seed as f64 as u64 == seed));
    }

    #[test]
    fn what_cannot_be_understood_is_corrupt_and_recovered_from() {
        check_corrupt("", "the file is empty");
        check_corrupt(r#"{"version": 1, "name": "p", "crea"#, "EOF");
        check_corrupt("\0\0\0\0", "line 1");
        check_corrupt("[]", "invalid length");
        check_corrupt("{}", "version");
        check_corrupt(r#"{"version": 1, "name": "../x"}"#, "cannot name a profile");
    }

    #[test]
    fn recovery_takes_over_what_can_be_read() {
        let (_dir, profile) = with(
            r#"{"version": 1, "created": "2024-05-01T00:00:00Z", "last_used": "yesterday",
                "label": "kept", "identity": {"locale": "pl-PL"}, "ephemeral": true, "seed": 42}"#,
        );
        let meta = profile.recover_meta().unwrap().meta;
        assert_eq!(meta.created.to_string(), "2024-05-01T00:00:00Z");
        assert_eq!((meta.label.as_deref(), meta.seed), (Some("kept"), 42));
        assert_eq!(meta.identity.locale.as_deref(), Some("pl-PL"));
        assert!(!meta.ephemeral, "in doubt a profile is kept");
    }

    #[test]
    fn a_newer_file_is_told_apart_and_never_lost() {
        let newer = r#"{"version": 7, "seed": 9, "name": {"first": "p"}}"#;
        let (_dir, profile) = with(newer);
        let error = profile.meta().unwrap_err();
        assert!(
            matches!(
                error,
                StoreError::Newer {
                    found: 7,
                    known: 1,
                    ..
                }
            ),
            "{error}"
        );
        let recovered = profile.recover_meta().unwrap();
        assert_eq!((recovered.meta.version, recovered.meta.seed), (1, 9));
        let kept = recovered.kept.unwrap();
        assert!(kept.ends_with("meta.json.newer-1"));
        assert_eq!(fs::read_to_string(kept).unwrap(), newer);
    }

    #[test]
    fn unknown_fields_and_missing_optional_ones_are_fine() {
        let (_dir, profile) = with(
            r#"{"version": 1, "name": "moved-by-hand", "created": "2024-05-01T00:00:00Z",
                "last_used": "2024-05-01T00:00:00Z", "later": [1]}"#,
        );
        let meta = profile.meta().unwrap().unwrap();
        assert_eq!(&meta.name, profile.name(), "the folder's name wins");
        assert_eq!(meta.identity, Identity::default());
    }

    #[test]
    fn a_missing_meta_is_written_by_recovery() {
        let (_dir, profile) = profile();
        assert!(!profile.exists());
        assert_eq!(profile.recover_meta().unwrap().kept, None);
        assert!(profile.exists());
        assert!(names(profile.dir()).contains(&"meta.json".to_owned()));
    }
}
