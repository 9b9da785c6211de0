//! Keyboard layouts: which keys type a character.

use std::str::FromStr;

use super::keys::{Key, key};

/// A keyboard layout. Characters it does not have are entered with an input method.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Layout {
    /// United States.
    #[default]
    Us,
    /// United Kingdom.
    Uk,
    /// German (Germany, Austria).
    De,
    /// French (France).
    Fr,
}

impl Layout {
    /// All of them.
    pub(super) const ALL: [Self; 4] = [Self::Us, Self::Uk, Self::De, Self::Fr];
}

/// How to type a character on a layout.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct KeyPosition {
    pub(super) key: Key,
    pub(super) shift: bool,
    pub(super) alt_graph: bool,
}

/// The keys that differ between layouts, row by row from the left.
const CODES: [&str; 48] = [
    "Backquote",
    "Digit1",
    "Digit2",
    "Digit3",
    "Digit4",
    "Digit5",
    "Digit6",
    "Digit7",
    "Digit8",
    "Digit9",
    "Digit0",
    "Minus",
    "Equal",
    "KeyQ",
    "KeyW",
    "KeyE",
    "KeyR",
    "KeyT",
    "KeyY",
    "KeyU",
    "KeyI",
    "KeyO",
    "KeyP",
    "BracketLeft",
    "BracketRight",
    "KeyA",
    "KeyS",
    "KeyD",
    "KeyF",
    "KeyG",
    "KeyH",
    "KeyJ",
    "KeyK",
    "KeyL",
    "Semicolon",
    "Quote",
    "Backslash",
    "IntlBackslash",
    "KeyZ",
    "KeyX",
    "KeyC",
    "KeyV",
    "KeyB",
    "KeyN",
    "KeyM",
    "Comma",
    "Period",
    "Slash",
];

/// What the keys of [`CODES`] type: alone, with Shift, with AltGr; `\0` for nothing, or a dead key.
struct Table {
    plain: &'static str,
    shift: &'static str,
    alt_graph: &'static [(char, &'static str)],
}

const US: Table = Table {
    plain: "`1234567890-=qwertyuiop[]asdfghjkl;'\\\0zxcvbnm,./",
    shift: "~!@#$%^&*()_+QWERTYUIOP{}ASDFGHJKL:\"|\0ZXCVBNM<>?",
    alt_graph: &[],
};

const UK: Table = Table {
    plain: "`1234567890-=qwertyuiop[]asdfghjkl;'#\\zxcvbnm,./",
    shift: "¬!\"£$%^&*()_+QWERTYUIOP{}ASDFGHJKL:@~|ZXCVBNM<>?",
    alt_graph: &[('€', "Digit4")],
};

const DE: Table = Table {
    plain: "\x001234567890ß\0qwertzuiopü+asdfghjklöä#<yxcvbnm,.-",
    shift: "°!\"§$%&/()=?\0QWERTZUIOPÜ*ASDFGHJKLÖÄ'>YXCVBNM;:_",
    alt_graph: &[
        ('@', "KeyQ"),
        ('€', "KeyE"),
        ('{', "Digit7"),
        ('[', "Digit8"),
        (']', "Digit9"),
        ('}', "Digit0"),
        ('\\', "Minus"),
        ('~', "BracketRight"),
        ('|', "IntlBackslash"),
        ('µ', "KeyM"),
        ('²', "Digit2"),
        ('³', "Digit3"),
    ],
};

const FR: Table = Table {
    plain: "²&é\"'(-è_çà)=azertyuiop\0$qsdfghjklmù*<wxcvbn,;:!",
    shift: "\x001234567890°+AZERTYUIOP\0£QSDFGHJKLM%µ>WXCVBN?./§",
    alt_graph: &[
        ('#', "Digit3"),
        ('{', "Digit4"),
        ('[', "Digit5"),
        ('|', "Digit6"),
        ('\\', "Digit8"),
        ('^', "Digit9"),
        ('@', "Digit0"),
        (']', "Minus"),
        ('}', "Equal"),
        ('€', "KeyE"),
    ],
};

impl Layout {
    /// How to type a character; `None` if the layout does not have it.
    pub(super) fn place(self, character: char) -> Option<KeyPosition> {
        if character == ' ' {
            return Some(KeyPosition {
                key: key("Space", 32, 0),
                shift: false,
                alt_graph: false,
            });
        }
        let table = self.table();
        let in_row = |row: &str| {
            row.chars()
                .position(|known| known == character && known != '\0')
        };
        let (index, shift, alt_graph) = if let Some(index) = in_row(table.plain) {
            (index, false, false)
        } else if let Some(index) = in_row(table.shift) {
            (index, true, false)
        } else {
            let (_, code) = table
                .alt_graph
                .iter()
                .find(|(known, _)| *known == character)?;
            (CODES.iter().position(|known| known == code)?, false, true)
        };
        Some(KeyPosition {
            key: key(CODES[index], self.key_code(index), 0),
            shift,
            alt_graph,
        })
    }

    fn table(self) -> &'static Table {
        match self {
            Self::Us => &US,
            Self::Uk => &UK,
            Self::De => &DE,
            Self::Fr => &FR,
        }
    }

    /// Windows' code of a key: letters and digits go by what they type, the rest by position.
    fn key_code(self, index: usize) -> u32 {
        let plain = self.table().plain.chars().nth(index).unwrap_or('\0');
        let code = CODES[index];
        if plain.is_ascii_alphabetic() {
            return u32::from(plain.to_ascii_uppercase());
        }
        if let Some(digit) = code.strip_prefix("Digit") {
            return digit.bytes().next().map_or(0, u32::from);
        }
        match code {
            "Backquote" => 192,
            "Minus" => 189,
            "Equal" => 187,
            "BracketLeft" => 219,
            "BracketRight" => 221,
            "Semicolon" => 186,
            "Quote" => 222,
            "Backslash" => 220,
            "IntlBackslash" => 226,
            "Comma" => 188,
            "Period" => 190,
            "Slash" => 191,
            // A letter key that types something else: `,` on the French M.
            "KeyM" => 188,
            _ => 0,
        }
    }
}

/// No layout has this name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not one of `us`, `uk`, `de`, `fr`")]
pub struct UnknownLayout;

impl FromStr for Layout {
    type Err = UnknownLayout;

    fn from_str(name: &str) -> Result<Self, UnknownLayout> {
        match name {
            "us" => Ok(Self::Us),
            "uk" => Ok(Self::Uk),
            "de" => Ok(Self::De),
            "fr" => Ok(Self::Fr),
            _ => Err(UnknownLayout),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_is_as_long_as_the_keyboard() {
        for layout in [Layout::Us, Layout::Uk, Layout::De, Layout::Fr] {
            let table = layout.table();
            assert_eq!(table.plain.chars().count(), CODES.len(), "{layout:?}");
            assert_eq!(table.shift.chars().count(), CODES.len(), "{layout:?}");
            for (character, code) in table.alt_graph {
                assert!(CODES.contains(code), "{character}");
            }
        }
    }

    #[track_caller]
    fn check(layout: Layout, character: char, expected: (&str, u32, bool, bool)) {
        let place = layout.place(character).expect("the layout has it");
        let key = place.key;
        assert_eq!(
            (key.code, key.key_code, place.shift, place.alt_graph),
            expected
        );
    }

    #[test]
    fn characters_are_where_they_are_printed() {
        check(Layout::Us, 'a', ("KeyA", 65, false, false));
        check(Layout::Us, '!', ("Digit1", 49, true, false));
        check(Layout::Us, '@', ("Digit2", 50, true, false));
        check(Layout::Us, '/', ("Slash", 191, false, false));
        check(Layout::De, 'z', ("KeyY", 90, false, false));
        check(Layout::De, '@', ("KeyQ", 81, false, true));
        check(Layout::De, 'ß', ("Minus", 189, false, false));
        check(Layout::Fr, 'a', ("KeyQ", 65, false, false));
        check(Layout::Fr, '1', ("Digit1", 49, true, false));
        check(Layout::Fr, 'é', ("Digit2", 50, false, false));
        assert!(Layout::Us.place('é').is_none());
        assert!(Layout::Us.place('日').is_none());
    }

    #[test]
    fn all_of_ascii_is_on_the_us_keyboard() {
        for character in ' '..='~' {
            assert!(Layout::Us.place(character).is_some(), "{character}");
        }
    }
}
