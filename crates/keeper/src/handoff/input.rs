//! What a viewer sends, as commands for the page.

use serde::Deserialize;
use serde_json::{Value, json};
use szk_tools::session::HandoffEnd;

/// A message of the viewer's page.
#[derive(Debug, PartialEq, Deserialize)]
#[serde(tag = "t", rename_all = "snake_case", deny_unknown_fields)]
pub(super) enum Said {
    /// The last picture is on the screen: the next one may come.
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
    /// Text that was pasted, or that an input method or a phone's keyboard made.
    Text { text: String },
    /// Show another tab.
    Tab { id: String },
    /// Back, or once more.
    Go { to: Way },
    /// The answer to a dialog of the page.
    Dialog {
        accept: bool,
        #[serde(default)]
        text: Option<String>,
    },
    /// The person is through.
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
pub(super) enum Way {
    Back,
    Reload,
}

impl Said {
    /// The command that does it, if it is about the page's input.
    pub(super) fn command(&self) -> Option<(&'static str, Value)> {
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
                    MouseKind::Move => ("mouseMoved", if *buttons == 0 { 0.0 } else { 0.5 }),
                    MouseKind::Down => ("mousePressed", 0.5),
                    MouseKind::Up => ("mouseReleased", 0.0),
                };
                let button = match button {
                    Button::None => "none",
                    Button::Left => "left",
                    Button::Middle => "middle",
                    Button::Right => "right",
                    Button::Back => "back",
                    Button::Forward => "forward",
                };
                let params = json!({
                    "type": kind, "x": x.round(), "y": y.round(), "button": button, "buttons": buttons,
                    "clickCount": clicks, "modifiers": modifiers, "force": force, "pointerType": "mouse",
                });
                Some(("Input.dispatchMouseEvent", params))
            }
            Self::Wheel {
                x,
                y,
                dx,
                dy,
                modifiers,
            } => {
                let params = json!({
                    "type": "mouseWheel", "x": x.round(), "y": y.round(), "deltaX": dx, "deltaY": dy,
                    "modifiers": modifiers, "pointerType": "mouse",
                });
                Some(("Input.dispatchMouseEvent", params))
            }
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
                    (true, Some(_)) => "keyDown",
                    (true, None) => "rawKeyDown",
                    (false, _) => "keyUp",
                };
                let mut params = json!({
                    "type": kind, "key": key, "code": code, "modifiers": modifiers,
                    "windowsVirtualKeyCode": key_code, "nativeVirtualKeyCode": key_code,
                    "location": location, "autoRepeat": repeat, "isKeypad": *location == 3,
                });
                if let Some(text) = text {
                    params["text"] = json!(text);
                    params["unmodifiedText"] = json!(text);
                }
                Some(("Input.dispatchKeyEvent", params))
            }
            Self::Text { text } => Some(("Input.insertText", json!({"text": text}))),
            Self::Dialog { accept, text } => {
                let mut params = json!({"accept": accept});
                if let Some(text) = text {
                    params["promptText"] = json!(text);
                }
                Some(("Page.handleJavaScriptDialog", params))
            }
            Self::Shown | Self::Tab { .. } | Self::Go { .. } | Self::End { .. } => None,
        }
    }
}

/// What a key writes: nothing for named keys and for shortcuts.
fn text_of(key: &str, modifiers: u8) -> Option<String> {
    const ALT: u8 = 1;
    const CTRL: u8 = 2;
    const META: u8 = 4;
    if key == "Enter" {
        return Some("\r".to_owned());
    }
    let mut characters = key.chars();
    let one = characters.next().filter(|_| characters.next().is_none())?;
    // AltGr is Control with Alt, and writes.
    let shortcut = modifiers & (CTRL | META) != 0 && modifiers & ALT == 0;
    (!shortcut).then(|| one.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn command(message: &str) -> (&'static str, Value) {
        serde_json::from_str::<Said>(message)
            .expect(message)
            .command()
            .expect("a command")
    }

    #[test]
    fn keys_write_what_they_say() {
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
    fn what_is_not_known_is_refused() {
        for message in [r#"{"t":"evaluate"}"#, r#"{"t":"text"}"#, "[]", ""] {
            assert!(serde_json::from_str::<Said>(message).is_err(), "{message}");
        }
    }
}
