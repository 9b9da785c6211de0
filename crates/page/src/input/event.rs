//! Events of CDP's `Input` domain, written as real devices would cause them.

use std::pin::Pin;
use std::task::{Context, Poll};

use szk_cdp::protocol::input::{
    DispatchKeyEventParams, DispatchKeyEventType, DispatchMouseEventParams,
    DispatchMouseEventPointerType, DispatchMouseEventType, EmulateTouchFromMouseEventParams,
    EmulateTouchFromMouseEventType, MouseButton, TimeSinceEpoch,
};
use szk_cdp::{CallError, Connection, Done, Reply, SessionId};
use tokio::time::Instant;

use super::keys::Key;

/// The answer to an event: it comes when the page has dealt with it.
#[must_use = "drop it explicitly if the answer does not matter"]
pub enum Ack {
    /// The browser's own.
    Reply(Reply<Done>),
    /// Somebody watches the page, and says when it has seen the event or the patience for that is over.
    Seen(Pin<Box<dyn Future<Output = ()> + Send + Sync>>),
}

impl Ack {
    /// Nobody knows when.
    pub(super) fn now() -> Self {
        Self::Seen(Box::pin(std::future::ready(())))
    }
}

impl Future for Ack {
    type Output = Result<(), CallError>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        match self.get_mut() {
            Self::Reply(reply) => Pin::new(reply).poll(cx).map_ok(|Done| ()),
            Self::Seen(seen) => seen.as_mut().poll(cx).map(Ok),
        }
    }
}

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
    fn name(self) -> MouseButton {
        match self {
            Self::Left => MouseButton::Left,
            Self::Middle => MouseButton::Middle,
            Self::Right => MouseButton::Right,
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

impl std::fmt::Display for Button {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Left => "left",
            Self::Middle => "middle",
            Self::Right => "right",
        })
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

/// Sends a mouse event now, with the time it was due.
pub(super) fn mouse(
    connection: &Connection,
    session: &SessionId,
    action: MouseAction,
    state: MouseState,
    due: Option<Instant>,
) -> Ack {
    let params = DispatchMouseEventParams {
        timestamp: time(connection, due),
        ..mouse_params(action, state)
    };
    Ack::Reply(connection.post(Some(session), &params))
}

/// Turns the wheel so that what it scrolls glides, as under a real wheel; `dispatchMouseEvent` makes it
/// jump. In return `wheelDelta` is 0, which a page with a listener for the wheel would see, and frames of
/// other processes never get it. It emulates no touch, despite its name.
pub(super) fn glide(
    connection: &Connection,
    session: &SessionId,
    (dx, dy): (i32, i32),
    state: MouseState,
    due: Option<Instant>,
) -> Ack {
    let params = EmulateTouchFromMouseEventParams {
        timestamp: time(connection, due),
        modifiers: Some(state.modifiers.into()),
        // Here, up and left are positive.
        delta_x: Some((-dx).into()),
        delta_y: Some((-dy).into()),
        ..EmulateTouchFromMouseEventParams::new(
            EmulateTouchFromMouseEventType::MouseWheel,
            state.at.0,
            state.at.1,
            MouseButton::None,
        )
    };
    Ack::Reply(connection.post(Some(session), &params))
}

/// The time of an event that was due then; without one it is given when it is sent.
fn time(connection: &Connection, due: Option<Instant>) -> Option<TimeSinceEpoch> {
    let late = Instant::now().saturating_duration_since(due?);
    connection.input_time(late).map(TimeSinceEpoch::new)
}

fn mouse_params(action: MouseAction, state: MouseState) -> DispatchMouseEventParams {
    let kind = match action {
        MouseAction::Move => DispatchMouseEventType::MouseMoved,
        MouseAction::Press(..) => DispatchMouseEventType::MousePressed,
        MouseAction::Release(..) => DispatchMouseEventType::MouseReleased,
        MouseAction::Wheel(..) => DispatchMouseEventType::MouseWheel,
    };
    let held = match state.buttons {
        0 => MouseButton::None,
        held if held & 1 != 0 => MouseButton::Left,
        held if held & 2 != 0 => MouseButton::Right,
        _ => MouseButton::Middle,
    };
    // A mouse that is pressed reports half of full pressure.
    let force = if state.buttons == 0 { 0.0 } else { 0.5 };
    let mut params = DispatchMouseEventParams {
        button: Some(held),
        buttons: Some(state.buttons.into()),
        modifiers: Some(state.modifiers.into()),
        force: Some(force),
        pointer_type: Some(DispatchMouseEventPointerType::Mouse),
        ..DispatchMouseEventParams::new(kind, state.at.0, state.at.1)
    };
    match action {
        MouseAction::Move => {}
        MouseAction::Press(button, count) | MouseAction::Release(button, count) => {
            params.button = Some(button.name());
            params.click_count = Some(count.into());
        }
        MouseAction::Wheel(dx, dy) => {
            params.delta_x = Some(dx.into());
            params.delta_y = Some(dy.into());
        }
    }
    params
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

/// Sends an event of the keyboard now, with the time it was due.
pub(super) fn keyboard(
    connection: &Connection,
    session: &SessionId,
    event: &KeyEvent,
    due: Option<Instant>,
) -> Ack {
    let params = DispatchKeyEventParams {
        timestamp: time(connection, due),
        ..key_params(event)
    };
    Ack::Reply(connection.post(Some(session), &params))
}

fn key_params(event: &KeyEvent) -> DispatchKeyEventParams {
    let kind = match (event.down, event.text.is_empty()) {
        (false, _) => DispatchKeyEventType::KeyUp,
        (true, true) => DispatchKeyEventType::RawKeyDown,
        (true, false) => DispatchKeyEventType::KeyDown,
    };
    let on_keypad = event.info.location == 3;
    let text = (event.down && !event.text.is_empty()).then(|| event.text.clone());
    DispatchKeyEventParams {
        key: Some(event.key.clone()),
        code: Some(event.info.code.to_owned()),
        windows_virtual_key_code: Some(event.info.key_code.into()),
        modifiers: Some(event.modifiers.into()),
        location: Some(if on_keypad {
            0
        } else {
            event.info.location.into()
        }),
        is_keypad: Some(on_keypad),
        unmodified_text: text.clone(),
        text,
        ..DispatchKeyEventParams::new(kind)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::super::keys::key;
    use super::*;

    #[track_caller]
    fn mouse(action: MouseAction, buttons: u8, expected: Value) {
        let at = (5, 7);
        let modifiers = 8;
        let state = MouseState {
            at,
            buttons,
            modifiers,
        };
        let said = serde_json::to_value(mouse_params(action, state)).unwrap();
        assert_eq!(said, expected);
    }

    #[test]
    fn events_of_the_mouse_say_what_real_ones_do() {
        mouse(
            MouseAction::Move,
            4,
            json!({"type": "mouseMoved", "x": 5.0, "y": 7.0, "button": "middle", "buttons": 4,
                "modifiers": 8, "force": 0.5, "pointerType": "mouse"}),
        );
        mouse(
            MouseAction::Press(Button::Right, 2),
            3,
            json!({"type": "mousePressed", "x": 5.0, "y": 7.0, "button": "right", "buttons": 3,
                "modifiers": 8, "force": 0.5, "pointerType": "mouse", "clickCount": 2}),
        );
        mouse(
            MouseAction::Release(Button::Left, 1),
            0,
            json!({"type": "mouseReleased", "x": 5.0, "y": 7.0, "button": "left", "buttons": 0,
                "modifiers": 8, "force": 0.0, "pointerType": "mouse", "clickCount": 1}),
        );
        mouse(
            MouseAction::Wheel(0, -120),
            0,
            json!({"type": "mouseWheel", "x": 5.0, "y": 7.0, "button": "none", "buttons": 0,
                "modifiers": 8, "force": 0.0, "pointerType": "mouse", "deltaX": 0.0, "deltaY": -120.0}),
        );
    }

    #[track_caller]
    fn pressed(down: bool, text: &str, location: u8, expected: Value) {
        let event = KeyEvent {
            down,
            key: "a".to_owned(),
            info: key("KeyA", 65, location),
            modifiers: 0,
            text: text.to_owned(),
        };
        assert_eq!(serde_json::to_value(key_params(&event)).unwrap(), expected);
    }

    #[test]
    fn events_of_the_keyboard_say_what_real_ones_do() {
        let mut expected = json!({"type": "keyUp", "key": "a", "code": "KeyA", "windowsVirtualKeyCode": 65,
            "modifiers": 0, "location": 1, "isKeypad": false});
        pressed(false, "a", 1, expected.clone());
        expected["type"] = json!("rawKeyDown");
        pressed(true, "", 1, expected.clone());
        expected["location"] = json!(0);
        expected["isKeypad"] = json!(true);
        pressed(true, "", 3, expected.clone());
        expected["type"] = json!("keyDown");
        expected["text"] = json!("a");
        expected["unmodifiedText"] = json!("a");
        pressed(true, "a", 3, expected);
    }
}
