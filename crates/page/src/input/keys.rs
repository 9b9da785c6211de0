//! Keys by name: what `KeyboardEvent` reports for each on a full-size keyboard.

/// A physical key and what it means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Key {
    /// `KeyboardEvent.code`
    pub(super) code: &'static str,
    /// `KeyboardEvent.keyCode`
    pub(super) key_code: u32,
    /// `KeyboardEvent.location`: 0 standard, 1 left, 2 right, 3 number pad.
    pub(super) location: u8,
}

/// A key that is not a character: its `key`, its other names, and its position.
pub(super) struct Named {
    pub(super) key: &'static str,
    pub(super) key_info: Key,
    /// What it types, if anything.
    pub(super) text: &'static str,
}

const fn named(key: &'static str, code: &'static str, key_code: u32, location: u8) -> Named {
    Named {
        key,
        key_info: Key {
            code,
            key_code,
            location,
        },
        text: "",
    }
}

pub(super) const SHIFT: Key = key("ShiftLeft", 16, 1);
pub(super) const ALT_GRAPH: Key = key("AltRight", 225, 2);

pub(super) const fn key(code: &'static str, key_code: u32, location: u8) -> Key {
    Key {
        code,
        key_code,
        location,
    }
}

/// All named keys.
pub(super) static NAMED: &[Named] = &[
    Named {
        text: "\r",
        ..named("Enter", "Enter", 13, 0)
    },
    named("Tab", "Tab", 9, 0),
    named("Backspace", "Backspace", 8, 0),
    named("Delete", "Delete", 46, 0),
    named("Insert", "Insert", 45, 0),
    named("Escape", "Escape", 27, 0),
    named("ArrowLeft", "ArrowLeft", 37, 0),
    named("ArrowUp", "ArrowUp", 38, 0),
    named("ArrowRight", "ArrowRight", 39, 0),
    named("ArrowDown", "ArrowDown", 40, 0),
    named("Home", "Home", 36, 0),
    named("End", "End", 35, 0),
    named("PageUp", "PageUp", 33, 0),
    named("PageDown", "PageDown", 34, 0),
    named("F1", "F1", 112, 0),
    named("F2", "F2", 113, 0),
    named("F3", "F3", 114, 0),
    named("F4", "F4", 115, 0),
    named("F5", "F5", 116, 0),
    named("F6", "F6", 117, 0),
    named("F7", "F7", 118, 0),
    named("F8", "F8", 119, 0),
    named("F9", "F9", 120, 0),
    named("F10", "F10", 121, 0),
    named("F11", "F11", 122, 0),
    named("F12", "F12", 123, 0),
    named("Shift", "ShiftLeft", 16, 1),
    named("Control", "ControlLeft", 17, 1),
    named("Alt", "AltLeft", 18, 1),
    named("Meta", "MetaLeft", 91, 1),
    named("AltGraph", "AltRight", 225, 2),
    named("CapsLock", "CapsLock", 20, 0),
    named("NumLock", "NumLock", 144, 0),
    named("ScrollLock", "ScrollLock", 145, 0),
    named("Pause", "Pause", 19, 0),
    named("PrintScreen", "PrintScreen", 44, 0),
    named("ContextMenu", "ContextMenu", 93, 0),
];

/// Keys to name by `code` when the one on the right or on the number pad is meant.
pub(super) static BY_CODE: &[Named] = &[
    named("Shift", "ShiftRight", 16, 2),
    named("Control", "ControlRight", 17, 2),
    named("Alt", "AltRight", 18, 2),
    named("Meta", "MetaRight", 92, 2),
    Named {
        text: "\r",
        ..named("Enter", "NumpadEnter", 13, 3)
    },
    Named {
        text: "+",
        ..named("+", "NumpadAdd", 107, 3)
    },
    Named {
        text: "-",
        ..named("-", "NumpadSubtract", 109, 3)
    },
    Named {
        text: "*",
        ..named("*", "NumpadMultiply", 106, 3)
    },
    Named {
        text: "/",
        ..named("/", "NumpadDivide", 111, 3)
    },
    Named {
        text: ".",
        ..named(".", "NumpadDecimal", 110, 3)
    },
    numpad("0", "Numpad0", 96),
    numpad("1", "Numpad1", 97),
    numpad("2", "Numpad2", 98),
    numpad("3", "Numpad3", 99),
    numpad("4", "Numpad4", 100),
    numpad("5", "Numpad5", 101),
    numpad("6", "Numpad6", 102),
    numpad("7", "Numpad7", 103),
    numpad("8", "Numpad8", 104),
    numpad("9", "Numpad9", 105),
];

const fn numpad(digit: &'static str, code: &'static str, key_code: u32) -> Named {
    Named {
        text: digit,
        ..named(digit, code, key_code, 3)
    }
}

/// Shorter and older names of keys.
const ALIASES: [(&str, &str); 14] = [
    ("esc", "Escape"),
    ("return", "Enter"),
    ("del", "Delete"),
    ("ins", "Insert"),
    ("left", "ArrowLeft"),
    ("up", "ArrowUp"),
    ("right", "ArrowRight"),
    ("down", "ArrowDown"),
    ("ctrl", "Control"),
    ("cmd", "Meta"),
    ("command", "Meta"),
    ("option", "Alt"),
    ("altgr", "AltGraph"),
    ("pgdn", "PageDown"),
];

/// The key of this name, however it is capitalised.
pub(super) fn find(name: &str) -> Option<&'static Named> {
    let alias = ALIASES
        .iter()
        .find(|(alias, _)| alias.eq_ignore_ascii_case(name));
    let name = alias.map_or(name, |(_, key)| key);
    NAMED
        .iter()
        .find(|named| named.key.eq_ignore_ascii_case(name))
        .or_else(|| {
            BY_CODE
                .iter()
                .find(|named| named.key_info.code.eq_ignore_ascii_case(name))
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(name: &str, expected: (&str, &str, u32, u8)) {
        let named = find(name).unwrap_or_else(|| panic!("no key `{name}`"));
        let info = named.key_info;
        assert_eq!(
            (named.key, info.code, info.key_code, info.location),
            expected
        );
    }

    #[test]
    fn keys_have_their_names() {
        check("Enter", ("Enter", "Enter", 13, 0));
        check("esc", ("Escape", "Escape", 27, 0));
        check("down", ("ArrowDown", "ArrowDown", 40, 0));
        check("ShiftRight", ("Shift", "ShiftRight", 16, 2));
        check("numpad5", ("5", "Numpad5", 101, 3));
        check("f12", ("F12", "F12", 123, 0));
        assert!(find("Entr").is_none());
    }
}
