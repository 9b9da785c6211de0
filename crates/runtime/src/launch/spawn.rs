//! Spawns the child process with its two pipes: Chromium reads commands from fd 3 and writes to fd 4.

use std::ffi::OsString;
use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::path::Path;
use std::process::Stdio;

use rustix::io::fcntl_dupfd_cloexec;
use rustix::pipe::{PipeFlags, pipe_with};
use tokio::net::unix::pipe;
use tokio::process::{Child, Command};

use super::display::Display;
#[cfg(target_os = "linux")]
use super::external;
use super::{Plan, environment, flags};

/// The child and our ends of its pipes.
pub(crate) struct Spawned {
    pub(crate) child: Child,
    pub(crate) reader: pipe::Receiver,
    pub(crate) writer: pipe::Sender,
}

/// Move descriptors above this before setting 3 and 4, so that neither overwrites the other.
const ABOVE: i32 = 10;

/// Starts Chromium in a process group of its own, so that Ctrl-C in a terminal reaches only the keeper,
/// and so that all its processes can be signalled together.
///
/// `temporary` is the folder for its temporary files, `display` what it draws on if not the user's.
pub(super) fn spawn(
    plan: &Plan,
    temporary: &Path,
    display: Option<&Display>,
) -> io::Result<Spawned> {
    let (commands_out, commands_in) = pipe_with(PipeFlags::CLOEXEC)?;
    let (replies_out, replies_in) = pipe_with(PipeFlags::CLOEXEC)?;
    let theirs: [OwnedFd; 2] = [
        fcntl_dupfd_cloexec(&commands_out, ABOVE)?,
        fcntl_dupfd_cloexec(&replies_in, ABOVE)?,
    ];
    let mut command = Command::new(&plan.binary);
    command
        .args(flags(plan))
        .envs(environment(plan))
        .envs(display.into_iter().flat_map(Display::environment))
        .env("TMPDIR", temporary)
        .envs(path(plan, temporary).map(|path| ("PATH", path)))
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .process_group(0);
    let (read, write) = (theirs[0].as_raw_fd(), theirs[1].as_raw_fd());
    // SAFETY: between fork and exec only dup2 is called, which is async-signal-safe; both sources
    // stay open in this process until `spawn` has returned, and are not 3 or 4 themselves.
    #[allow(unsafe_code)]
    unsafe {
        command.pre_exec(move || duplicate(read, 3).and_then(|()| duplicate(write, 4)));
    }
    let child = command.spawn()?;
    drop(theirs);
    drop((commands_out, replies_in));
    Ok(Spawned {
        child,
        reader: pipe::Receiver::from_owned_fd(nonblocking(replies_out)?)?,
        writer: pipe::Sender::from_owned_fd(nonblocking(commands_in)?)?,
    })
}

/// The programs that a browser finds, where they are not those of this process: nobody sees one without a window, and
/// could answer its prompts.
#[cfg(target_os = "linux")]
fn path(plan: &Plan, temporary: &Path) -> Option<OsString> {
    if plan.mode == super::Mode::Window {
        return None;
    }
    let path = std::env::var_os("PATH")?;
    external::opens_nothing(temporary, &path)
        .inspect_err(|error| tracing::warn!(%error, "links to other programs may block their tab"))
        .ok()
}

#[cfg(not(target_os = "linux"))]
fn path(_: &Plan, _: &Path) -> Option<OsString> {
    None
}

/// Starts Chromium without a pipe, for [`super::ByHand`]. On Linux a signal ends it when this process
/// exits; other systems cannot do that.
pub(super) fn by_hand(
    binary: &Path,
    flags: &[OsString],
    environment: &[(&'static str, OsString)],
) -> io::Result<Child> {
    let mut command = Command::new(binary);
    command
        .args(flags)
        .envs(environment.iter().cloned())
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .process_group(0)
        .kill_on_drop(true);
    #[cfg(target_os = "linux")]
    // SAFETY: between fork and exec only one system call is made, which is async-signal-safe.
    #[allow(unsafe_code)]
    unsafe {
        command.pre_exec(|| {
            rustix::process::set_parent_process_death_signal(Some(rustix::process::Signal::KILL))?;
            Ok(())
        });
    }
    command.spawn()
}

/// `dup2` without the close-on-exec flag.
fn duplicate(from: i32, to: i32) -> io::Result<()> {
    // SAFETY: plain system call on two integers.
    #[allow(unsafe_code)]
    let result = unsafe { libc::dup2(from, to) };
    if result == -1 {
        Err(io::Error::last_os_error())
    } else {
        Ok(())
    }
}

fn nonblocking(fd: OwnedFd) -> io::Result<OwnedFd> {
    rustix::io::ioctl_fionbio(&fd, true)?;
    Ok(fd)
}
