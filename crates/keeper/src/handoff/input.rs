//! Turns messages of a viewer into commands for the page.

use serde::Deserialize;
use szk_cdp::Request;
use szk_cdp::protocol::input::{
    DispatchKeyEventParams, DispatchKeyEventType, DispatchMouseEventParams,
    DispatchMouseEventPointerType, DispatchMouseEventType, InsertTextParams, MouseButton,
};
use szk_cdp::protocol::page::HandleJavaScriptDialogParams;
use szk_tools::session::HandoffEnd;

/// A message from the viewer's page.
#[derive(Debug, PartialEq, Deserialize)]
#[serde(tag = "t", rename_all = "snake_case", deny_unknown_fields)]
pub(super) enum ViewerMessage {
    /// The last picture is on the screen, so the next one may come.
    Shown,
    /// The mouse, in CSS pixels of the page.
    Mouse {
        kind: MouseKind,
        x: f64,
        y: f64,
        #[serde(default)]
        button: Button,
        #[serde(default)]
        buttons: u8,
        #[serde(default)]
        clicks: u8,
        #[serde(default)]
        modifiers: u8,
    },
    /// The wheel, in CSS pixels.
    Wheel {
        x: f64,
        y: f64,
        dx: f64,
        dy: f64,
        #[serde(default)]
        modifiers: u8,
    },
    /// A key.
    Key {
        down: bool,
        key: String,
        code: String,
        #[serde(rename = "keyCode")]
        key_code: u32,
        #[serde(default)]
        location: u8,
        #[serde(default)]
        repeat: bool,
        #[serde(default)]
        modifiers: u8,
    },
    /// Text that was pasted, or typed with an input method or a phone's keyboard.
    Text { text: String },
    /// Show another tab.
    Tab { id: String },
    /// Back, or reload.
    Go { to: Move },
    /// The answer to a dialog of the page.
    Dialog {
        accept: bool,
        #[serde(default)]
        text: Option<String>,
    },
    /// Whether a call that waits may be made.
    Approve { id: u64, yes: bool },
    /// The person is done.
    End {
        how: HandoffEnd,
        #[serde(default)]
        note: Option<String>,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum MouseKind {
    Move,
    Down,
    Up,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Button {
    #[default]
    None,
    Left,
    Middle,
    Right,
    Back,
    Forward,
}

#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Move {
    Back,
    Reload,
}

impl ViewerMessage {
    /// The command for it, if it is input for the page.
    pub(super) fn command(&self) -> Option<Request> {
        match self {
            Self::Mouse {
                kind,
                x,
                y,
                button,
                buttons,
                clicks,
                modifiers,
            } => {
                let (kind, force) = match kind {
                    MouseKind::Move => {
                        let force = if *buttons == 0 { 0.0 } else { 0.5 };
                        (DispatchMouseEventType::MouseMoved, force)
                    }
                    MouseKind::Down => (DispatchMouseEventType::MousePressed, 0.5),
                    MouseKind::Up => (DispatchMouseEventType::MouseReleased, 0.0),
                };
                Some(Request::of(&DispatchMouseEventParams {
                    button: Some(button.name()),
                    buttons: Some((*buttons).into()),
                    click_count: Some((*clicks).into()),
                    force: Some(force),
                    ..mouse(kind, (*x, *y), *modifiers)
                }))
            }
            Self::Wheel {
                x,
                y,
                dx,
                dy,
                modifiers,
            } => Some(Request::of(&DispatchMouseEventParams {
                delta_x: Some(*dx),
                delta_y: Some(*dy),
                ..mouse(DispatchMouseEventType::MouseWheel, (*x, *y), *modifiers)
            })),
            Self::Key {
                down,
                key,
                code,
                key_code,
                location,
                repeat,
                modifiers,
            } => {
                let text = text_of(key, *modifiers).filter(|_| *down);
                let kind = match (down, &text) {
                    (true, Some(_)) => DispatchKeyEventType::KeyDown,
                    (true, None) => DispatchKeyEventType::RawKeyDown,
                    (false, _) => DispatchKeyEventType::KeyUp,
                };
                Some(Request::of(&DispatchKeyEventParams {
                    key: Some(key.clone()),
                    code: Some(code.clone()),
                    modifiers: Some((*modifiers).into()),
                    windows_virtual_key_code: Some((*key_code).into()),
                    native_virtual_key_code: Some((*key_code).into()),
                    location: Some((*location).into()),
                    auto_repeat: Some(*repeat),
                    is_keypad: Some(*location == 3),
                    unmodified_text: text.clone(),
                    text,
                    ..DispatchKeyEventParams::new(kind)
                }))
            }
            Self::Text { text } => Some(Request::of(&InsertTextParams::new(text.as_str()))),
            Self::Dialog { accept, text } => Some(Request::of(&HandleJavaScriptDialogParams {
                prompt_text: text.clone(),
                ..HandleJavaScriptDialogParams::new(*accept)
            })),
            Self::Shown
            | Self::Tab { .. }
            | Self::Go { .. }
            | Self::Approve { .. }
            | Self::End { .. } => None,
        }
    }
}

impl Button {
    fn name(self) -> MouseButton {
        match self {
            Self::None => MouseButton::None,
            Self::Left => MouseButton::Left,
            Self::Middle => MouseButton::Middle,
            Self::Right => MouseButton::Right,
            Self::Back => MouseButton::Back,
            Self::Forward => MouseButton::Forward,
        }
    }
}

/// The common part of all mouse events, at whole pixels.
fn mouse(
    kind: DispatchMouseEventType,
    (x, y): (f64, f64),
    modifiers: u8,
) -> DispatchMouseEventParams {
    DispatchMouseEventParams {
        modifiers: Some(modifiers.into()),
        pointer_type: Some(DispatchMouseEventPointerType::Mouse),
        ..DispatchMouseEventParams::new(kind, x.round(), y.round())
    }
}

/// The text that a key types: none for named keys and shortcuts.
fn text_of(key: &str, modifiers: u8) -> Option<String> {
    const ALT: u8 = 1;
    const CTRL: u8 = 2;
    const META: u8 = 4;
    if key == "Enter" {
        return Some("\r".to_owned());
    }
    let mut characters = key.chars();
    let one = characters.next().filter(|_| characters.next().is_none())?;
    // AltGr is Control with Alt, and types.
    let shortcut = modifiers & (CTRL | META) != 0 && modifiers & ALT == 0;
    (!shortcut).then(|| one.to_string())
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    #[track_caller]
    fn command(message: &str) -> (String, Value) {
        let said = serde_json::from_str::<ViewerMessage>(message).expect(message);
        let command = said.command().expect("a command");
        let params = serde_json::from_str(command.params().get()).expect("JSON");
        (command.method().to_owned(), params)
    }

    #[test]
    fn keys_type_their_text() {
        let key = |key: &str, modifiers: u8| {
            let message = json!({"t": "key", "down": true, "key": key, "code": "X", "keyCode": 65, "modifiers": modifiers});
            command(&message.to_string()).1
        };
        assert_eq!(key("a", 0)["text"], "a");
        assert_eq!(key("Enter", 0)["text"], "\r");
        assert_eq!(key("Tab", 0)["type"], "rawKeyDown");
        assert_eq!(key("c", 2)["type"], "rawKeyDown", "Control-C is a shortcut");
        assert_eq!(key("@", 3)["text"], "@", "AltGr writes");
    }

    #[test]
    fn the_mouse_is_at_whole_pixels() {
        let (method, params) = command(
            r#"{"t":"mouse","kind":"down","x":10.4,"y":20.6,"button":"left","buttons":1,"clicks":1}"#,
        );
        assert_eq!(method, "Input.dispatchMouseEvent");
        assert_eq!((&params["x"], &params["y"]), (&json!(10.0), &json!(21.0)));
        assert_eq!(params["force"], 0.5);
    }

    #[test]
    fn a_wheel_has_no_buttons() {
        let (_, params) = command(r#"{"t":"wheel","x":1,"y":2,"dx":0,"dy":-3.5}"#);
        assert_eq!(
            params,
            json!({"type": "mouseWheel", "x": 1.0, "y": 2.0, "deltaX": 0.0, "deltaY": -3.5,
                "modifiers": 0, "pointerType": "mouse"})
        );
    }

    #[test]
    fn unknown_messages_are_refused() {
        for message in [r#"{"t":"evaluate"}"#, r#"{"t":"text"}"#, "[]", ""] {
            assert!(
                serde_json::from_str::<ViewerMessage>(message).is_err(),
                "{message}"
            );
        }
    }
}
