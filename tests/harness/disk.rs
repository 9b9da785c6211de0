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
        Self::with(&format!("size={megabytes}m"))
    }

    /// Mounts one that can hold so many files.
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

impl SmallDisk {
    /// Makes empty files until there cannot be one more; returns the folder that has them. Programs remove
    /// files too: what they leave is filled when it is called again.
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

/// A folder that is read-only for whoever opens a file in it from now on, as after a disk error; writable
/// again when dropped. What was open for writing before stays so.
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
        // Lazily: what still holds it lets go by itself.
        let _ = as_root("umount").arg("-l").arg(&self.0).status();
    }
}

/// Makes a file that of somebody else.
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
