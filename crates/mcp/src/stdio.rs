//! The process's own stdin and stdout as the two ends of the wire.

use std::io::{self, Read, Write};

/// Takes over stdin and stdout. From then on, anything else that prints to stdout goes to stderr, and
/// no child process inherits the pipe to the client.
///
/// # Errors
/// The descriptors cannot be duplicated.
#[cfg(unix)]
pub(crate) fn take() -> io::Result<(impl Read + Send, impl Write + Send)> {
    let input = rustix::io::fcntl_dupfd_cloexec(io::stdin(), 3)?;
    let output = rustix::io::fcntl_dupfd_cloexec(io::stdout(), 3)?;
    rustix::stdio::dup2_stdout(io::stderr())?;
    Ok((Patient(input), Patient(output)))
}

/// Takes stdin and stdout.
///
/// # Errors
/// None; the signature matches the Unix version.
#[cfg(not(unix))]
pub(crate) fn take() -> io::Result<(impl Read + Send, impl Write + Send)> {
    Ok((io::stdin(), io::stdout()))
}

/// A descriptor that waits where a non-blocking one would fail.
///
/// The parent process may share the open file with us and have made it non-blocking, which would cut a
/// large answer off in the middle.
#[cfg(unix)]
struct Patient(std::os::fd::OwnedFd);

#[cfg(unix)]
impl Patient {
    fn retry<T>(
        &self,
        wait_for: rustix::event::PollFlags,
        mut attempt: impl FnMut(&std::os::fd::OwnedFd) -> rustix::io::Result<T>,
    ) -> io::Result<T> {
        loop {
            match attempt(&self.0) {
                Err(rustix::io::Errno::INTR) => {}
                Err(rustix::io::Errno::AGAIN) => {
                    let mut waits = [rustix::event::PollFd::new(&self.0, wait_for)];
                    match rustix::event::poll(&mut waits, None) {
                        Ok(_) | Err(rustix::io::Errno::INTR) => {}
                        Err(error) => return Err(error.into()),
                    }
                }
                other => return other.map_err(io::Error::from),
            }
        }
    }
}

#[cfg(unix)]
impl Read for Patient {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.retry(rustix::event::PollFlags::IN, |fd| {
            rustix::io::read(fd, &mut *buffer)
        })
    }
}

#[cfg(unix)]
impl Write for Patient {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.retry(rustix::event::PollFlags::OUT, |fd| {
            rustix::io::write(fd, bytes)
        })
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn a_non_blocking_descriptor_is_waited_for() {
        let (reader, writer) = std::os::unix::net::UnixStream::pair().unwrap();
        reader.set_nonblocking(true).unwrap();
        writer.set_nonblocking(true).unwrap();
        let (mut reader, mut writer) = (Patient(reader.into()), Patient(writer.into()));
        // More than any socket buffer holds, so both sides must wait for each other.
        let sent = vec![7_u8; 4 << 20];
        let copy = sent.clone();
        let thread = std::thread::spawn(move || writer.write_all(&copy));
        let mut got = Vec::new();
        reader.read_to_end(&mut got).unwrap();
        thread.join().unwrap().unwrap();
        assert_eq!(got, sent);
    }
}
