//! Real FIFOs, devices, huge sparse files and loops. A bug here hangs the test, which then times out.

use std::fs;
use std::os::unix::fs::symlink;

use rustix::fs::{CWD, FileType, Mode, mknodat};
use tempfile::TempDir;

use super::*;

const LIMIT: u64 = 1000;

fn folder() -> TempDir {
    tempfile::tempdir().unwrap()
}

#[track_caller]
fn refused(path: &Path, kind: ErrorKind, text: &str) {
    for read in [read, read_own] {
        let error = read(path, LIMIT).unwrap_err();
        assert!(error.to_string().contains(text), "{error}");
        assert_eq!(error.kind(), kind, "{error}");
        assert!(is_unusable(&error), "{error}");
    }
}

#[test]
fn a_plain_file_is_read_up_to_its_bound() {
    let dir = folder();
    let path = dir.path().join("f");
    for (size, fits) in [(0, true), (999, true), (1000, true), (1001, false)] {
        fs::write(&path, vec![b'x'; size]).unwrap();
        assert_eq!(read(&path, LIMIT).is_ok(), fits, "{size}");
        assert_eq!(read_own(&path, LIMIT).is_ok(), fits, "{size}");
    }
    refused(&path, ErrorKind::FileTooLarge, "larger than 1 KiB");
}

#[test]
fn a_fifo_without_a_writer_is_refused_at_once() {
    let dir = folder();
    let path = dir.path().join("f");
    mknodat(CWD, &path, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
    refused(&path, ErrorKind::InvalidInput, "a FIFO");
}

#[test]
fn a_folder_a_device_and_a_socket_are_refused() {
    let dir = folder();
    refused(dir.path(), ErrorKind::IsADirectory, "a folder");
    refused(Path::new("/dev/zero"), ErrorKind::InvalidInput, "a device");
    let path = dir.path().join("s");
    let _socket = std::os::unix::net::UnixListener::bind(&path).unwrap();
    refused(&path, ErrorKind::InvalidInput, "a socket");
}

#[test]
fn a_sparse_giant_is_refused_without_being_read() {
    let dir = folder();
    let path = dir.path().join("f");
    File::create(&path).unwrap().set_len(6 << 30).unwrap();
    refused(&path, ErrorKind::FileTooLarge, "larger than");
}

#[test]
fn links_are_followed_for_people_and_refused_in_our_places() {
    let dir = folder();
    let (file, link) = (dir.path().join("f"), dir.path().join("l"));
    fs::write(&file, "x").unwrap();
    symlink(&file, &link).unwrap();
    assert_eq!(read(&link, LIMIT).unwrap(), b"x");
    let error = read_own(&link, LIMIT).unwrap_err();
    assert!(is_unusable(&error) && error.to_string().contains("a symbolic link"));
    // A link to itself leads nowhere in either mode.
    fs::remove_file(&link).unwrap();
    symlink(&link, &link).unwrap();
    for read in [read, read_own] {
        assert!(is_unusable(&read(&link, LIMIT).unwrap_err()));
    }
}

#[test]
fn what_is_missing_or_closed_to_us_is_not_called_unusable() {
    let dir = folder();
    let error = read(&dir.path().join("none"), LIMIT).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NotFound);
    assert!(!is_unusable(&error));
}

#[test]
fn text_must_be_utf_8() {
    let dir = folder();
    let path = dir.path().join("f");
    fs::write(&path, "ü").unwrap();
    assert_eq!(text(&path, LIMIT).unwrap(), "ü");
    fs::write(&path, b"\xff").unwrap();
    assert_eq!(
        text(&path, LIMIT).unwrap_err().kind(),
        ErrorKind::InvalidData
    );
}
