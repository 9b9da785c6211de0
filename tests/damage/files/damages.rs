//! What can happen to a file.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use rustix::fs::{CWD, FileType, Mode, mknodat};
use serde_json::{Value, json};

use super::lists::File;
use crate::harness::give_away;

/// Larger than anyone reads into memory.
const GIANT: u64 = 6 << 30;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Damage {
    Truncated,
    Empty,
    Flipped,
    Fifo,
    Folder,
    Loop,
    Giant,
    OtherOwner,
    Newer,
}

/// All of them.
pub(super) const DAMAGES: [Damage; 9] = [
    Damage::Truncated,
    Damage::Empty,
    Damage::Flipped,
    Damage::Fifo,
    Damage::Folder,
    Damage::Loop,
    Damage::Giant,
    Damage::OtherOwner,
    Damage::Newer,
];

impl Damage {
    /// Whether it can happen to this file.
    pub(super) fn fits(self, file: File) -> bool {
        match self {
            // There is nothing in it to cut or change.
            Self::Truncated | Self::Flipped | Self::OtherOwner => {
                file.is_there() && file != File::Lock
            }
            Self::Newer => matches!(file, File::State | File::OlderState | File::Logins),
            // Chromium itself blocks on it or reads all of it; no disk does such a thing to a
            // database.
            Self::Fifo | Self::Giant => !file.is_chromiums(),
            Self::Empty | Self::Folder | Self::Loop => true,
        }
    }

    /// Whether the file's content stays as it was.
    pub(super) fn keeps_content(self) -> bool {
        self == Self::OtherOwner
    }

    /// Applies it.
    pub(super) fn befall(self, path: &Path) {
        let content = fs::read(path).unwrap_or_default();
        match self {
            Self::Truncated => fs::write(path, &content[..content.len() / 2]).unwrap(),
            Self::Empty => fs::write(path, "").unwrap(),
            Self::Flipped => fs::write(path, flipped(content)).unwrap(),
            Self::Fifo => {
                gone(path);
                mknodat(CWD, path, FileType::Fifo, Mode::from(0o600), 0).unwrap();
            }
            Self::Folder => {
                gone(path);
                fs::create_dir(path).unwrap();
                fs::write(path.join("inside"), "something").unwrap();
            }
            Self::Loop => {
                gone(path);
                symlink(path, path).unwrap();
            }
            Self::Giant => {
                let file = fs::OpenOptions::new()
                    .create(true)
                    .append(true)
                    .open(path)
                    .unwrap();
                file.set_len(GIANT).unwrap();
            }
            Self::OtherOwner => give_away(path),
            Self::Newer => fs::write(path, newer(&content)).unwrap(),
        }
    }
}

fn gone(path: &Path) {
    if fs::symlink_metadata(path).is_ok() {
        fs::remove_file(path).unwrap();
    }
}

/// Flips a bit in every hundredth byte, starting with the first.
fn flipped(mut content: Vec<u8>) -> Vec<u8> {
    content
        .iter_mut()
        .step_by(97)
        .for_each(|byte| *byte ^= 0x10);
    content
}

/// The same with every version number raised.
fn newer(content: &[u8]) -> Vec<u8> {
    let mut value: Value = serde_json::from_slice(content).unwrap();
    let mut raised = 0;
    let mut raise = |value: &mut Value| {
        for (key, number) in value.as_object_mut().into_iter().flatten() {
            if matches!(key.as_str(), "version" | "schema") && number.is_u64() {
                *number = json!(999);
                raised += 1;
            }
        }
    };
    raise(&mut value);
    if let Some(own) = value.get_mut("szk") {
        raise(own);
    }
    assert!(raised > 0, "the file says its version: {value:.300}");
    value.to_string().into_bytes()
}
