//! Reads `state.json`, so that one bad entry costs only that entry.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::schema::{Extras, StorageState, VERSION};
use super::text::Json;
use super::warning::Warning;

/// Why a state is unusable. Neither reason keeps a profile from opening.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StateProblem {
    /// Not a storage state: a truncated file, or another format.
    #[error("cannot read the saved state: {reason}")]
    Corrupt {
        /// Where reading stopped, without values.
        reason: String,
    },
    /// A newer szk wrote it; reading a part of it and writing it back would lose the rest.
    #[error("the saved state has version {found}; this szk reads {known}")]
    Newer {
        /// Version of the file.
        found: u32,
        /// Newest version that this szk knows.
        known: u32,
    },
}

/// A state, and what had to be left out of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Loaded {
    /// What could be read.
    pub state: StorageState,
    /// One per entry that could not be read.
    pub warnings: Vec<Warning>,
}

/// Reads a storage state, ours or Playwright's.
///
/// # Errors
/// [`StateProblem`] if nothing in it is usable.
pub fn load(bytes: &[u8]) -> Result<Loaded, StateProblem> {
    let mut fields: BTreeMap<String, Json> =
        serde_json::from_slice(bytes).map_err(|error| corrupt(&error))?;
    let mut warnings = Vec::new();
    // First, because a newer file may have changed the meaning of the rest.
    let szk = extras(fields.remove("szk"), &mut warnings)?;
    let cookies = list(fields.remove("cookies"), "cookie", &mut warnings)?;
    let origins = list(fields.remove("origins"), "origin", &mut warnings)?;
    Ok(Loaded {
        state: StorageState {
            cookies,
            origins,
            szk,
            other: fields,
        },
        warnings,
    })
}

fn extras(json: Option<Json>, warnings: &mut Vec<Warning>) -> Result<Option<Extras>, StateProblem> {
    #[derive(Deserialize)]
    struct Version {
        version: u32,
    }
    let Some(json) = json else { return Ok(None) };
    match serde_json::from_str(json.get()) {
        Ok(Version { version: found }) if found > VERSION => {
            return Err(StateProblem::Newer {
                found,
                known: VERSION,
            });
        }
        _ => {}
    }
    match serde_json::from_str(json.get()) {
        Ok(extras) => Ok(Some(extras)),
        Err(error) => {
            warnings.push(Warning::new("key `szk`", place(&error)));
            Ok(None)
        }
    }
}

fn list<T: DeserializeOwned>(
    json: Option<Json>,
    what: &str,
    warnings: &mut Vec<Warning>,
) -> Result<Vec<T>, StateProblem> {
    let Some(json) = json else {
        return Ok(Vec::new());
    };
    let entries: Vec<Json> =
        serde_json::from_str(json.get()).map_err(|_| StateProblem::Corrupt {
            reason: format!("the list of {what}s is not a list"),
        })?;
    let mut read = Vec::with_capacity(entries.len());
    for (index, entry) in entries.iter().enumerate() {
        match serde_json::from_str(entry.get()) {
            Ok(entry) => read.push(entry),
            Err(error) => {
                warnings.push(Warning::new(format!("{what} {}", index + 1), place(&error)))
            }
        }
    }
    Ok(read)
}

fn corrupt(error: &serde_json::Error) -> StateProblem {
    StateProblem::Corrupt {
        reason: place(error),
    }
}

/// serde's messages may quote a value (`invalid type: string "…"`), so report only kind and position.
fn place(error: &serde_json::Error) -> String {
    let kind = match error.classify() {
        serde_json::error::Category::Io => "cannot be read",
        serde_json::error::Category::Syntax => "not JSON",
        serde_json::error::Category::Data => "a field is missing or has another type",
        serde_json::error::Category::Eof => "ends too early",
    };
    format!("{kind} (line {}, column {})", error.line(), error.column())
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn warned(json: &str) -> (usize, usize, Vec<String>) {
        let loaded = load(json.as_bytes()).unwrap();
        let warnings = loaded
            .warnings
            .iter()
            .map(|warning| warning.about.clone())
            .collect();
        (
            loaded.state.cookies.len(),
            loaded.state.origins.len(),
            warnings,
        )
    }

    #[test]
    fn a_bad_entry_costs_only_itself() {
        let cookies = r#"{"cookies":[{"name":"a","value":"1","domain":"x.test"},{"name":3},{"name":"b","value":"2","domain":"x.test","sameSite":"Odd"}],
            "origins":[{"origin":"https://x.test","localStorage":[]},{"localStorage":[]},7]}"#;
        assert_eq!(
            warned(cookies),
            (
                1,
                1,
                vec![
                    "cookie 2".into(),
                    "cookie 3".into(),
                    "origin 2".into(),
                    "origin 3".into()
                ]
            )
        );
    }

    #[test]
    fn an_empty_object_is_an_empty_state() {
        assert_eq!(warned("{}"), (0, 0, vec![]));
    }

    #[test]
    fn broken_extras_do_not_affect_the_rest() {
        assert_eq!(
            warned(r#"{"cookies":[],"szk":{"version":1,"saved":"yesterday"}}"#),
            (0, 0, vec!["key `szk`".into()])
        );
    }

    #[test]
    fn a_newer_state_is_not_touched() {
        let newer = load(br#"{"cookies":"encrypted","szk":{"version":2}}"#);
        assert_eq!(newer, Err(StateProblem::Newer { found: 2, known: 1 }));
    }

    #[test]
    fn other_formats_are_refused_without_quoting_them() {
        for bad in [
            &b""[..],
            b"{\"cookies\":[",
            b"[]",
            b"\"secret\"",
            b"{\"cookies\":\"secret\"}",
            b"\xff\xfe",
            b"null",
        ] {
            match load(bad) {
                Err(StateProblem::Corrupt { reason }) => {
                    assert!(!reason.contains("secret"), "{reason}")
                }
                other => panic!("{bad:?} gave {other:?}"),
            }
        }
        let loaded =
            load(br#"{"cookies":[{"name":"a","value":["secret"],"domain":"x"}]}"#).unwrap();
        assert!(!loaded.warnings[0].to_string().contains("secret"));
    }

    #[test]
    fn unknown_keys_are_kept() {
        let text = r#"{"cookies":[],"origins":[{"origin":"https://x.test","localStorage":[],"opfs":[{"path":"a","type":"file","base64":"AA=="}]}],"credentials":[{"id":"x"}]}"#;
        let loaded = load(text.as_bytes()).unwrap();
        assert_eq!(String::from_utf8(loaded.state.to_bytes()).unwrap(), text);
    }

    #[test]
    fn numbers_and_odd_strings_stay_as_they_are() {
        let text = r#"{"cookies":[],"origins":[{"origin":"https://x.test","localStorage":[{"name":"packed","value":"\ud83d"}],"indexedDB":[{"name":"d","version":1,"stores":[{"name":"s","autoIncrement":false,"records":[{"key":0.1234567890123456789,"value":null}],"indexes":[]}]}]}]}"#;
        let loaded = load(text.as_bytes()).unwrap();
        assert!(loaded.warnings.is_empty());
        assert_eq!(String::from_utf8(loaded.state.to_bytes()).unwrap(), text);
    }

    fn cookie() -> impl Strategy<Value = serde_json::Value> {
        let expires = prop_oneof![Just(-1.0), 0.0..4e9f64];
        let same_site = prop_oneof![Just(json!(null)), Just(json!("Lax")), Just(json!("None"))];
        let names = (
            any::<String>(),
            any::<String>(),
            "[.a-z]{1,9}",
            "/[a-z]{0,5}",
        );
        (names, expires, same_site, any::<(bool, Option<bool>, Option<String>, Option<i64>)>()).prop_map(
            |((name, value, domain, path), expires, same_site, (flag, ancestor, partition, port))| {
                json!({"name": name, "value": value, "domain": domain, "path": path, "expires": expires, "httpOnly": flag,
                    "secure": !flag, "sameSite": same_site, "partitionKey": partition, "_crHasCrossSiteAncestor": ancestor,
                    "priority": partition, "sourceScheme": partition, "sourcePort": port, "unknown": [flag]})
            },
        )
    }

    fn origin() -> impl Strategy<Value = serde_json::Value> {
        let items = vec((any::<String>(), any::<String>()), 0..4);
        let record = any::<(f64, String)>().prop_map(
            |(key, value)| json!({"key": key, "value": {"v": value}, "valueEncoded": null}),
        );
        ("[a-z]{1,6}", items, vec(record, 0..3), any::<(String, u32)>()).prop_map(|(host, items, records, (name, version))| {
            let items: Vec<_> = items.iter().map(|(name, value)| json!({"name": name, "value": value})).collect();
            let store = json!({"name": name, "keyPathArray": [name, "b"], "autoIncrement": true, "records": records,
                "indexes": [{"name": name, "keyPath": "c", "multiEntry": true, "unique": false}]});
            json!({"origin": format!("https://{host}"), "localStorage": items,
                "indexedDB": [{"name": name, "version": version, "stores": [store]}]})
        })
    }

    proptest! {
        #[test]
        fn there_and_back(cookies in vec(cookie(), 0..4), origins in vec(origin(), 0..3), title: String) {
            let szk = json!({"version": 1, "saved": "2026-01-01T00:00:00Z", "clean": true, "tabs": [{"url": "https://x", "title": title}],
                "sessionStorage": [{"tab": 0, "origin": "https://x", "items": [{"name": title, "value": title}]}]});
            let first = load(json!({"cookies": cookies, "origins": origins, "szk": szk, "else": title}).to_string().as_bytes()).unwrap();
            prop_assert_eq!(&first.warnings, &vec![]);
            prop_assert_eq!((first.state.cookies.len(), first.state.origins.len()), (cookies.len(), origins.len()));
            let bytes = first.state.to_bytes();
            let second = load(&bytes).unwrap();
            prop_assert_eq!(&second, &first);
            prop_assert_eq!(second.state.to_bytes(), bytes);
            prop_assert_eq!(second.state.digest(), first.state.digest());
        }

        #[test]
        fn nothing_makes_it_panic(bytes in vec(any::<u8>(), 0..64)) {
            let _ = load(&bytes);
        }
    }
}
