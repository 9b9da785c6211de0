//! Disks that are small, and files that cannot be written. Both need root or `sudo` without a password.

use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

use rustix::process::geteuid;

/// A file system of a few megabytes, mounted on a folder; unmounted when dropped.
///
/// Declare it before the `TestEnv` that uses it: what is declared later is dropped first.
pub(crate) struct SmallDisk {
    folder: tempfile::TempDir,
}

impl SmallDisk {
    /// Mounts one.
    pub(crate) fn mount(megabytes: u32) -> Self {
        let folder = tempfile::Builder::new()
            .prefix("szk-disk-")
            .tempdir()
            .expect("a folder can be made");
        let disk = Self { folder };
        let options = format!("size={megabytes}m,mode=700,uid={}", geteuid().as_raw());
        run(as_root("mount")
            .args(["-t", "tmpfs", "-o", &options, "tmpfs"])
            .arg(disk.path()));
        disk
    }

    /// Where it is.
    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Fills what is free; returns the file that does it.
    pub(crate) fn fill(&self) -> PathBuf {
        let path = self.path().join("filler");
        let mut file = File::create(&path).unwrap();
        // Smaller and smaller, until not one byte more fits.
        for size in [1 << 16, 1 << 10, 1] {
            let chunk = vec![b'x'; size];
            while file.write_all(&chunk).is_ok() {}
        }
        path
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        // Lazily: what still holds it lets go by itself.
        let _ = as_root("umount").arg("-l").arg(self.path()).status();
    }
}

/// A file or folder that nobody can change, not even root; thawed when dropped.
pub(crate) struct Frozen(PathBuf);

impl Frozen {
    pub(crate) fn new(path: &Path) -> Self {
        run(as_root("chattr").arg("+i").arg(path));
        Self(fs::canonicalize(path).unwrap())
    }
}

impl Drop for Frozen {
    fn drop(&mut self) {
        let _ = as_root("chattr").arg("-i").arg(&self.0).status();
    }
}

/// A command that only root may run.
fn as_root(program: &str) -> Command {
    if geteuid().is_root() {
        return Command::new(program);
    }
    let mut command = Command::new("sudo");
    command.args(["-n", program]);
    command
}

#[track_caller]
fn run(command: &mut Command) {
    let output = command
        .output()
        .unwrap_or_else(|error| panic!("{command:?}: {error}"));
    assert!(
        output.status.success(),
        "{command:?}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
}
