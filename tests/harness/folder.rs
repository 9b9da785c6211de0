//! Where the folders of tests are: in memory where that is large enough, because a browser that starts and ends
//! writes a lot, and no test asks a disk to keep anything.

use std::path::{Path, PathBuf};

use rustix::fs::{StatVfsMountFlags, statvfs};
use tempfile::TempDir;

/// What must be free in memory: a few profiles at a time, and the largest of them has 2 GB.
const ENOUGH: u64 = 6 << 30;

/// An empty folder with a short path: that of a Unix socket has about 100 bytes.
pub(crate) fn folder(prefix: &str) -> TempDir {
    tempfile::Builder::new()
        .prefix(prefix)
        .tempdir_in(parent())
        .expect("a folder can be made")
}

fn parent() -> PathBuf {
    let memory = Path::new("/dev/shm");
    match statvfs(memory) {
        Ok(space)
            if space.f_bavail * space.f_frsize >= ENOUGH
                && !space.f_flag.contains(StatVfsMountFlags::NOEXEC) =>
        {
            memory.to_owned()
        }
        _ => std::env::temp_dir(),
    }
}
