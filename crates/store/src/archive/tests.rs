//! Round trips, and what others may put into an archive.

use std::fs;
use std::io::Write;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use tar::{Builder, EntryType, Header};
use tempfile::TempDir;

use super::*;
use crate::testing::{mode, names, profile, store};
use crate::{Meta, Store};

fn put(profile: &crate::Profile, path: &str, content: &str) {
    let path = profile.user_data_dir().join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, content).unwrap();
}

/// An archive of these entries, whatever they are, after a valid manifest.
struct Made {
    tar: Builder<Vec<u8>>,
}

impl Made {
    fn new() -> Self {
        let mut made = Self {
            tar: Builder::new(Vec::new()),
        };
        let manifest = r#"{"format": 1, "name": "p", "made": "2026-01-01T00:00:00Z"}"#;
        made.put(MANIFEST, EntryType::Regular, manifest.as_bytes(), "");
        made
    }

    /// Writes the name as is: the library's own functions would refuse the bad ones.
    fn put(&mut self, name: &str, kind: EntryType, content: &[u8], link: &str) -> &mut Self {
        let mut header = Header::new_gnu();
        let gnu = header.as_gnu_mut().unwrap();
        gnu.name[..name.len()].copy_from_slice(name.as_bytes());
        gnu.linkname[..link.len()].copy_from_slice(link.as_bytes());
        header.set_entry_type(kind);
        header.set_mode(0o4777);
        header.set_size(content.len() as u64);
        header.set_cksum();
        self.tar.append(&header, content).unwrap();
        self
    }

    fn file(&mut self, name: &str, content: &str) -> &mut Self {
        self.put(name, EntryType::Regular, content.as_bytes(), "")
    }

    fn packed(&mut self, dir: &TempDir) -> PathBuf {
        let path = dir.path().join("a.tar.zst");
        self.tar.finish().unwrap();
        let bytes = zstd::encode_all(self.tar.get_ref().as_slice(), 3).unwrap();
        fs::write(&path, bytes).unwrap();
        path
    }
}

fn imported(store: &Store, path: &Path) -> Result<crate::Profile, ArchiveError> {
    import(store, path, None, &Limits::default()).map(|(profile, _)| profile)
}

#[track_caller]
fn refused(made: &mut Made, why: &str) {
    let (dir, store) = store();
    let path = made.packed(&dir);
    let error = imported(&store, &path).unwrap_err();
    assert!(error.to_string().contains(why), "{error}");
    assert!(store.list().unwrap().is_empty());
    assert_eq!(names(dir.path()), ["a.tar.zst", "store"]);
    let left = names(store.root());
    assert!(left.is_empty() || left == [".trash"], "{left:?}");
}

#[test]
fn a_profile_goes_there_and_comes_back() {
    let (dir, original) = profile();
    let mut meta = Meta::new(original.name().clone());
    meta.seed = 42;
    meta.label = Some("Shop".into());
    original.write_meta(&meta).unwrap();
    original.write_state(br#"{"cookies":[]}"#).unwrap();
    let token = original.token().unwrap();
    let long = format!("Default/{}/deep", "x".repeat(150));
    put(&original, "Default/Cookies", "cookies");
    put(&original, &long, "long");
    put(&original, "Default/Extensions/a/Cache/x.lock", "whole");
    put(&original, "Default/Cache/Cache_Data/data_0", "cache");
    put(&original, "Default/Local Storage/leveldb/LOCK", "");
    fs::create_dir(original.user_data_dir().join("Default/empty")).unwrap();
    symlink("/etc/passwd", original.user_data_dir().join("link")).unwrap();
    symlink("host-1", original.user_data_dir().join("SingletonLock")).unwrap();
    let path = dir.path().join("p.tar.zst");
    let lock = original.lock().unwrap();
    let report = export(&original, &lock, &path).unwrap();
    assert_eq!((report.files, report.left_out), (3, 1));
    assert_eq!(mode(&path), 0o600);
    let unpacked = zstd::decode_all(fs::File::open(&path).unwrap()).unwrap();
    let holds = |text: &str| unpacked.windows(text.len()).any(|w| w == text.as_bytes());
    assert!(holds("cookies") && !holds(token.reveal()));

    let other = Name::parse("other").unwrap();
    let (copy, back) = import(original.store(), &path, Some(&other), &Limits::default()).unwrap();
    assert_eq!((back.files, back.manifest.name.as_str()), (3, "p"));
    let meta = copy.meta().unwrap().unwrap();
    assert_eq!((meta.seed, meta.label.as_deref()), (42, Some("Shop")));
    assert_eq!(meta.name, other);
    assert_eq!(copy.read_state().unwrap().unwrap(), br#"{"cookies":[]}"#);
    let data = copy.user_data_dir();
    let text = |path: &str| fs::read_to_string(data.join(path)).unwrap();
    assert_eq!(text("Default/Cookies"), "cookies");
    assert_eq!(text(&long), "long");
    assert_eq!(text("Default/Extensions/a/Cache/x.lock"), "whole");
    assert!(data.join("Default/empty").is_dir());
    assert_eq!(names(&data), ["Default"]);
    assert_eq!(mode(&data.join("Default/Cookies")), 0o600);
    assert!(!token.matches(copy.token().unwrap().reveal()));

    assert!(matches!(
        import(original.store(), &path, Some(&other), &Limits::default()),
        Err(ArchiveError::Taken { .. })
    ));
    assert!(matches!(
        export(&original, &lock, &path),
        Err(ArchiveError::File { .. })
    ));
}

#[test]
fn modes_of_an_archive_are_not_taken_over() {
    let (dir, store) = store();
    let path = Made::new()
        .put("profile/Default", EntryType::Directory, b"", "")
        .file("profile/Default/run", "x")
        .file("profile/SingletonLock", "x")
        .packed(&dir);
    let profile = imported(&store, &path).unwrap();
    let data = profile.user_data_dir();
    assert_eq!(mode(&data.join("Default")), 0o700);
    assert_eq!(mode(&data.join("Default/run")), 0o700);
    assert_eq!(names(&data), ["Default"]);
}

#[test]
fn what_leads_out_is_refused() {
    for name in [
        "../evil",
        "/etc/evil",
        "profile/../../evil",
        "profile/../meta.json",
        "./profile/x",
        ".",
    ] {
        refused(Made::new().file(name, "x"), "leads out of the profile");
    }
    for name in ["token", "lock", "keeper.json", "profilex/a", "downloads/a"] {
        refused(Made::new().file(name, "x"), "is not part of a profile");
    }
}

#[test]
fn a_file_where_a_folder_must_be_is_refused() {
    refused(Made::new().file("profile", "x"), "must be a folder");
    let below = "lies below a file of the same archive";
    let file = || {
        let mut made = Made::new();
        made.file("profile/Default", "x");
        made
    };
    refused(file().file("profile/Default/Cookies", "x"), below);
    refused(
        file().put("profile/Default", EntryType::Directory, b"", ""),
        below,
    );
}

#[test]
fn links_and_devices_are_refused() {
    for kind in [
        EntryType::Symlink,
        EntryType::Link,
        EntryType::Char,
        EntryType::Fifo,
        EntryType::GNUSparse,
    ] {
        let mut made = Made::new();
        made.put("profile/link", kind, b"", "/etc");
        refused(&mut made, "");
    }
    // Not even through a link from an earlier entry: none is ever created.
    let mut made = Made::new();
    made.put("profile/link", EntryType::Symlink, b"", "/tmp");
    refused(
        made.file("profile/link/x", "x"),
        "neither a file nor a folder",
    );
}

#[test]
fn nothing_is_written_twice() {
    refused(
        Made::new().file("profile/a", "1").file("profile/a", "2"),
        "is there twice",
    );
    refused(
        Made::new().file("profile/a", "1").file("profile/a/b", "2"),
        "lies below a file of the same archive",
    );
}

#[test]
fn bombs_do_not_go_off() {
    let (dir, store) = store();
    let path = Made::new()
        .file("profile/big", &"\0".repeat(4 << 20))
        .packed(&dir);
    let limits = Limits {
        bytes: 1 << 20,
        ..Limits::default()
    };
    let error = import(&store, &path, None, &limits).unwrap_err();
    assert!(error.to_string().contains("more than"), "{error}");
    assert!(store.list().unwrap().is_empty());
    let mut made = Made::new();
    for number in 0..20 {
        made.file(&format!("profile/{number}"), "");
    }
    let path = made.packed(&dir);
    let limits = Limits {
        entries: 10,
        ..Limits::default()
    };
    let error = import(&store, &path, None, &limits).unwrap_err();
    assert!(
        error.to_string().contains("number of entries allowed"),
        "{error}"
    );
    assert!(store.list().unwrap().is_empty());
}

#[test]
fn much_out_of_little_is_refused() {
    let (dir, store) = store();
    let path = dir.path().join("bomb.tar.zst");
    let mut made = Made::new();
    // The header claims a gigabyte; that many zeros compress to some ten thousand bytes.
    let mut header = Header::new_gnu();
    header.set_path("profile/big").unwrap();
    header.set_size(1 << 30);
    header.set_cksum();
    let mut encoder = zstd::Encoder::new(fs::File::create(&path).unwrap(), 1).unwrap();
    made.tar.finish().unwrap();
    let head = made.tar.get_ref();
    // Without the two empty blocks that end an archive.
    encoder.write_all(&head[..head.len() - 1024]).unwrap();
    encoder.write_all(header.as_bytes()).unwrap();
    let zeros = vec![0; 1 << 20];
    for _ in 0..300 {
        encoder.write_all(&zeros).unwrap();
    }
    encoder.finish().unwrap();
    let error = imported(&store, &path).unwrap_err();
    assert!(error.to_string().contains("more than"), "{error}");
    assert!(store.list().unwrap().is_empty());
}

#[test]
fn something_else_is_told() {
    let (dir, store) = store();
    let path = dir.path().join("x");
    let packed = |bytes: &[u8]| zstd::encode_all(bytes, 3).unwrap();
    for bytes in [
        Vec::new(),
        b"hello".to_vec(),
        packed(b""),
        packed(b"hello"),
        packed(&[0; 2048]),
    ] {
        fs::write(&path, bytes).unwrap();
        let error = imported(&store, &path).unwrap_err();
        assert!(matches!(error, ArchiveError::NotOne { .. }), "{error}");
    }
    // A truncated one leaves nothing behind.
    let whole = Made::new()
        .file("profile/a", &"text".repeat(10_000))
        .packed(&dir);
    let bytes = fs::read(&whole).unwrap();
    fs::write(&whole, &bytes[..bytes.len() / 2]).unwrap();
    assert!(imported(&store, &whole).is_err());
    assert!(store.list().unwrap().is_empty());
}

#[test]
fn a_newer_one_is_told() {
    let (dir, store) = store();
    let path = dir.path().join("a.tar.zst");
    let mut tar = Builder::new(Vec::new());
    let manifest = br#"{"format": 9, "shape": "unknown"}"#;
    let mut header = Header::new_gnu();
    header.set_path(MANIFEST).unwrap();
    header.set_size(manifest.len() as u64);
    header.set_cksum();
    tar.append(&header, &manifest[..]).unwrap();
    let bytes = tar.into_inner().unwrap();
    fs::write(&path, zstd::encode_all(&bytes[..], 3).unwrap()).unwrap();
    let error = imported(&store, &path).unwrap_err();
    assert!(
        matches!(error, ArchiveError::Newer { found: 9, .. }),
        "{error}"
    );
    let mut made = Made::new();
    made.file(META, r#"{"version": 99}"#);
    refused(&mut made, "has format 99");
}

#[test]
fn a_name_that_is_none_never_becomes_a_path() {
    let (dir, store) = store();
    let path = dir.path().join("a.tar.zst");
    let mut tar = Builder::new(Vec::new());
    let manifest = br#"{"format": 1, "name": "../../x", "made": "2026-01-01T00:00:00Z"}"#;
    let mut header = Header::new_gnu();
    header.set_path(MANIFEST).unwrap();
    header.set_size(manifest.len() as u64);
    header.set_cksum();
    tar.append(&header, &manifest[..]).unwrap();
    let bytes = tar.into_inner().unwrap();
    fs::write(&path, zstd::encode_all(&bytes[..], 3).unwrap()).unwrap();
    let error = imported(&store, &path).unwrap_err();
    assert!(matches!(error, ArchiveError::NotOne { .. }), "{error}");
}
