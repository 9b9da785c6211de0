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
use szk_screen::Screen;
use tokio::io::{AsyncBufReadExt, BufReader};
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
    screen: Screen,
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
        let socket = PathBuf::from(format!("/tmp/.X11-unix/X{number}"));
        let screen = Screen::connect(socket, cookie.to_vec()).await;
        let screen = screen.map_err(io::Error::other)?;
        let published = screen.publish_work_area(device(bar(identity))).await;
        published.map_err(io::Error::other)?;
        Ok(Self {
            server,
            name: format!(":{number}"),
            password,
            screen,
        })
    }

    /// Its mouse.
    pub(super) fn screen(&self) -> &Screen {
        &self.screen
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
            mut server, screen, ..
        } = self;
        screen.leave();
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_password_is_in_the_file() {
        let file = authority(&[7; 16]);
        assert_eq!(file[..8], [0xff, 0xff, 0, 0, 0, 0, 0, 18]);
        assert_eq!(&file[8..26], METHOD.as_bytes());
        assert_eq!(file[26..], [&[0, 16][..], &[7; 16]].concat());
    }
}
