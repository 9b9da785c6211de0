//! `keeper.log`: bounded, private, and without secrets.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use szk_config::{CallOptions, Config, LogFormat, LogSettings, Origin};
use tracing_subscriber::EnvFilter;

/// Size at which the log is moved to `keeper.log.old` and started anew.
const LIMIT: u64 = 1 << 20;

/// Sends this process's log to the file, as configured. If the file cannot be opened, there is no log.
pub(crate) fn to_file(path: &Path, origin: &Origin, options: &CallOptions) {
    let LogSettings { level, format } = settings(origin, options);
    let filter = EnvFilter::try_new(&level).unwrap_or_else(|_| EnvFilter::new("info"));
    let Ok(log) = Bounded::open(path) else { return };
    let subscriber = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_ansi(false)
        // It would tell them on stderr, which is no better than the log: on a full disk that ends the thread.
        .log_internal_errors(false)
        .with_writer(Mutex::new(log));
    // Err: this process has another logger already, which stays.
    let _ = match format {
        LogFormat::Text => subscriber.try_init(),
        LogFormat::Json => subscriber.json().flatten_event(true).try_init(),
    };
}

/// Whoever opens the session reports mistakes in the configuration.
fn settings(origin: &Origin, options: &CallOptions) -> LogSettings {
    let resolved = Config::load(origin).and_then(|config| config.resolve(None, None, options));
    match resolved {
        Ok(resolved) => resolved.settings.log,
        Err(_) => LogSettings {
            level: "info".to_owned(),
            format: LogFormat::Text,
        },
    }
}

/// A file that is rotated when it has grown too long.
struct Bounded {
    path: PathBuf,
    file: File,
    size: u64,
}

impl Bounded {
    fn open(path: &Path) -> io::Result<Self> {
        let file = OpenOptions::new()
            .create(true)
            .append(true)
            .mode(0o600)
            .open(path)?;
        let size = file.metadata()?.len();
        Ok(Self {
            path: path.to_owned(),
            file,
            size,
        })
    }
}

impl Write for Bounded {
    fn write(&mut self, text: &[u8]) -> io::Result<usize> {
        if self.size > LIMIT {
            std::fs::rename(&self.path, self.path.with_extension("log.old"))?;
            *self = Self::open(&self.path)?;
        }
        let written = self.file.write(text)?;
        self.size += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_log_never_grows_beyond_twice_its_limit() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("keeper.log");
        let mut log = Bounded::open(&path).unwrap();
        let line = [b'x'; 64 << 10];
        for _ in 0..100 {
            log.write_all(&line).unwrap();
        }
        let total: u64 = std::fs::read_dir(dir.path())
            .unwrap()
            .map(|entry| entry.unwrap().metadata().unwrap().len())
            .sum();
        assert!(total <= 2 * (LIMIT + line.len() as u64), "{total}");
        assert!(path.exists() && path.with_extension("log.old").exists());
    }
}
