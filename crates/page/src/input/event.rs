//! Events of CDP's `Input` domain, written as real devices would cause them.

use serde_json::json;
use serde_json::value::{RawValue, to_raw_value};
use szk_cdp::{Connection, Reply, SessionId};

use super::keys::Key;

/// The answer to an event: it comes when the page has dealt with it.
pub type Ack = Reply<Box<RawValue>>;

/// A button of the mouse.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Button {
    /// The primary button.
    #[default]
    Left,
    /// The wheel, pressed.
    Middle,
    /// The button for context menus.
    Right,
}

impl Button {
    fn name(self) -> &'static str {
        match self {
            Self::Left => "left",
            Self::Middle => "middle",
            Self::Right => "right",
        }
    }

    /// Its bit in `MouseEvent.buttons`.
    pub(super) fn bit(self) -> u8 {
        match self {
            Self::Left => 1,
            Self::Right => 2,
            Self::Middle => 4,
        }
    }
}

/// What the mouse does.
#[derive(Debug, Clone, Copy)]
pub(super) enum MouseAction {
    Move,
    Press(Button, u32),
    Release(Button, u32),
    Wheel(i32, i32),
}

/// Where and with what.
#[derive(Debug, Clone, Copy)]
pub(super) struct MouseState {
    pub(super) at: (i32, i32),
    /// Buttons held after the event, as in `MouseEvent.buttons`.
    pub(super) buttons: u8,
    pub(super) modifiers: u8,
}

/// Sends a mouse event now.
pub(super) fn mouse(
    connection: &Connection,
    session: &SessionId,
    action: MouseAction,
    state: MouseState,
) -> Ack {
    let held = match state.buttons {
        0 => "none",
        held if held & 1 != 0 => "left",
        held if held & 2 != 0 => "right",
        _ => "middle",
    };
    // A mouse that is pressed reports half of full pressure.
    let force = if state.buttons == 0 { 0.0 } else { 0.5 };
    let mut params = json!({
        "x": state.at.0, "y": state.at.1, "button": held, "buttons": state.buttons,
        "modifiers": state.modifiers, "force": force, "pointerType": "mouse",
    });
    match action {
        MouseAction::Move => params["type"] = json!("mouseMoved"),
        MouseAction::Press(button, count) => {
            params["type"] = json!("mousePressed");
            params["button"] = json!(button.name());
            params["clickCount"] = json!(count);
        }
        MouseAction::Release(button, count) => {
            params["type"] = json!("mouseReleased");
            params["button"] = json!(button.name());
            params["clickCount"] = json!(count);
        }
        MouseAction::Wheel(dx, dy) => {
            params["type"] = json!("mouseWheel");
            params["deltaX"] = json!(dx);
            params["deltaY"] = json!(dy);
        }
    }
    post(connection, session, "Input.dispatchMouseEvent", &params)
}

/// A key going down or up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct KeyEvent {
    pub(super) down: bool,
    /// `KeyboardEvent.key`
    pub(super) key: String,
    pub(super) info: Key,
    /// Held modifiers, including this key while it is down.
    pub(super) modifiers: u8,
    /// What it types, if anything.
    pub(super) text: String,
}

/// Sends an event of the keyboard now.
pub(super) fn keyboard(connection: &Connection, session: &SessionId, event: &KeyEvent) -> Ack {
    let kind = match (event.down, event.text.is_empty()) {
        (false, _) => "keyUp",
        (true, true) => "rawKeyDown",
        (true, false) => "keyDown",
    };
    let mut params = json!({
        "type": kind, "key": event.key, "code": event.info.code,
        "windowsVirtualKeyCode": event.info.key_code, "modifiers": event.modifiers,
        "location": if event.info.location == 3 { 0 } else { event.info.location },
        "isKeypad": event.info.location == 3,
    });
    if event.down && !event.text.is_empty() {
        params["text"] = json!(event.text);
        params["unmodifiedText"] = json!(event.text);
    }
    post(connection, session, "Input.dispatchKeyEvent", &params)
}

/// Sends a command of the domain now.
pub(super) fn post(
    connection: &Connection,
    session: &SessionId,
    method: &str,
    params: &serde_json::Value,
) -> Ack {
    connection.post_raw(Some(session), method, to_raw_value(params).ok())
}
