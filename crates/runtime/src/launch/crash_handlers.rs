//! Chromium's crash handlers. They are not in its process group, and exit a moment after it.

use std::fs;
use std::path::Path;

/// The name of their program, of which the system keeps the first letters.
const PROGRAM: &str = "chrome_crashpad_handler";
const KEPT: usize = 15;

/// Whether a handler is left of the Chromium that had this folder for temporary files.
pub(super) fn are_left(temporary: &Path) -> bool {
    let Ok(entries) = fs::read_dir("/proc") else {
        return false;
    };
    let mut folder = b"TMPDIR=".to_vec();
    folder.extend(temporary.as_os_str().as_encoded_bytes());
    entries.flatten().any(|process| {
        let path = process.path();
        let name = fs::read_to_string(path.join("comm"));
        name.is_ok_and(|name| name.trim_end() == &PROGRAM[..KEPT])
            && fs::read(path.join("environ")).is_ok_and(|environment| {
                environment
                    .split(|byte| *byte == 0)
                    .any(|one| one == folder)
            })
    })
}

#[cfg(test)]
mod tests {
    use std::process::Command;
    use std::thread;
    use std::time::{Duration, Instant};

    use super::*;

    #[test]
    fn a_handler_is_known_by_its_program_and_its_browsers_folder() {
        let folder = tempfile::tempdir().unwrap();
        let program = folder.path().join(PROGRAM);
        std::os::unix::fs::symlink("/bin/sleep", &program).unwrap();
        assert!(!are_left(folder.path()));
        let mut handler = Command::new(program)
            .arg("60")
            .env("TMPDIR", folder.path())
            .spawn()
            .unwrap();
        // It has its name a moment after it was started.
        let began = Instant::now();
        while !are_left(folder.path()) {
            assert!(began.elapsed() < Duration::from_secs(10));
            thread::sleep(Duration::from_millis(5));
        }
        assert!(!are_left(&folder.path().join("other")));
        handler.kill().unwrap();
        handler.wait().unwrap();
        assert!(!are_left(folder.path()));
    }
}
