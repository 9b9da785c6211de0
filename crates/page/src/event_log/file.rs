//! The event log on disk, for when the browser is gone.

use std::fs::{self, OpenOptions};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, Receiver, SyncSender};
use std::thread;

use super::entry::Entry;

/// A file of this size is moved aside, replacing the one moved aside before.
const LARGEST: u64 = 4 << 20;
/// Lines that may queue for the disk; more are lost, but the rings have them.
const WAITING: usize = 4096;

/// JSON lines, written by a thread of their own: a slow disk must not hold up the browser.
pub(super) struct File {
    lines: SyncSender<String>,
}

impl File {
    pub(super) fn at(path: PathBuf) -> Self {
        let (lines, waiting) = mpsc::sync_channel(WAITING);
        // Ends with the log.
        let started = thread::Builder::new()
            .name("event log file".into())
            .spawn(move || write(&path, &waiting));
        if let Err(error) = started {
            tracing::warn!(%error, "the event log is kept in memory only");
        }
        Self { lines }
    }

    pub(super) fn write(&self, entry: &Entry) {
        if let Ok(line) = serde_json::to_string(entry) {
            // Full, or without a writer: the rings have it.
            let _ = self.lines.try_send(line);
        }
    }
}

fn write(path: &Path, lines: &Receiver<String>) {
    let mut open: Option<(BufWriter<fs::File>, u64)> = None;
    while let Ok(first) = lines.recv() {
        let mut next = Some(first);
        while let Some(line) = next {
            if let Err(error) = append(path, &mut open, &line) {
                // Reported once; later lines are tried again.
                tracing::debug!(%error, "cannot write the event log");
                open = None;
            }
            next = lines.try_recv().ok();
        }
        if let Some((file, _)) = &mut open
            && file.flush().is_err()
        {
            open = None;
        }
    }
}

fn append(
    path: &Path,
    open: &mut Option<(BufWriter<fs::File>, u64)>,
    line: &str,
) -> std::io::Result<()> {
    if open.as_ref().is_some_and(|(_, size)| *size >= LARGEST) {
        if let Some((mut file, _)) = open.take() {
            file.flush()?;
        }
        fs::rename(path, path.with_extension("old.jsonl"))?;
    }
    let (file, size) = match open {
        Some(open) => open,
        None => {
            let file = private(path)?;
            let size = file.metadata()?.len();
            open.insert((BufWriter::new(file), size))
        }
    };
    file.write_all(line.as_bytes())?;
    file.write_all(b"\n")?;
    *size += line.len() as u64 + 1;
    Ok(())
}

/// Only the user may know which sites were visited.
fn private(path: &Path) -> std::io::Result<fs::File> {
    let mut options = OpenOptions::new();
    options.create(true).append(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}
