//! The journal on disk, for when the browser is gone.

use std::fs::{self, OpenOptions};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, Receiver, SyncSender};
use std::thread;

use super::entry::Entry;

/// A file of this many bytes is put aside, and the one that was aside is forgotten.
const LARGEST: u64 = 4 << 20;
/// Lines that may wait for the disk; more are lost, the rings have them.
const WAITING: usize = 4096;

/// Lines of JSON, written by a thread of its own: a slow disk must not hold up the browser.
pub(super) struct File {
    lines: SyncSender<String>,
}

impl File {
    pub(super) fn at(path: PathBuf) -> Self {
        let (lines, waiting) = mpsc::sync_channel(WAITING);
        // Ends with the journal.
        let started = thread::Builder::new()
            .name("journal".into())
            .spawn(move || write(&path, &waiting));
        if let Err(error) = started {
            tracing::warn!(%error, "the journal is kept in memory only");
        }
        Self { lines }
    }

    pub(super) fn write(&self, entry: &Entry) {
        if let Ok(line) = serde_json::to_string(entry) {
            // Full, or nobody writes: the rings have it.
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
                // A full disk is told once; what comes later is tried again.
                tracing::debug!(%error, "the journal could not be written");
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

/// What sites were visited is nobody else's business.
fn private(path: &Path) -> std::io::Result<fs::File> {
    let mut options = OpenOptions::new();
    options.create(true).append(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}
