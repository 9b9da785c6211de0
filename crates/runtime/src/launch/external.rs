//! Links to other programs (`tel:`, `slack:`) in a browser that nobody sees.
//!
//! Chromium asks whether to open the program, in a prompt that blocks all input to the tab until it is answered.
//! Without a window nobody can answer it, and no command closes it. Chromium does not ask about schemes whose
//! program it is itself, because it would open nothing: so it is told that it is the program of every scheme. It
//! finds that out with `xdg-settings`, by `PATH`. Pages see what they see of a prompt that is refused: nothing.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

/// Folder in the browser's temporary files.
const FOLDER: &str = "programs";
/// The program that Chromium asks. Everything else is asked of the system's own, which comes next in `PATH`.
const ANSWERS: &str = "#!/bin/sh
case \"$1 $2\" in
    'check default-url-scheme-handler') echo yes ;;
    *) PATH=${PATH#*:} exec xdg-settings \"$@\" ;;
esac
";

/// The `PATH` of a browser that opens no other program.
///
/// # Errors
/// The folder cannot be written, or cannot be in a `PATH`.
pub(super) fn opens_nothing(temporary: &Path, path: &OsStr) -> io::Result<OsString> {
    let folder = temporary.join(FOLDER);
    fs::create_dir_all(&folder)?;
    let program = folder.join("xdg-settings");
    fs::write(&program, ANSWERS)?;
    fs::set_permissions(&program, fs::Permissions::from_mode(0o700))?;
    let folders = std::iter::once(folder).chain(std::env::split_paths(path));
    std::env::join_paths(folders).map_err(io::Error::other)
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    #[test]
    fn only_the_question_of_schemes_is_answered_here() {
        let dir = tempfile::tempdir().unwrap();
        let system = dir.path().join("system");
        fs::create_dir(&system).unwrap();
        let own = system.join("xdg-settings");
        fs::write(&own, "#!/bin/sh\necho \"system: $*\"\n").unwrap();
        fs::set_permissions(&own, fs::Permissions::from_mode(0o700)).unwrap();
        let path = opens_nothing(dir.path(), system.as_os_str()).unwrap();
        let ask = |arguments: &[&str]| {
            let program = dir.path().join(FOLDER).join("xdg-settings");
            let mut command = Command::new(program);
            let output = command.args(arguments).env("PATH", &path).output().unwrap();
            String::from_utf8(output.stdout).unwrap()
        };
        let scheme = "default-url-scheme-handler";
        assert_eq!(ask(&["check", scheme, "tel", "chromium.desktop"]), "yes\n");
        assert_eq!(
            ask(&["set", scheme, "web+a", "chromium.desktop"]),
            format!("system: set {scheme} web+a chromium.desktop\n")
        );
        assert_eq!(
            ask(&["check", "default-web-browser", "chromium.desktop"]),
            "system: check default-web-browser chromium.desktop\n"
        );
    }
}
