//! An X server for one test, with the work area that a desktop's panel leaves.

use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::net::UnixStream;
use std::process::{Child, Command, Stdio};

use super::{SOON, wait_for};

/// Size of the screen in pixels, and height of the panel at its top, as in szk without a display.
const SCREEN: [u32; 2] = [1920, 1080];
const PANEL: u32 = 28;

/// An Xvfb; killed on drop.
pub(crate) struct Display {
    server: Child,
    name: String,
    // Held open: settings of a client on the screen may go with the last client.
    _client: UnixStream,
}

impl Display {
    /// Starts one on a free number.
    pub(crate) fn start() -> Self {
        let mut server = Command::new("Xvfb")
            .args([
                "-displayfd",
                "1",
                "-nolisten",
                "tcp",
                "-noreset",
                "-screen",
                "0",
            ])
            .arg(format!("{}x{}x24", SCREEN[0], SCREEN[1]))
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("Xvfb is installed (scripts/test does)");
        let mut number = String::new();
        let stdout = server.stdout.take().expect("piped");
        BufReader::new(stdout)
            .read_line(&mut number)
            .expect("Xvfb says its number");
        let number = number.trim().to_owned();
        let mut client = wait_for("a connection to Xvfb", SOON, || {
            UnixStream::connect(format!("/tmp/.X11-unix/X{number}")).ok()
        });
        publish_work_area(&mut client).expect("Xvfb speaks X11");
        Self {
            server,
            name: format!(":{number}"),
            _client: client,
        }
    }

    /// The value of `DISPLAY`.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }
}

impl Drop for Display {
    fn drop(&mut self) {
        // Both fail for a process that has exited, which is fine.
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}

/// Sets `_NET_WORKAREA` of the first screen, which is all of a window manager that pages see. The
/// three requests follow the X11 protocol in this kind of machine's byte order (little-endian).
fn publish_work_area(x: &mut UnixStream) -> std::io::Result<()> {
    let words = |values: &[u32]| -> Vec<u8> {
        values
            .iter()
            .flat_map(|value| value.to_le_bytes())
            .collect()
    };
    let word =
        |bytes: &[u8], at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().expect("four"));
    // Set-up: version 11.0, no authentication.
    x.write_all(&[b'l', 0, 11, 0, 0, 0, 0, 0, 0, 0, 0, 0])?;
    let mut head = [0; 8];
    x.read_exact(&mut head)?;
    assert_eq!(head[0], 1, "the X server lets us in");
    let mut setup = vec![0; usize::from(u16::from_le_bytes([head[6], head[7]])) * 4];
    x.read_exact(&mut setup)?;
    let vendor = usize::from(u16::from_le_bytes([setup[16], setup[17]]));
    let formats = usize::from(setup[21]);
    let root = word(&setup, 32 + vendor.next_multiple_of(4) + formats * 8);
    // InternAtom of a name of 13 letters, padded to 16.
    x.write_all(&words(&[0x0006_0010, 13]))?;
    x.write_all(b"_NET_WORKAREA\0\0\0")?;
    let mut reply = [0; 32];
    x.read_exact(&mut reply)?;
    let atom = word(&reply, 8);
    // ChangeProperty: replace, CARDINAL (6), 32 bits, four values.
    let area = [0, PANEL, SCREEN[0], SCREEN[1] - PANEL];
    x.write_all(&words(&[0x000a_0012, root, atom, 6, 32, 4]))?;
    x.write_all(&words(&area))?;
    // GetInputFocus, only for its answer: everything before it is done by then.
    x.write_all(&words(&[0x0001_002b]))?;
    x.read_exact(&mut reply)
}
