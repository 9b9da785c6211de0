//! An X server (Xvfb) for one browser, on a machine without a display.
//!
//! It ends by itself when its last client has gone, so none outlives the keeper and Chromium, however
//! they end. Only those two know its password: any user of the machine could connect otherwise, see the
//! pages and type into them.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use szk_config::Identity;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::UnixStream;
use tokio::process::{Child, Command};

use super::flags::{bar, screen};

/// How long the server may take to start.
const START_LIMIT: Duration = Duration::from_secs(10);
/// How long it may take to end after its last client.
const END_LIMIT: Duration = Duration::from_secs(2);

/// The one way of X11 to prove that one may connect.
const METHOD: &str = "MIT-MAGIC-COOKIE-1";
/// Its secret.
type Cookie = [u8; 16];

/// A running server. Killed on drop, if [`Display::end`] has not ended it.
pub(super) struct Display {
    server: Child,
    name: String,
    password: PathBuf,
    /// Keeps the settings of the screen, and the server, until Chromium has connected.
    client: UnixStream,
}

impl Display {
    /// Starts one with the screen of this identity. `folder` is private, and removed with the browser's
    /// other temporary files.
    pub(super) async fn start(identity: &Identity, folder: &Path) -> io::Result<Self> {
        let late = |_| io::Error::new(io::ErrorKind::TimedOut, "it did not answer within 10 s");
        let started = tokio::time::timeout(START_LIMIT, Self::started(identity, folder));
        started.await.map_err(late)?
    }

    async fn started(identity: &Identity, folder: &Path) -> io::Result<Self> {
        let mut cookie = Cookie::default();
        getrandom::fill(&mut cookie).map_err(io::Error::other)?;
        let password = folder.join("Xauthority");
        szk_store::atomic::write(&password, &authority(&cookie)).map_err(io::Error::other)?;
        let factor = identity.device_scale_factor.unwrap_or(1.0);
        let device = |css: u32| (f64::from(css) * factor).round() as u32;
        let (width, height) = screen(identity);
        let size = (device(width), device(height));
        let mut server = Command::new("Xvfb")
            .args(["-displayfd", "1", "-nolisten", "tcp", "-terminate", "-auth"])
            .arg(&password)
            .args(["-screen", "0", &format!("{}x{}x24", size.0, size.1)])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            // Ctrl-C in a terminal is for the keeper.
            .process_group(0)
            .kill_on_drop(true)
            .spawn()?;
        let mut number = String::new();
        if let Some(stdout) = server.stdout.take() {
            BufReader::new(stdout).read_line(&mut number).await?;
        }
        let number: u32 = number.trim().parse().map_err(|_| {
            io::Error::other("it ended at once; run `Xvfb -displayfd 1` to see why")
        })?;
        let mut client = UnixStream::connect(format!("/tmp/.X11-unix/X{number}")).await?;
        publish_work_area(&mut client, &cookie, size, device(bar(identity))).await?;
        Ok(Self {
            server,
            name: format!(":{number}"),
            password,
            client,
        })
    }

    /// What a program needs to draw on it.
    pub(super) fn environment(&self) -> [(&'static str, OsString); 2] {
        [
            ("DISPLAY", OsString::from(&self.name)),
            ("XAUTHORITY", self.password.clone().into()),
        ]
    }

    /// Ends it; call this when the browser has exited.
    pub(super) async fn end(self) {
        let Self {
            mut server, client, ..
        } = self;
        drop(client);
        // Err: it is killed on drop.
        let _ = tokio::time::timeout(END_LIMIT, server.wait()).await;
    }
}

/// The file that says how to connect to any display: one entry of family "wild".
fn authority(cookie: &Cookie) -> Vec<u8> {
    let mut file = vec![0xff, 0xff, 0, 0, 0, 0];
    for field in [METHOD.as_bytes(), cookie] {
        file.extend((field.len() as u16).to_be_bytes());
        file.extend(field);
    }
    file
}

/// Connects, and sets `_NET_WORKAREA` of the first screen, which is all of a window manager that pages
/// see. The requests follow the X11 protocol, with the low byte first.
async fn publish_work_area(
    x: &mut UnixStream,
    cookie: &Cookie,
    (width, height): (u32, u32),
    bar: u32,
) -> io::Result<()> {
    x.write_all(&greeting(cookie)).await?;
    let mut head = [0; 8];
    x.read_exact(&mut head).await?;
    let mut setup = vec![0; usize::from(u16::from_le_bytes([head[6], head[7]])) * 4];
    x.read_exact(&mut setup).await?;
    let root = if head[0] == 1 { root(&setup) } else { None };
    let root = root.ok_or_else(|| io::Error::other("it refuses its own password"))?;
    // InternAtom of a name of 13 letters, padded to 16.
    x.write_all(&words(&[0x0006_0010, 13])).await?;
    x.write_all(b"_NET_WORKAREA\0\0\0").await?;
    let mut reply = [0; 32];
    x.read_exact(&mut reply).await?;
    let atom = word(&reply, 8).unwrap_or_default();
    // ChangeProperty: replace, CARDINAL (6), 32 bits, four values.
    let area = [0, bar, width, height - bar];
    x.write_all(&words(&[0x000a_0012, root, atom, 6, 32, 4]))
        .await?;
    x.write_all(&words(&area)).await?;
    // GetInputFocus, only for its answer: everything before it is done by then.
    x.write_all(&words(&[0x0001_002b])).await?;
    x.read_exact(&mut reply).await?;
    Ok(())
}

/// Set-up of a connection: version 11.0, with the password.
fn greeting(cookie: &Cookie) -> Vec<u8> {
    let mut greeting = vec![b'l', 0, 11, 0, 0, 0];
    greeting.extend((METHOD.len() as u16).to_le_bytes());
    greeting.extend((cookie.len() as u16).to_le_bytes());
    greeting.extend([0, 0]);
    greeting.extend(METHOD.as_bytes());
    greeting.resize(greeting.len().next_multiple_of(4), 0);
    greeting.extend(cookie);
    greeting
}

/// The root window of the first screen, from the server's answer to the greeting.
fn root(setup: &[u8]) -> Option<u32> {
    let vendor = u16::from_le_bytes([*setup.get(16)?, *setup.get(17)?]);
    let formats = usize::from(*setup.get(21)?);
    word(
        setup,
        32 + usize::from(vendor).next_multiple_of(4) + formats * 8,
    )
}

fn words(values: &[u32]) -> Vec<u8> {
    values
        .iter()
        .flat_map(|value| value.to_le_bytes())
        .collect()
}

fn word(bytes: &[u8], at: usize) -> Option<u32> {
    let bytes = bytes.get(at..at + 4)?;
    Some(u32::from_le_bytes(bytes.try_into().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_password_is_in_the_file_and_in_the_greeting() {
        let file = authority(&[7; 16]);
        assert_eq!(file[..8], [0xff, 0xff, 0, 0, 0, 0, 0, 18]);
        assert_eq!(&file[8..26], METHOD.as_bytes());
        assert_eq!(file[26..], [&[0, 16][..], &[7; 16]].concat());
        let greeting = greeting(&[7; 16]);
        assert_eq!(greeting.len(), 12 + 20 + 16);
        assert_eq!(greeting[..10], [b'l', 0, 11, 0, 0, 0, 18, 0, 16, 0]);
        assert_eq!(greeting[32..], [7; 16]);
    }

    #[test]
    fn the_root_window_is_behind_vendor_and_formats() {
        let mut setup = vec![0; 32];
        setup[16] = 5;
        setup[21] = 2;
        setup.extend([0; 8 + 16]);
        setup.extend([1, 2, 0, 0]);
        assert_eq!(root(&setup), Some(0x201));
        assert_eq!(root(&setup[..58]), None);
        assert_eq!(root(&[]), None);
    }
}
