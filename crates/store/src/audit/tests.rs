use std::fs;
use std::path::PathBuf;

use proptest::prelude::*;
use serde_json::json;
use tempfile::TempDir;

use super::files::{self, LogFile};
use super::writer::AuditWriter;
use super::*;
use crate::testing::{mode, store};

fn entry(number: usize) -> AuditEntry {
    AuditEntry {
        time: Timestamp::from_second(1_700_000_000 + number as i64).unwrap(),
        session: Some("work".to_owned()),
        client: Some("Zażółć \"x\"\n🦀".to_owned()),
        front: Some("mcp".to_owned()),
        token: None,
        pid: Some(7),
        operation: "browser_act".to_owned(),
        what: [("ref".to_owned(), json!(format!("e{number}")))].into(),
        code: "OK".to_owned(),
        effect: "done".to_owned(),
        ms: number as u64,
        missed: None,
    }
}

/// A log of this many lines, about four to a file.
fn log(lines: usize) -> (TempDir, Store) {
    let (dir, store) = store();
    let mut writer = AuditWriter::limited(&store, 1200, 1000);
    for number in 1..=lines {
        assert_eq!(writer.append(&entry(number)).unwrap(), number as u64);
    }
    (dir, store)
}

fn all(store: &Store) -> Vec<LogFile> {
    files::list(&files::folder(store)).unwrap()
}

/// Every line with the file it is in.
fn lines(store: &Store) -> Vec<(PathBuf, String)> {
    let read = |file: LogFile| {
        let text = fs::read_to_string(&file.path).unwrap();
        let lines: Vec<_> = text
            .lines()
            .map(|line| (file.path.clone(), line.to_owned()))
            .collect();
        lines
    };
    all(store).into_iter().flat_map(read).collect()
}

/// Writes the lines back to the files they name.
fn put(store: &Store, lines: &[(PathBuf, String)]) {
    for file in all(store) {
        let own = lines.iter().filter(|(path, _)| *path == file.path);
        let text: String = own.map(|(_, line)| format!("{line}\n")).collect();
        fs::write(&file.path, text).unwrap();
    }
}

#[track_caller]
fn broken(store: &Store) -> Break {
    let found = store.verify_audit().unwrap();
    found.broken.expect("it is found")
}

#[track_caller]
fn good(store: &Store, lines: u64) -> Verified {
    let found = store.verify_audit().unwrap();
    assert_eq!((found.broken.clone(), found.lines), (None, lines));
    found
}

#[test]
fn lines_are_read_as_they_were_written() {
    let (_dir, store) = log(10);
    assert!(all(&store).len() > 2);
    let found = good(&store, 10);
    assert_eq!((found.first, found.last), (1, 10));
    assert_eq!(
        found.file.as_ref(),
        all(&store).last().map(|file| &file.path)
    );
    let mut read = Vec::new();
    store
        .audit_lines(6, &mut |line| read.push((line.seq, line.entry)))
        .unwrap();
    let expected: Vec<_> = (7..=10)
        .map(|number| (number as u64, entry(number)))
        .collect();
    assert_eq!(read, expected);
    assert_eq!(mode(&files::folder(&store)), 0o700);
    for file in all(&store) {
        assert_eq!(mode(&file.path), 0o600);
    }
    let (_dir, empty) = self::store();
    assert_eq!(empty.verify_audit().unwrap(), Verified::default());
    assert!(!empty.root().exists());
}

#[test]
fn several_writers_make_one_chain() {
    let (_dir, store) = store();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                let mut writer = AuditWriter::limited(&store, 5000, 1000);
                for number in 0..50 {
                    writer.append(&entry(number)).unwrap();
                }
            });
        }
    });
    good(&store, 200);
}

#[test]
fn the_oldest_lines_make_room_for_new_ones() {
    let (_dir, store) = store();
    let mut writer = AuditWriter::limited(&store, 2000, 3);
    for number in 0..100 {
        writer.append(&entry(number)).unwrap();
    }
    assert_eq!(all(&store).len(), 3);
    let found = store.verify_audit().unwrap();
    assert!(found.broken.is_none() && found.last == 100, "{found:?}");
    assert!(found.first > 50 && found.lines == 101 - found.first);
    // The oldest file that is left is missed all the same.
    fs::remove_file(&all(&store)[0].path).unwrap();
    let fault = broken(&store).fault;
    assert!(matches!(fault, Fault::Removed { from, .. } if from == found.first));
}

#[test]
fn what_a_killed_writer_left_of_a_line_is_set_aside_and_noted() {
    let (_dir, store) = log(3);
    let file = all(&store).pop().unwrap().path;
    let whole = fs::read(&file).unwrap();
    fs::write(&file, [&whole[..], b"{\"seq\":4,\"ti"].concat()).unwrap();
    good(&store, 3);
    let mut writer = store.audit();
    assert_eq!(writer.append(&entry(4)).unwrap(), 5);
    good(&store, 5);
    let mut noted = Vec::new();
    store
        .audit_lines(3, &mut |line| noted.push(line.entry))
        .unwrap();
    assert_eq!(noted[0].operation, "audit_torn_line");
    let kept = noted[0].what["kept"].as_str().unwrap();
    let kept = fs::read(files::folder(&store).join(kept)).unwrap();
    assert_eq!(kept, b"{\"seq\":4,\"ti");
    assert_eq!(noted[0].what["sha256"], line::hash(&kept));
}

#[test]
fn a_writer_that_was_killed_before_the_head_loses_nothing() {
    let (_dir, store) = log(2);
    let head = fs::read(files::folder(&store).join("head")).unwrap();
    store.audit().append(&entry(3)).unwrap();
    fs::write(files::folder(&store).join("head"), head).unwrap();
    good(&store, 3);
    assert_eq!(store.audit().append(&entry(4)).unwrap(), 4);
    good(&store, 4);
}

#[test]
fn a_gap_stays_visible_after_later_lines() {
    let (_dir, store) = log(10);
    let mut left = lines(&store);
    left.truncate(7);
    put(&store, &left);
    assert_eq!(broken(&store).fault, Fault::Cut { from: 8, to: 10 });
    assert_eq!(store.audit().append(&entry(11)).unwrap(), 11);
    assert_eq!(broken(&store).fault, Fault::Removed { from: 8, to: 10 });
}

#[test]
fn a_missing_head_is_found_also_later() {
    let (_dir, store) = log(5);
    fs::remove_file(files::folder(&store).join("head")).unwrap();
    assert_eq!(broken(&store).fault, Fault::NoHead);
    assert_eq!(store.audit().append(&entry(6)).unwrap(), 7);
    assert_eq!(broken(&store).fault, Fault::HadNoHead { seq: 6 });
}

#[test]
fn a_log_without_any_of_its_files_is_no_empty_log() {
    let (_dir, store) = log(5);
    for file in all(&store) {
        fs::remove_file(file.path).unwrap();
    }
    let found = broken(&store);
    assert_eq!(found.fault, Fault::Cut { from: 1, to: 5 });
    let head = files::head_path(&store);
    let told = format!(
        "{}: it tells of numbers 1 to 5, and no line is left",
        head.display()
    );
    assert_eq!(found.to_string(), told);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn a_changed_byte_is_found_where_it_is(count in 1..14_usize, at: prop::sample::Index, with in 1..=255_u8) {
        let (_dir, store) = log(count);
        let size: usize = all(&store).iter().map(|file| fs::read(&file.path).unwrap().len()).sum();
        let mut at = at.index(size);
        for file in all(&store) {
            let mut text = fs::read(&file.path).unwrap();
            if at >= text.len() {
                at -= text.len();
                continue;
            }
            let line = 1 + text[..at].iter().filter(|byte| **byte == b'\n').count();
            let is_end = at + 1 == text.len();
            text[at] ^= with;
            fs::write(&file.path, &text).unwrap();
            let found = broken(&store);
            if is_end {
                // Without its line break the line is none.
                prop_assert!(matches!(found.fault, Fault::Cut { .. } | Fault::Removed { .. }), "{:?}", found);
            } else {
                prop_assert_eq!((found.file, found.line, found.fault), (file.path, line, Fault::Changed));
            }
            break;
        }
    }

    #[test]
    fn a_removed_line_is_found_where_it_was(count in 1..14_usize, at: prop::sample::Index) {
        let (_dir, store) = log(count);
        let mut left = lines(&store);
        let at = at.index(count);
        left.remove(at);
        put(&store, &left);
        let seq = at as u64 + 1;
        let expected = match at + 1 == count {
            true => Fault::Cut { from: seq, to: seq },
            false => Fault::Removed { from: seq, to: seq },
        };
        prop_assert_eq!(broken(&store).fault, expected);
    }

    #[test]
    fn moved_and_repeated_lines_are_found(count in 2..14_usize, one: prop::sample::Index, other: prop::sample::Index, swap: bool) {
        let (_dir, store) = log(count);
        let mut changed = lines(&store);
        let (one, other) = (one.index(count), other.index(count));
        prop_assume!(one != other);
        let (low, high) = (one.min(other), one.max(other));
        let (a, b) = (changed[low].1.clone(), changed[high].1.clone());
        changed[low].1 = b;
        if swap {
            changed[high].1 = a;
        }
        put(&store, &changed);
        let expected = Fault::Removed { from: low as u64 + 1, to: high as u64 };
        prop_assert_eq!(broken(&store).fault, expected);
    }

    #[test]
    fn a_cut_end_is_found_wherever_it_was_cut(count in 1..14_usize, cut in 1..2000_usize) {
        let (_dir, store) = log(count);
        let mut cut = cut;
        for file in all(&store).iter().rev() {
            let text = fs::read(&file.path).unwrap();
            let left = text.len().saturating_sub(cut);
            fs::write(&file.path, &text[..left]).unwrap();
            cut -= text.len() - left;
        }
        let found = broken(&store);
        prop_assert!(matches!(found.fault, Fault::Cut { to, .. } if to == count as u64), "{:?}", found);
    }

    #[test]
    fn a_line_with_a_hash_of_its_own_does_not_fit(count in 2..14_usize, at: prop::sample::Index) {
        let (_dir, store) = log(count);
        let mut changed = lines(&store);
        let at = at.index(count);
        let old = line::read(changed[at].1.as_bytes()).unwrap();
        let forged = AuditEntry { code: "FORGED".to_owned(), ..old.entry };
        let (text, _) = line::write(old.seq, &forged, &old.prev).unwrap();
        changed[at].1 = String::from_utf8(text).unwrap().trim_end().to_owned();
        put(&store, &changed);
        let expected = match at + 1 == count {
            true => Fault::OtherHead,
            false => Fault::Unlinked { seq: old.seq + 1 },
        };
        prop_assert_eq!(broken(&store).fault, expected);
    }
}

/// Makes every write to a file of the log fail until `again` is called.
fn full(store: &Store) -> impl FnOnce() {
    let file = all(store).pop().unwrap().path;
    let aside = file.with_extension("aside");
    fs::rename(&file, &aside).unwrap();
    fs::create_dir(&file).unwrap();
    move || {
        fs::remove_dir(&file).unwrap();
        fs::rename(&aside, &file).unwrap();
    }
}

#[test]
fn the_next_line_says_how_many_could_not_be_written() {
    let (_dir, store) = log(2);
    let again = full(&store);
    for number in 3..6 {
        // Each is a process of its own.
        let failed = store.audit().append(&entry(number)).unwrap_err();
        assert!(failed.noted, "{failed}");
    }
    let mut with_more = entry(6);
    with_more.missed = Some(2);
    assert!(store.audit().append(&with_more).unwrap_err().noted);
    again();
    let mut writer = store.audit();
    writer.append(&entry(7)).unwrap();
    writer.append(&entry(8)).unwrap();
    let mut missed = Vec::new();
    let mut each = |line: AuditLine| missed.push(line.entry.missed);
    store.audit_lines(2, &mut each).unwrap();
    assert_eq!(missed, [Some(6), None]);
    good(&store, 4);
}

#[test]
fn a_first_writer_without_room_leaves_a_log_that_is_new() {
    let (_dir, store) = store();
    let folder = files::folder(&store);
    fs::create_dir_all(&folder).unwrap();
    fs::write(files::head_path(&store), "").unwrap();
    fs::write(files::path(&folder, 1), "").unwrap();
    assert_eq!(store.verify_audit().unwrap().broken, None);
    assert_eq!(store.audit().append(&entry(1)).unwrap(), 1);
    good(&store, 1);
    // Lines without a head are not.
    fs::write(files::head_path(&store), "").unwrap();
    assert_eq!(broken(&store).fault, Fault::NoHead);
}
