//! A key with modifiers held: `Enter`, `Control+A`, `Control+Shift+ArrowLeft`.

use std::str::FromStr;

use super::keys::{self, Key};
use super::layout::Layout;

/// A key that changes what others mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Modifier {
    /// Alt, or Option.
    Alt,
    /// Control.
    Control,
    /// Windows, Command or Super.
    Meta,
    /// Shift.
    Shift,
}

impl Modifier {
    /// Its name, as in `KeyboardEvent.key`.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.key().0
    }

    /// CDP's bit for this modifier.
    pub(super) fn bit(self) -> u8 {
        match self {
            Self::Alt => 1,
            Self::Control => 2,
            Self::Meta => 4,
            Self::Shift => 8,
        }
    }

    pub(super) fn key(self) -> (&'static str, Key) {
        match self {
            Self::Alt => ("Alt", keys::key("AltLeft", 18, 1)),
            Self::Control => ("Control", keys::key("ControlLeft", 17, 1)),
            Self::Meta => ("Meta", keys::key("MetaLeft", 91, 1)),
            Self::Shift => ("Shift", keys::SHIFT),
        }
    }
}

/// Not the name of a key.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a key")]
pub struct NotAKey(pub String);

impl FromStr for Modifier {
    type Err = NotAKey;

    fn from_str(name: &str) -> Result<Self, NotAKey> {
        match name.to_ascii_lowercase().as_str() {
            "alt" | "option" => Ok(Self::Alt),
            "control" | "ctrl" | "controlormeta" => Ok(Self::Control),
            "meta" | "cmd" | "command" | "super" | "win" => Ok(Self::Meta),
            "shift" => Ok(Self::Shift),
            _ => Err(NotAKey(name.chars().take(40).collect())),
        }
    }
}

/// A key to press while modifiers are held.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chord {
    pub(super) modifiers: Vec<Modifier>,
    pub(super) main: Main,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Main {
    Named {
        key: &'static str,
        info: Key,
        text: &'static str,
    },
    Character(char),
}

/// The key to press: `key`, the physical key, and what it types.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Pressed {
    pub(super) key: String,
    pub(super) info: Key,
    pub(super) text: String,
}

impl Chord {
    /// Whether it types a character.
    #[must_use]
    pub fn types(&self) -> bool {
        let command = |modifier: &Modifier| *modifier != Modifier::Shift;
        let character = matches!(self.main, Main::Character(_) | Main::Named { key: " ", .. });
        character && !self.modifiers.iter().any(command)
    }
}

impl std::fmt::Display for Chord {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for modifier in &self.modifiers {
            write!(f, "{modifier:?}+")?;
        }
        match self.main {
            Main::Named { key: " ", .. } => f.write_str("Space"),
            Main::Named { key, .. } => f.write_str(key),
            Main::Character(character) => write!(f, "{character}"),
        }
    }
}

impl FromStr for Chord {
    type Err = NotAKey;

    fn from_str(text: &str) -> Result<Self, NotAKey> {
        let refused = || NotAKey(text.chars().take(40).collect());
        // The last `+` is a separator, unless it is the key itself: `Control++`.
        let (held, last) = match text.strip_suffix('+') {
            Some("") => ("", "+"),
            Some(held) if held.ends_with('+') => (&held[..held.len() - 1], "+"),
            _ => text.rsplit_once('+').unwrap_or(("", text)),
        };
        if last.len() < text.len() && held.is_empty() && text != "+" {
            return Err(refused());
        }
        let modifiers = held
            .split('+')
            .filter(|_| !held.is_empty())
            .map(Modifier::from_str)
            .collect::<Result<Vec<_>, _>>()
            .map_err(|_| refused())?;
        let main = match keys::find(last) {
            Some(named) => Main::Named {
                key: named.key,
                info: named.key_info,
                text: named.text,
            },
            None if last.eq_ignore_ascii_case("space") => Main::Character(' '),
            None => {
                let mut characters = last.chars();
                match (characters.next(), characters.next()) {
                    (Some(character), None) if !character.is_control() => {
                        Main::Character(character)
                    }
                    _ => return Err(refused()),
                }
            }
        };
        Ok(Self { modifiers, main })
    }
}

impl Chord {
    /// Whether its key is Enter, with whatever modifiers.
    pub(crate) fn confirms(&self) -> bool {
        matches!(
            self.main,
            Main::Named { key: "Enter", .. } | Main::Character('\n' | '\r')
        )
    }

    /// Whether its key is the space bar.
    pub(crate) fn is_space(&self) -> bool {
        matches!(
            self.main,
            Main::Character(' ') | Main::Named { key: " ", .. }
        )
    }

    /// The keys to hold, then the one to press. With Control, Alt or Meta nothing is typed. Letters go
    /// by their key: `Control+A` and `Control+a` are the same.
    pub(super) fn on(&self, layout: Layout) -> Option<(Vec<Modifier>, Pressed)> {
        let mut held = self.modifiers.clone();
        let silent = held.iter().any(|modifier| *modifier != Modifier::Shift);
        let shifted = held.contains(&Modifier::Shift);
        let pressed = match &self.main {
            Main::Named { key, info, text } => Pressed {
                key: (*key).to_owned(),
                info: *info,
                text: if silent {
                    String::new()
                } else {
                    (*text).to_owned()
                },
            },
            Main::Character(character) => {
                let place = layout.place(*character)?;
                let mut written = *character;
                if silent && character.is_ascii_alphabetic() {
                    written = if shifted {
                        character.to_ascii_uppercase()
                    } else {
                        character.to_ascii_lowercase()
                    };
                } else if place.shift && !shifted {
                    held.push(Modifier::Shift);
                } else if shifted && character.is_alphabetic() {
                    written = character.to_uppercase().next().unwrap_or(*character);
                }
                Pressed {
                    key: written.to_string(),
                    info: place.key,
                    text: if silent {
                        String::new()
                    } else {
                        written.to_string()
                    },
                }
            }
        };
        Some((held, pressed))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, held: &[Modifier], key: &str, code: &str, writes: &str) {
        let (modifiers, pressed) = text.parse::<Chord>().unwrap().on(Layout::Us).unwrap();
        assert_eq!(modifiers, held, "{text}");
        assert_eq!(
            (
                pressed.key.as_str(),
                pressed.info.code,
                pressed.text.as_str()
            ),
            (key, code, writes)
        );
    }

    #[test]
    fn chords_are_read() {
        use Modifier::{Alt, Control, Shift};
        check("Enter", &[], "Enter", "Enter", "\r");
        check("Control+A", &[Control], "a", "KeyA", "");
        check("ctrl+shift+k", &[Control, Shift], "K", "KeyK", "");
        check("Shift+Tab", &[Shift], "Tab", "Tab", "");
        check("A", &[Shift], "A", "KeyA", "A");
        check("!", &[Shift], "!", "Digit1", "!");
        check("+", &[Shift], "+", "Equal", "+");
        check("Control++", &[Control, Shift], "+", "Equal", "");
        check("Alt+ArrowLeft", &[Alt], "ArrowLeft", "ArrowLeft", "");
        check(" ", &[], " ", "Space", " ");
        check("Space", &[], " ", "Space", " ");
    }

    #[test]
    fn what_is_no_key_is_refused() {
        for text in ["", "Entr", "Hyper+A", "Control+", "ab", "+A"] {
            assert!(text.parse::<Chord>().is_err(), "{text}");
        }
    }
}
