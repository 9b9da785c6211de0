//! Small disks, and files that cannot be written. Both need root or passwordless `sudo`.

use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

use rustix::process::geteuid;

/// A file system of a few megabytes, mounted on a folder; unmounted on drop.
///
/// Declare it before the `TestEnv` that uses it: later declarations are dropped first.
pub(crate) struct SmallDisk {
    folder: tempfile::TempDir,
}

impl SmallDisk {
    /// Mounts one.
    pub(crate) fn mount(megabytes: u32) -> Self {
        Self::with(&format!("size={megabytes}m"))
    }

    /// Mounts one with room for only so many files.
    pub(crate) fn of_files(count: u32) -> Self {
        Self::with(&format!("size=200m,nr_inodes={count}"))
    }

    fn with(limit: &str) -> Self {
        let folder = tempfile::Builder::new()
            .prefix("szk-disk-")
            .tempdir()
            .expect("a folder can be made");
        let disk = Self { folder };
        let options = format!("{limit},mode=700,uid={}", geteuid().as_raw());
        run(as_root("mount")
            .args(["-t", "tmpfs", "-o", &options, "tmpfs"])
            .arg(disk.path()));
        disk
    }

    /// Where it is.
    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Fills the free space; returns the file that does so.
    pub(crate) fn fill(&self) -> PathBuf {
        let path = self.path().join("filler");
        let mut file = File::create(&path).unwrap();
        // Smaller and smaller, until not one more byte fits.
        for size in [1 << 16, 1 << 10, 1] {
            let chunk = vec![b'x'; size];
            while file.write_all(&chunk).is_ok() {}
        }
        path
    }
}

impl SmallDisk {
    /// Creates empty files until no more fit; returns their folder. Programs remove files too: call it
    /// again to fill those places.
    pub(crate) fn fill_with_files(&self) -> PathBuf {
        let folder = self.path().join("fillers");
        let _ = fs::create_dir(&folder);
        let mut count = fs::read_dir(&folder).map_or(0, Iterator::count);
        while File::create(folder.join(format!("{count}"))).is_ok() {
            count += 1;
        }
        folder
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        // Lazily: anything that still holds it lets go on its own.
        let _ = as_root("umount").arg("-l").arg(self.path()).status();
    }
}

/// A file or folder that no one can change, not even root; thawed on drop.
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

/// A folder that is read-only for any file opened from now on, as after a disk error; writable again
/// on drop. Files already open for writing stay writable.
pub(crate) struct ReadOnly(PathBuf);

impl ReadOnly {
    pub(crate) fn mount(folder: &Path) -> Self {
        run(as_root("mount").arg("--bind").arg(folder).arg(folder));
        let mounted = Self(folder.to_owned());
        run(as_root("mount").args(["-o", "remount,bind,ro"]).arg(folder));
        mounted
    }
}

impl Drop for ReadOnly {
    fn drop(&mut self) {
        // Lazily: anything that still holds it lets go on its own.
        let _ = as_root("umount").arg("-l").arg(&self.0).status();
    }
}

/// Gives a file to another user.
pub(crate) fn give_away(path: &Path) {
    run(as_root("chown").arg("12345:12345").arg(path));
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
