//! Whether a path can be started as Chromium.

use std::fmt;
use std::fs;
use std::io::Read;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// How long a wrapper script may take to print its version.
const PROBE_LIMIT: Duration = Duration::from_secs(5);

/// Why an executable was refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refusal {
    /// The path is empty.
    Empty,
    /// Nothing is there.
    NotFound,
    /// A symbolic link that leads nowhere, or in a circle.
    BrokenSymlink,
    /// A directory, socket or device.
    NotAFile,
    /// No execute permission.
    NotExecutable,
    /// A wrapper script that does not answer `--version`, such as Ubuntu's stub for the snap.
    Stub,
    /// The system did not say.
    CannotStat(String),
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => f.write_str("is an empty path"),
            Self::NotFound => f.write_str("does not exist"),
            Self::BrokenSymlink => f.write_str("is a broken symbolic link"),
            Self::NotAFile => f.write_str("is not a file"),
            Self::NotExecutable => f.write_str("is not executable"),
            Self::Stub => f.write_str("is a script that does not answer `--version`"),
            Self::CannotStat(reason) => write!(f, "cannot be read: {reason}"),
        }
    }
}

/// Checks a path. Does not run binaries, which would cost a quarter of a start; does run scripts,
/// because distributions ship stubs that only print advice.
pub(crate) fn check(path: &Path) -> Result<(), Refusal> {
    if path.as_os_str().is_empty() {
        return Err(Refusal::Empty);
    }
    let meta = fs::metadata(path).map_err(|error| {
        if fs::symlink_metadata(path).is_ok_and(|meta| meta.is_symlink()) {
            return Refusal::BrokenSymlink;
        }
        match error.kind() {
            std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory => Refusal::NotFound,
            _ => Refusal::CannotStat(error.to_string()),
        }
    })?;
    if !meta.is_file() {
        return Err(Refusal::NotAFile);
    }
    if meta.permissions().mode() & 0o111 == 0 {
        return Err(Refusal::NotExecutable);
    }
    if is_script(path) && !answers_version(path) {
        Err(Refusal::Stub)
    } else {
        Ok(())
    }
}

/// Whether the file starts like a script.
pub fn is_script(path: &Path) -> bool {
    let mut head = [0; 2];
    szk_files::open(path, szk_files::Links::Followed)
        .and_then(|mut file| file.read_exact(&mut head))
        .is_ok()
        && &head == b"#!"
}

fn answers_version(path: &Path) -> bool {
    version(path).is_some()
}

/// The version that the executable prints, e.g. `156.0.8078.79`; `None` if it does not answer.
pub fn version(path: &Path) -> Option<String> {
    let mut child = Command::new(path)
        .arg("--version")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .ok()?;
    let end = Instant::now() + PROBE_LIMIT;
    let status = loop {
        match child.try_wait() {
            Ok(Some(status)) => break status,
            Ok(None) if Instant::now() < end => std::thread::sleep(Duration::from_millis(5)),
            _ => {
                // A probe that cannot be killed exits by itself.
                let _ = child.kill();
                let _ = child.wait();
                return None;
            }
        }
    };
    let mut text = String::new();
    child
        .stdout
        .take()?
        .take(4096)
        .read_to_string(&mut text)
        .ok()?;
    if !status.success() {
        return None;
    }
    text.split_whitespace()
        .find(|word| word.starts_with(|c: char| c.is_ascii_digit()) && word.contains('.'))
        .map(str::to_owned)
}
