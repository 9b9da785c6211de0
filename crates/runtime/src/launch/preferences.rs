//! The only preference that szk sets: what Chromium opens by itself on start.
//!
//! Chromium would restore pages before szk can prepare them, and szk restores tabs itself. If a person
//! chooses "continue where you left off" in the settings, every tab would open twice, once without
//! stealth.

use std::path::Path;

use serde_json::{Value, json};
use szk_store::atomic;

/// `session.restore_on_startup`: open the new tab page.
const NEW_TAB: u64 = 5;

/// Longest preferences file, in bytes.
const LONGEST: u64 = 64 << 20;

/// Makes sure that Chromium opens nothing by itself. Leaves an unreadable or unwritable file alone, for
/// Chromium to repair.
pub(crate) fn open_nothing(user_data_dir: &Path) {
    let path = user_data_dir.join("Default/Preferences");
    let Ok(text) = szk_files::read_own(&path, LONGEST) else {
        return;
    };
    let Ok(mut preferences) = serde_json::from_slice::<Value>(&text) else {
        return;
    };
    let Some(session) = preferences
        .get_mut("session")
        .and_then(Value::as_object_mut)
    else {
        return;
    };
    let chosen = session.get("restore_on_startup").and_then(Value::as_u64);
    if chosen.is_none_or(|chosen| chosen == NEW_TAB) {
        return;
    }
    session.insert("restore_on_startup".into(), json!(NEW_TAB));
    if let Err(error) = atomic::write(&path, preferences.to_string().as_bytes()) {
        tracing::warn!(%error, "Chromium may open tabs of its own");
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn after(preferences: &str) -> String {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir(dir.path().join("Default")).unwrap();
        let path = dir.path().join("Default/Preferences");
        fs::write(&path, preferences).unwrap();
        open_nothing(dir.path());
        fs::read_to_string(path).unwrap()
    }

    #[test]
    fn a_choice_to_continue_is_undone_and_all_else_stays() {
        let kept =
            after(r#"{"a":{"b":1},"session":{"restore_on_startup":1,"startup_urls":["x"]}}"#);
        assert_eq!(
            kept,
            r#"{"a":{"b":1},"session":{"restore_on_startup":5,"startup_urls":["x"]}}"#
        );
    }

    #[test]
    fn correct_and_unreadable_files_are_not_touched() {
        for same in [
            r#"{"session": {"restore_on_startup": 5}}"#,
            r#"{"session": {}}"#,
            "{",
            "",
        ] {
            assert_eq!(after(same), same);
        }
        open_nothing(Path::new("/nowhere"));
    }
}
