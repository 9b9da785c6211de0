//! What is asked of the X server.

use std::os::unix::net::UnixStream;

use x11rb::connection::Connection;
use x11rb::protocol::xproto::{
    AtomEnum, BUTTON_PRESS_EVENT, BUTTON_RELEASE_EVENT, ConfigureWindowAux, ConnectionExt as _,
    KEY_PRESS_EVENT, KEY_RELEASE_EVENT, MOTION_NOTIFY_EVENT, MapState, PropMode, StackMode, Window,
};
use x11rb::protocol::xtest::ConnectionExt as _;
use x11rb::rust_connection::{DefaultStream, RustConnection};
use x11rb::wrapper::ConnectionExt as _;

/// The one way of X11 to prove that one may connect.
const METHOD: &[u8] = b"MIT-MAGIC-COOKIE-1";
/// What the key Escape is called.
const ESCAPE: u32 = 0xff1b;

/// The screen cannot be worked.
#[derive(Debug, thiserror::Error)]
pub enum ScreenError {
    /// Its server is gone, or about to go.
    #[error("the display has ended")]
    Ended,
    /// Its server does not answer.
    #[error("the display does not answer")]
    Late,
    /// Somebody else does not let go of the mouse.
    #[error("the mouse of the display is in use")]
    Taken,
    /// Its server says no.
    #[error("the display refuses: {0}")]
    Refused(String),
}

/// A window that gets input, in pixels of the screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Front {
    /// Its number.
    pub window: u32,
    /// Its left edge.
    pub x: i32,
    /// Its upper edge.
    pub y: i32,
    /// How wide it is.
    pub width: u32,
    /// How high it is.
    pub height: u32,
}

/// The pointer, in pixels of the screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pointer {
    /// From the left.
    pub x: i32,
    /// From the top.
    pub y: i32,
    /// The window below it; 0 where there is none.
    pub window: u32,
}

/// A connection to the server.
pub(crate) struct Client {
    x: RustConnection,
    root: Window,
    size: (u32, u32),
    /// Names of the server for the kind of a window, and for menus.
    kind: u32,
    menu: u32,
    /// The key Escape.
    escape: Option<u8>,
}

impl Client {
    pub(crate) fn connect(stream: UnixStream, cookie: Vec<u8>) -> Result<Self, ScreenError> {
        let (stream, _) = DefaultStream::from_unix_stream(stream).map_err(refused)?;
        let method = METHOD.to_vec();
        let x = RustConnection::connect_to_stream_with_auth_info(stream, 0, method, cookie);
        let x = x.map_err(refused)?;
        let screen = x.setup().roots.first();
        let screen = screen.ok_or_else(|| ScreenError::Refused("it has no screen".to_owned()))?;
        let root = screen.root;
        let size = (
            screen.width_in_pixels.into(),
            screen.height_in_pixels.into(),
        );
        x.xtest_get_version(2, 2)
            .map_err(refused)?
            .reply()
            .map_err(refused)?;
        let [kind, menu] =
            ["_NET_WM_WINDOW_TYPE", "_NET_WM_WINDOW_TYPE_MENU"].map(|name| atom(&x, name));
        let escape = key(&x, ESCAPE)?;
        Ok(Self {
            kind: kind?,
            menu: menu?,
            x,
            root,
            size,
            escape,
        })
    }

    pub(crate) fn publish_work_area(&self, panel: u32) -> Result<(), ScreenError> {
        let name = atom(&self.x, "_NET_WORKAREA")?;
        let area = [0, panel, self.size.0, self.size.1.saturating_sub(panel)];
        let kind = AtomEnum::CARDINAL;
        let set = (self.x).change_property32(PropMode::REPLACE, self.root, name, kind, &area);
        set.map_err(refused)?.check().map_err(refused)
    }

    pub(crate) fn front(&self) -> Result<Option<Front>, ScreenError> {
        let focus = self.x.get_input_focus().map_err(refused)?;
        let focus = focus.reply().map_err(refused)?.focus;
        let windows = self.windows()?;
        // A window has the focus, or something inside of it; 0 and 1 stand for none.
        let mut window = focus;
        while !windows.contains(&window) {
            if window <= 1 || window == self.root {
                return Ok(None);
            }
            let tree = self.x.query_tree(window).map_err(refused)?;
            window = tree.reply().map_err(refused)?.parent;
        }
        if self.has_menu()? {
            return Ok(None);
        }
        let above = windows.iter().rev().take_while(|one| **one != window);
        for one in above {
            if self.is_shown(*one) && !self.belongs_to_another(*one) {
                let up = ConfigureWindowAux::new().stack_mode(StackMode::ABOVE);
                let raised = self.x.configure_window(window, &up).map_err(refused)?;
                raised.check().map_err(refused)?;
                break;
            }
        }
        let place = self.x.get_geometry(window).map_err(refused)?;
        let place = place.reply().map_err(refused)?;
        Ok(Some(Front {
            window,
            x: place.x.into(),
            y: place.y.into(),
            width: place.width.into(),
            height: place.height.into(),
        }))
    }

    pub(crate) fn pointer(&self) -> Result<Pointer, ScreenError> {
        // What the server tells unasked is about its keyboard: nobody needs it.
        while let Ok(Some(_)) = self.x.poll_for_event() {}
        let pointer = self.x.query_pointer(self.root).map_err(refused)?;
        let pointer = pointer.reply().map_err(refused)?;
        Ok(Pointer {
            x: pointer.root_x.into(),
            y: pointer.root_y.into(),
            window: pointer.child,
        })
    }

    pub(crate) fn has_menu(&self) -> Result<bool, ScreenError> {
        let windows = self.windows()?;
        Ok(windows
            .into_iter()
            .any(|window| self.is_menu(window) && self.is_shown(window)))
    }

    pub(crate) fn move_to(&self, x: i32, y: i32) -> Result<(), ScreenError> {
        self.move_after(0, x, y)
    }

    /// The same so many milliseconds after what was sent before has happened.
    pub(crate) fn move_after(&self, after: u32, x: i32, y: i32) -> Result<(), ScreenError> {
        let edge = |at: i32, size: u32| {
            let last = i32::try_from(size).unwrap_or(i32::MAX).max(1) - 1;
            i16::try_from(at.clamp(0, last)).unwrap_or(i16::MAX)
        };
        let at = (edge(x, self.size.0), edge(y, self.size.1));
        self.fake(MOTION_NOTIFY_EVENT, 0, after, at)
    }

    /// So many milliseconds after what was sent before has happened.
    pub(crate) fn button_after(
        &self,
        after: u32,
        button: u8,
        down: bool,
    ) -> Result<(), ScreenError> {
        let kind = match down {
            true => BUTTON_PRESS_EVENT,
            false => BUTTON_RELEASE_EVENT,
        };
        self.fake(kind, button, after, (0, 0))
    }

    pub(crate) fn escape(&self) -> Result<(), ScreenError> {
        let key = self.escape.ok_or(ScreenError::Ended)?;
        self.fake(KEY_PRESS_EVENT, key, 0, (0, 0))?;
        self.fake(KEY_RELEASE_EVENT, key, 0, (0, 0))
    }

    /// An event of a device.
    fn fake(&self, kind: u8, detail: u8, after: u32, at: (i16, i16)) -> Result<(), ScreenError> {
        let sent = (self.x).xtest_fake_input(kind, detail, after, self.root, at.0, at.1, 0);
        sent.map_err(refused)?.ignore_error();
        self.x.flush().map_err(refused)
    }

    /// All windows, from the rearmost to the one in front.
    fn windows(&self) -> Result<Vec<Window>, ScreenError> {
        let tree = self.x.query_tree(self.root).map_err(refused)?;
        Ok(tree.reply().map_err(refused)?.children)
    }

    /// Windows come and go: one that is gone is not shown.
    fn is_shown(&self, window: Window) -> bool {
        let asked = self.x.get_window_attributes(window).ok();
        let told = asked.and_then(|asked| asked.reply().ok());
        told.is_some_and(|told| told.map_state == MapState::VIEWABLE)
    }

    fn is_menu(&self, window: Window) -> bool {
        self.first(window, self.kind, AtomEnum::ATOM) == Some(self.menu)
    }

    /// Bubbles, menus, lists and tooltips belong to the window that they are about.
    fn belongs_to_another(&self, window: Window) -> bool {
        let asked = self.x.get_window_attributes(window).ok();
        let told = asked.and_then(|asked| asked.reply().ok());
        let floats = told.is_some_and(|told| told.override_redirect);
        let transient = u32::from(AtomEnum::WM_TRANSIENT_FOR);
        floats
            || self
                .first(window, transient, AtomEnum::WINDOW)
                .is_some_and(|owner| owner > 1)
    }

    /// The first value of a property.
    fn first(&self, window: Window, name: u32, kind: AtomEnum) -> Option<u32> {
        let asked = self.x.get_property(false, window, name, kind, 0, 1).ok()?;
        asked.reply().ok()?.value32()?.next()
    }
}

fn atom(x: &RustConnection, name: &str) -> Result<u32, ScreenError> {
    let asked = x.intern_atom(false, name.as_bytes()).map_err(refused)?;
    Ok(asked.reply().map_err(refused)?.atom)
}

/// The key that means this, by itself.
fn key(x: &RustConnection, wanted: u32) -> Result<Option<u8>, ScreenError> {
    let (first, last) = (x.setup().min_keycode, x.setup().max_keycode);
    let asked = x.get_keyboard_mapping(first, last - first + 1);
    let told = asked.map_err(refused)?.reply().map_err(refused)?;
    let width = usize::from(told.keysyms_per_keycode).max(1);
    let mut keys = (first..=last).zip(told.keysyms.chunks(width));
    let found = keys.find(|(_, means)| means.first() == Some(&wanted));
    Ok(found.map(|(key, _)| key))
}

fn refused(error: impl std::fmt::Display) -> ScreenError {
    ScreenError::Refused(error.to_string())
}
