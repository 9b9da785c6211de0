//! A handle on the screen, and whose turn it is.

use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use tokio::sync::OwnedMutexGuard;

use crate::client::{Client, Front, Pointer, ScreenError};

/// How long the server may take to answer.
const ANSWERS: Duration = Duration::from_secs(2);
/// How long others may use the mouse before somebody does without it.
const TURN: Duration = Duration::from_secs(15);
/// How long before its time a report of the mouse is sent.
const AHEAD: Duration = Duration::from_millis(40);

/// The screen of an X server; cheap to clone. The server counts as used until [`Screen::leave`].
#[derive(Clone)]
pub struct Screen {
    /// `None` once the server is to end. A std mutex: nothing awaits under it.
    client: Arc<Mutex<Option<Arc<Client>>>>,
    turn: Arc<tokio::sync::Mutex<()>>,
}

/// The mouse is one's own as long as this lives: a screen has only one pointer.
#[derive(Debug)]
pub struct Turn {
    _guard: OwnedMutexGuard<()>,
}

/// Ends a walk on drop.
struct Walking(Arc<AtomicBool>);

impl Default for Walking {
    fn default() -> Self {
        Self(Arc::new(AtomicBool::new(true)))
    }
}

impl Drop for Walking {
    fn drop(&mut self) {
        self.0.store(false, Ordering::Relaxed);
    }
}

impl Screen {
    /// Connects to the server behind this socket, with its password of method `MIT-MAGIC-COOKIE-1`.
    ///
    /// # Errors
    /// [`ScreenError`].
    pub async fn connect(socket: PathBuf, cookie: Vec<u8>) -> Result<Self, ScreenError> {
        let client = blocking(move || {
            let refused = |error: std::io::Error| ScreenError::Refused(error.to_string());
            let stream = UnixStream::connect(socket).map_err(refused)?;
            Client::connect(stream, cookie)
        });
        let client = Mutex::new(Some(Arc::new(client.await?)));
        Ok(Self {
            client: Arc::new(client),
            turn: Arc::default(),
        })
    }

    /// Ends the connection, for all handles.
    pub fn leave(&self) {
        *self.client.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    /// Waits until nobody else uses the mouse, though not for ever.
    ///
    /// # Errors
    /// [`ScreenError::Taken`].
    pub async fn turn(&self) -> Result<Turn, ScreenError> {
        let turn = Arc::clone(&self.turn).lock_owned();
        let guard = tokio::time::timeout(TURN, turn).await;
        guard
            .map(|guard| Turn { _guard: guard })
            .map_err(|_| ScreenError::Taken)
    }

    /// Says how much of the screen a panel at its top leaves to windows, which is all of a desktop that
    /// pages see.
    ///
    /// # Errors
    /// [`ScreenError`].
    pub async fn publish_work_area(&self, panel: u32) -> Result<(), ScreenError> {
        self.ask(move |client| client.publish_work_area(panel))
            .await
    }

    /// The window with the focus, with no other window of its kind before it. `None` if no window has the
    /// focus, or a menu is open, which would get what the mouse does.
    ///
    /// # Errors
    /// [`ScreenError`].
    pub async fn front(&self) -> Result<Option<Front>, ScreenError> {
        self.ask(Client::front).await
    }

    /// Where the pointer is.
    ///
    /// # Errors
    /// [`ScreenError`].
    pub async fn pointer(&self) -> Result<Pointer, ScreenError> {
        self.ask(Client::pointer).await
    }

    /// Whether a menu is open.
    ///
    /// # Errors
    /// [`ScreenError`].
    pub async fn has_menu(&self) -> Result<bool, ScreenError> {
        self.ask(Client::has_menu).await
    }

    /// Moves the pointer to a pixel.
    ///
    /// # Errors
    /// [`ScreenError`]; nothing has moved.
    pub fn move_to(&self, x: i32, y: i32) -> Result<(), ScreenError> {
        self.client()?.move_to(x, y)
    }

    /// Moves the pointer to one pixel after the other, each so long after the one before. Stops when this is
    /// dropped.
    ///
    /// # Errors
    /// [`ScreenError`]; it has not come to the end.
    pub async fn walk(&self, steps: Vec<(i32, i32, Duration)>) -> Result<(), ScreenError> {
        let client = self.client()?;
        let walking = Walking::default();
        let goes_on = Arc::clone(&walking.0);
        let walked = tokio::task::spawn_blocking(move || {
            // How even a mouse's reports are can be seen, so the server itself keeps the times between them, and
            // has some of them in advance. Not all: who is cancelled stops.
            let began = Instant::now();
            let (mut sent, mut told) = (Duration::ZERO, 0);
            for (x, y, after) in steps {
                if !goes_on.load(Ordering::Relaxed) {
                    break;
                }
                sent += after;
                let at = u32::try_from(sent.as_millis()).unwrap_or(u32::MAX);
                client.move_after(at - told, x, y)?;
                told = at;
                thread::sleep(sent.saturating_sub(began.elapsed() + AHEAD));
            }
            // Answered once all of them have happened.
            client.pointer().map(drop)
        });
        let walked = walked.await;
        drop(walking);
        walked.unwrap_or_else(|panic| std::panic::resume_unwind(panic.into_panic()))
    }

    /// Presses a button or lets it go: 1 to 3 from the left, 4 to 7 are notches of the wheel up, down, left
    /// and right.
    ///
    /// # Errors
    /// [`ScreenError`]; nothing has happened.
    pub fn button(&self, button: u8, down: bool) -> Result<(), ScreenError> {
        self.client()?.button_after(0, button, down)
    }

    /// Lets a button go this long after it was pressed, or after whatever was sent last. The server waits by itself,
    /// so that a program that gets no processor meanwhile does not hold the button longer.
    ///
    /// # Errors
    /// [`ScreenError`]; nothing has happened.
    pub fn release_after(&self, time: Duration, button: u8) -> Result<(), ScreenError> {
        let after = u32::try_from(time.as_millis()).unwrap_or(u32::MAX);
        self.client()?.button_after(after, button, false)
    }

    /// Presses Escape, which closes menus and ends drags.
    ///
    /// # Errors
    /// [`ScreenError`]; nothing has happened.
    pub fn escape(&self) -> Result<(), ScreenError> {
        self.client()?.escape()
    }

    fn client(&self) -> Result<Arc<Client>, ScreenError> {
        let client = self.client.lock().unwrap_or_else(PoisonError::into_inner);
        client.clone().ok_or(ScreenError::Ended)
    }

    async fn ask<T: Send + 'static>(
        &self,
        question: impl FnOnce(&Client) -> Result<T, ScreenError> + Send + 'static,
    ) -> Result<T, ScreenError> {
        let client = self.client()?;
        blocking(move || question(&client)).await
    }
}

/// Runs what waits for the server where waiting harms nobody.
async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, ScreenError> + Send + 'static,
) -> Result<T, ScreenError> {
    let done = tokio::time::timeout(ANSWERS, tokio::task::spawn_blocking(work)).await;
    match done {
        Ok(Ok(done)) => done,
        Ok(Err(panic)) => std::panic::resume_unwind(panic.into_panic()),
        Err(_) => Err(ScreenError::Late),
    }
}
