//! Child processes: this test program again, playing a role.

use std::env;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};

use szk_store::{Name, Profile, Store};

const ROLE: &str = "SZK_STORE_TEST_ROLE";
const ROOT: &str = "SZK_STORE_TEST_ROOT";

/// What the child does. It gets the profile `p` of the store it was started for.
type Role = fn(Profile);

const ROLES: [(&str, Role); 10] = [
    ("lock", super::locks::child_locks),
    ("count", super::locks::child_counts),
    ("token", super::locks::child_gets_token),
    ("clone", super::locks::child_makes_clone),
    ("umask", super::umask::child_makes_everything),
    ("full", super::disk::child_fills_disk),
    ("read-only", super::disk::child_reads_only),
    ("mounted-read-only", super::disk::child_mounts_read_only),
    ("stuck", super::disk::child_cannot_remove),
    ("cycle", super::disk::child_lives_a_life),
];

/// Entry point of a child; does nothing in the tests' own process.
#[test]
fn role() {
    let Ok(role) = env::var(ROLE) else { return };
    let (_, act) = ROLES.iter().find(|(name, _)| *name == role).unwrap();
    let store = Store::at(env::var_os(ROOT).unwrap().into());
    act(store.profile(&Name::parse("p").unwrap()));
}

/// The command that plays a role, appended to another command that ends by exec'ing it.
pub(crate) fn command(before: &[&str], role: &str, root: &Path) -> Command {
    // Through the link, because a role may run as a user who cannot enter this program's folder; the
    // command in front would take it for a link to itself.
    let exe = match before {
        [] => "/proc/self/exe".into(),
        _ => env::current_exe().unwrap(),
    };
    let mut words: Vec<&std::ffi::OsStr> = before.iter().map(AsRef::as_ref).collect();
    words.push(exe.as_os_str());
    let mut command = Command::new(words[0]);
    command
        .args(&words[1..])
        .args(["--exact", "child::role", "--nocapture", "--test-threads=1"])
        .env(ROLE, role)
        .env(ROOT, root);
    command
}

/// A child to talk to line by line. Killed on drop.
pub(crate) struct Talker {
    child: Child,
    stdin: Option<ChildStdin>,
    stdout: BufReader<ChildStdout>,
}

pub(crate) fn talk(role: &str, root: &Path) -> Talker {
    let mut child = command(&[], role, root)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    Talker {
        stdin: child.stdin.take(),
        stdout: BufReader::new(child.stdout.take().unwrap()),
        child,
    }
}

impl Talker {
    /// The child's next line; panics if it exits without one.
    pub(crate) fn hear(&mut self) -> String {
        let mut line = String::new();
        loop {
            line.clear();
            assert_ne!(
                self.stdout.read_line(&mut line).unwrap(),
                0,
                "the child is gone"
            );
            if let Some(said) = line.trim_end().strip_prefix('@') {
                return said.to_owned();
            }
        }
    }

    /// Lets the child continue.
    pub(crate) fn go(&mut self) {
        self.stdin.as_mut().unwrap().write_all(b"\n").unwrap();
    }

    pub(crate) fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    pub(crate) fn finish(mut self) -> ExitStatus {
        drop(self.stdin.take());
        self.child.wait().unwrap()
    }
}

impl Drop for Talker {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// In a child: prints a message. It starts a new line, whatever the test runner wrote before.
pub(crate) fn say(what: &str) {
    println!("\n@{what}");
}

/// In a child: waits for `go`, or for the parent to be gone.
pub(crate) fn wait() {
    std::io::stdin().read_line(&mut String::new()).unwrap();
}

/// Runs a role to its end; its panics become this test's.
pub(crate) fn run(mut command: Command) {
    let output = command.output().unwrap();
    assert!(
        output.status.success(),
        "{}\n{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
    // A role that was not found would succeed too.
    let stdout = String::from_utf8_lossy(&output.stdout);
    assert!(stdout.contains("1 passed"), "{stdout}");
}

pub(crate) fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

/// Permissions mean nothing to root, so such a role runs as user 65534.
pub(crate) fn as_nobody(command: &mut Command, root: &Path) {
    if is_root() {
        std::os::unix::fs::chown(root, Some(65534), Some(65534)).unwrap();
        command.uid(65534).gid(65534);
    }
}
