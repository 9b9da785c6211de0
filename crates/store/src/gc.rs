//! What can be removed: leftovers of dead processes, files moved aside, and old files made for
//! clients.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::Serialize;

use crate::{LockError, Name, Profile, Store, StoreError, profile, trash};

/// The log of acts in the folder of artifacts, which recipes are made from. It keeps itself short.
pub const JOURNAL: &str = "journal.jsonl";

/// Folders of artifacts that have an entry for each use. They are not as old as their first use.
const GROUPS: [&str; 3] = ["runs", "crawls", "uploads"];

/// Something that can be removed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Litter {
    /// What it is.
    pub kind: Kind,
    /// The profile it belongs to; none for trash.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub profile: Option<Name>,
    /// File or folder.
    pub path: PathBuf,
    /// Its size in bytes.
    pub bytes: u64,
}

/// Kinds of litter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// An ephemeral copy whose keeper was killed.
    Clone,
    /// A folder in which a start failed before there was a profile.
    Empty,
    /// What a deletion failed to remove.
    Trash,
    /// A damaged or newer file that was moved aside.
    Corrupt,
    /// A screenshot, trace or export made for a client.
    Artifact,
    /// Chromium's metrics about itself.
    Metrics,
}

/// What counts as old.
#[derive(Debug, Clone, Copy)]
pub struct Rules {
    /// Artifacts unchanged for this long are removed.
    pub artifacts: Duration,
    /// Empty folders younger than this may be about to become profiles.
    pub unfinished: Duration,
}

impl Default for Rules {
    fn default() -> Self {
        Self {
            artifacts: Duration::from_secs(30 * 24 * 3600),
            unfinished: Duration::from_secs(3600),
        }
    }
}

/// What was found, and what happened to it.
#[derive(Debug, Default)]
pub struct Swept {
    /// What was removed, or would be.
    pub litter: Vec<Litter>,
    /// Open profiles, which were skipped.
    pub open: Vec<Name>,
    /// What could not be removed.
    pub left: Vec<StoreError>,
}

/// Scans the store and removes what it can unless `dry_run`. Skips profiles whose lock is held; no one
/// can open a profile while it is being scanned.
///
/// # Errors
/// The store is unreadable.
pub fn sweep(store: &Store, rules: &Rules, dry_run: bool) -> Result<Swept, StoreError> {
    let mut swept = Swept::default();
    let listed = |path: PathBuf| Litter {
        kind: Kind::Trash,
        profile: None,
        bytes: profile::size_of(&path),
        path,
    };
    // First: removing a profile empties the trash.
    swept
        .litter
        .extend(trash::contents(store).into_iter().map(listed));
    for name in names(store)? {
        let profile = store.profile(&name);
        let lock = match profile.lock() {
            Ok(lock) => lock,
            Err(LockError::Held { name }) => {
                swept.open.push(name);
                continue;
            }
            Err(LockError::Io(error)) => {
                swept.left.push(error);
                continue;
            }
        };
        if let Some(kind) = whole(&profile, rules) {
            swept.litter.push(Litter {
                kind,
                profile: Some(name),
                path: profile.dir().to_owned(),
                bytes: profile::size_of(profile.dir()),
            });
            if !dry_run {
                match profile.trash(lock) {
                    Ok(trashed) => swept.left.extend(trashed.left),
                    Err(error) => swept.left.push(error),
                }
            }
            continue;
        }
        for litter in inside(&profile, rules) {
            if !dry_run && let Err(error) = trash::remove(&litter.path) {
                swept.left.push(StoreError::at(&litter.path)(error));
                continue;
            }
            swept.litter.push(litter);
        }
    }
    if !dry_run {
        swept.left.extend(trash::empty(store));
    }
    swept
        .litter
        .sort_by(|a, b| (a.kind, &a.path).cmp(&(b.kind, &b.path)));
    Ok(swept)
}

/// Every folder that has, or could have, a profile's name.
fn names(store: &Store) -> Result<Vec<Name>, StoreError> {
    let root = store.root();
    let entries = match fs::read_dir(root) {
        Ok(entries) => entries,
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(e) => return Err(StoreError::at(root)(e)),
    };
    let mut names = Vec::new();
    for entry in entries {
        let entry = entry.map_err(StoreError::at(root))?;
        let name = entry.file_name();
        let Some(Ok(name)) = name.to_str().map(Name::parse) else {
            continue;
        };
        // Locking creates a file, so leave folders that are not ours alone.
        let ours = store.profile(&name).exists() || is_debris(&entry.path());
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) && ours {
            names.push(name);
        }
    }
    names.sort();
    Ok(names)
}

/// Whether a folder holds only what a start creates first.
fn is_debris(dir: &Path) -> bool {
    let mut lock = false;
    let only = trash::paths(dir).into_iter().all(|path| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        match &*name {
            "lock" | "start.lock" => {
                lock = true;
                true
            }
            "profile" | "downloads" | "artifacts" => trash::paths(&path).is_empty(),
            name => name.starts_with("keeper."),
        }
    });
    only && lock
}

/// Whether the whole folder can be removed.
fn whole(profile: &Profile, rules: &Rules) -> Option<Kind> {
    match profile.meta() {
        Ok(Some(meta)) if meta.ephemeral => Some(Kind::Clone),
        _ if !profile.exists() && older(profile.dir(), rules.unfinished) => Some(Kind::Empty),
        _ => None,
    }
}

fn inside(profile: &Profile, rules: &Rules) -> Vec<Litter> {
    let litter = |kind: Kind, path: PathBuf| Litter {
        kind,
        profile: Some(profile.name().clone()),
        bytes: profile::size_of(&path),
        path,
    };
    let mut found = Vec::new();
    for path in trash::paths(profile.dir()) {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if is_put_aside(&name) {
            found.push(litter(Kind::Corrupt, path));
        }
    }
    let metrics = profile.metrics().into_iter();
    found.extend(metrics.map(|(path, _)| litter(Kind::Metrics, path)));
    let artifacts = profile.artifacts_dir();
    if crate::dirs::check_real(&artifacts).is_ok() {
        let old = trash::paths(&artifacts)
            .into_iter()
            .filter(|path| !path.ends_with(JOURNAL))
            .flat_map(|path| uses(&artifacts, path))
            .filter(|path| old(path, rules.artifacts));
        found.extend(old.map(|path| litter(Kind::Artifact, path)));
    }
    found
}

/// What is judged by itself of an entry of the artifacts: the entry, or each that it groups.
fn uses(artifacts: &Path, path: PathBuf) -> Vec<PathBuf> {
    let groups = GROUPS.iter().any(|group| path == artifacts.join(group));
    match groups && crate::dirs::check_real(&path).is_ok() {
        true => match trash::paths(&path) {
            none if none.is_empty() => vec![path],
            each => each,
        },
        false => vec![path],
    }
}

/// Whether nothing at or below a path is younger: work that goes on, as a crawl does, adds to files, which
/// does not change the date of their folder.
fn old(path: &Path, age: Duration) -> bool {
    let within = match fs::symlink_metadata(path) {
        Ok(found) if found.is_dir() => trash::paths(path),
        _ => Vec::new(),
    };
    match within.is_empty() {
        true => older(path, age),
        false => within.iter().all(|one| old(one, age)),
    }
}

/// `state.json.corrupt-1`, `meta.json.newer-2`: names that [`crate::atomic`] gives to copies.
fn is_put_aside(name: &str) -> bool {
    [
        "meta.json.",
        "state.json.",
        "state.prev.json.",
        "logins.json.",
        "filled.sealed.",
        "keeper.json.",
        "token.",
    ]
    .iter()
    .filter_map(|file| name.strip_prefix(file))
    .filter_map(|rest| rest.rsplit_once('-'))
    .any(|(why, number)| !why.is_empty() && number.parse::<u8>().is_ok())
}

/// A file without a date is not old.
fn older(path: &Path, age: Duration) -> bool {
    let modified = fs::symlink_metadata(path).and_then(|m| m.modified());
    modified.is_ok_and(|time| time.elapsed().is_ok_and(|passed| passed >= age))
}

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::time::SystemTime;

    use super::*;
    use crate::testing::{made, named, store};

    fn put(path: PathBuf, days: u64) {
        fs::write(&path, "12345").unwrap();
        age(&path, days);
    }

    fn age(path: &Path, days: u64) {
        let then = SystemTime::now() - Duration::from_secs(days * 24 * 3600);
        File::open(path).unwrap().set_modified(then).unwrap();
    }

    fn said(swept: &Swept) -> Vec<String> {
        let line = |litter: &Litter| {
            let name = litter.path.file_name().unwrap().to_string_lossy();
            format!("{:?} {name}", litter.kind)
        };
        swept.litter.iter().map(line).collect()
    }

    #[test]
    fn what_is_found_is_what_goes_and_nothing_else() {
        let (_dir, store) = store();
        made(&store, "work.clone-000001", true);
        let work = made(&store, "work", false);
        put(work.artifacts_dir().join("old.png"), 31);
        put(work.artifacts_dir().join("new.png"), 29);
        put(work.artifacts_dir().join(JOURNAL), 31);
        put(work.downloads_dir().join("old.zip"), 400);
        put(work.dir().join("state.json.corrupt-1"), 0);
        put(work.dir().join("meta.json.newer-2"), 0);
        put(work.dir().join("state.json"), 400);
        put(work.dir().join("state.prev.json"), 400);
        put(work.dir().join(".token.x1.tmp"), 0);
        fs::create_dir_all(store.root().join(".trash/gone-1")).unwrap();
        fs::create_dir(store.root().join("node_modules")).unwrap();
        let expected = [
            "Clone work.clone-000001",
            "Trash gone-1",
            "Corrupt meta.json.newer-2",
            "Corrupt state.json.corrupt-1",
            "Artifact old.png",
        ];
        let rules = Rules::default();
        let dry = sweep(&store, &rules, true).unwrap();
        assert_eq!(said(&dry), expected);
        assert_eq!(dry.litter[4].bytes, 5);
        assert_eq!(said(&sweep(&store, &rules, true).unwrap()), expected);
        let wet = sweep(&store, &rules, false).unwrap();
        assert_eq!((said(&wet), wet.left.len()), (said(&dry), 0));
        assert!(sweep(&store, &rules, false).unwrap().litter.is_empty());
        let kept = crate::testing::names(work.dir());
        assert_eq!(
            kept,
            [
                ".token.x1.tmp",
                "artifacts",
                "downloads",
                "lock",
                "meta.json",
                "profile",
                "state.json",
                "state.prev.json"
            ]
        );
        assert!(work.artifacts_dir().join("new.png").exists());
        assert!(work.downloads_dir().join("old.zip").exists());
        assert!(store.root().join("node_modules").exists());
    }

    #[test]
    fn each_run_and_crawl_is_as_old_as_its_newest_file() {
        let (_dir, store) = store();
        let artifacts = made(&store, "work", false).artifacts_dir();
        let use_of = |folder: &str, files: &[(&str, u64)]| {
            let folder = artifacts.join(folder);
            fs::create_dir_all(&folder).unwrap();
            for (name, days) in files {
                put(folder.join(name), *days);
            }
            age(&folder, 40);
        };
        use_of("runs/a", &[("events.jsonl", 31), ("outcome.json", 31)]);
        use_of("runs/b", &[("events.jsonl", 2)]);
        use_of("crawls/old", &[("crawl.json", 90), ("pages.jsonl", 31)]);
        use_of("crawls/went-on", &[("crawl.json", 90), ("pages.jsonl", 1)]);
        use_of("test-1", &[("report.json", 29)]);
        use_of("test-2", &[("report.json", 31)]);
        use_of("uploads", &[]);
        for group in ["runs", "crawls", "uploads"] {
            age(&artifacts.join(group), 40);
        }
        let swept = sweep(&store, &Rules::default(), false).unwrap();
        let gone = ["old", "a", "test-2", "uploads"].map(|name| format!("Artifact {name}"));
        assert_eq!(said(&swept), gone);
        for stays in ["runs/b/events.jsonl", "crawls/went-on/crawl.json", "test-1"] {
            assert!(artifacts.join(stays).exists(), "{stays}");
        }
    }

    #[test]
    fn an_open_profile_is_passed_over_and_named() {
        let (_dir, store) = store();
        let live = made(&store, "live", true);
        put(live.dir().join("state.json.corrupt-1"), 0);
        let _lock = live.lock().unwrap();
        let swept = sweep(&store, &Rules::default(), false).unwrap();
        assert_eq!((swept.litter.len(), swept.open.len()), (0, 1));
        assert!(live.exists());
    }

    #[test]
    fn empty_starts_go_once_they_are_old() {
        let (_dir, store) = store();
        let failed = named(&store, "failed");
        drop(failed.create_locked().unwrap());
        let mut rules = Rules::default();
        assert!(sweep(&store, &rules, false).unwrap().litter.is_empty());
        rules.unfinished = Duration::ZERO;
        assert_eq!(
            said(&sweep(&store, &rules, false).unwrap()),
            ["Empty failed"]
        );
        assert!(!failed.dir().exists());
    }

    #[test]
    fn a_missing_store_has_no_litter() {
        let (_dir, store) = store();
        let swept = sweep(&store, &Rules::default(), false).unwrap();
        assert!(swept.litter.is_empty() && !store.root().exists());
    }
}
