//! Chromium's messages for things that went away with their document.

use szk_cdp::CallError;

/// For a world that was gone before the call.
const BEFORE: [&str; 3] = [
    "Cannot find context with specified id",
    "Could not find object with given id",
    "Invalid remote object id",
];
/// For one that went away while something ran in it.
const MEANWHILE: &str = "Execution context was destroyed";
/// For a frame in which a world should be created.
const FRAME: &str = "No frame for given id found";

/// Whether a world was gone before anything ran in it: recreate it and ask again.
#[must_use]
pub fn was_gone(error: &CallError) -> bool {
    BEFORE.iter().any(|gone| says(error, gone))
}

/// Whether a world was gone, or went away while something ran in it.
#[must_use]
pub fn is_world_gone(error: &CallError) -> bool {
    was_gone(error) || says(error, MEANWHILE)
}

/// Whether it failed because the document was replaced meanwhile, or its frame removed.
#[must_use]
pub fn is_gone(error: &CallError) -> bool {
    is_world_gone(error) || says(error, FRAME)
}

/// Whether the browser refused with this message.
pub(crate) fn says(error: &CallError, words: &str) -> bool {
    matches!(error, CallError::Remote { message, .. } if message.contains(words))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(message: &str, expected: [bool; 3]) {
        let message = message.to_owned();
        let (code, data) = (-32000, None);
        let error = CallError::Remote {
            code,
            message,
            data,
        };
        let found = [was_gone, is_world_gone, is_gone].map(|asked| asked(&error));
        assert_eq!(found, expected, "{error}");
    }

    #[test]
    fn what_is_gone_is_known_by_its_words() {
        check("Cannot find context with specified id", [true, true, true]);
        check("Could not find object with given id", [true, true, true]);
        check("Invalid remote object id", [true, true, true]);
        check("Execution context was destroyed.", [false, true, true]);
        check("No frame for given id found", [false, false, true]);
        check("Object reference chain is too long", [false; 3]);
        assert!(!is_gone(&CallError::SessionGone));
    }
}
