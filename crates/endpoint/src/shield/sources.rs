//! Removes from clients' scripts what drivers write into them.
//!
//! A driver names its scripts in a last line `//# sourceURL=…`, and the name shows in every stack trace
//! through such a script, where the page can read it. It also marks each script as a click
//! (`userGesture`): `navigator.userActivation` and the `Sec-Fetch-User` header then report a person who
//! has touched nothing.

use std::collections::BTreeMap;

use serde_json::value::RawValue;
use szk_cdp::{SessionId, raw};

use super::Shield;

/// The fields that carry a source.
const FIELDS: [&str; 3] = ["expression", "functionDeclaration", "source"];

const MARK: &str = "//# sourceURL=";

impl Shield {
    /// The parameters for the browser; `None` if they stay unchanged.
    pub(crate) fn clean(
        &self,
        session: &SessionId,
        params: Option<&RawValue>,
    ) -> Option<Box<RawValue>> {
        let text = params?.get();
        // Most have none of these, and are not parsed.
        if !["sourceURL", "uniqueContextId", "userGesture"]
            .iter()
            .any(|name| text.contains(name))
        {
            return None;
        }
        let mut fields: BTreeMap<String, Box<RawValue>> = serde_json::from_str(text).ok()?;
        let mut changed = fields.remove("userGesture").is_some();
        for field in FIELDS {
            let Some(value) = fields.get_mut(field) else {
                continue;
            };
            let source: String = serde_json::from_str(value.get()).ok()?;
            if let Some(bare) = bare(&source) {
                *value = raw(&bare);
                changed = true;
            }
        }
        changed |= fields.contains_key("sourceURL")
            && fields.insert("sourceURL".to_owned(), raw(&"")).is_some();
        // The client names the context as the shield did, which the browser does not know.
        if let Some(unique) = fields.get("uniqueContextId")
            && let Ok(unique) = serde_json::from_str::<String>(unique.get())
            && let Some(id) = self
                .realms
                .get(session)
                .and_then(|realm| realm.by_unique(&unique))
        {
            let function = fields.contains_key("functionDeclaration");
            let name = if function {
                "executionContextId"
            } else {
                "contextId"
            };
            fields.remove("uniqueContextId");
            fields.insert(name.to_owned(), raw(&id));
            changed = true;
        }
        changed.then(|| raw(&fields))
    }
}

/// The source without its name; `None` if it has none. Only whole lines at the end count: elsewhere it
/// may be part of a string.
fn bare(source: &str) -> Option<&str> {
    let mut rest = source.trim_end();
    let mut found = false;
    while let Some(at) = rest.rfind(MARK) {
        let alone = rest[..at].trim_end_matches([' ', '\t']);
        let name = &rest[at + MARK.len()..];
        if name.contains(char::is_whitespace) || !(alone.is_empty() || alone.ends_with('\n')) {
            break;
        }
        rest = alone.trim_end();
        found = true;
    }
    found.then_some(rest)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    #[track_caller]
    fn check(source: &str, expected: &str) {
        assert_eq!(bare(source).unwrap_or(source), expected);
    }

    #[test]
    fn names_at_the_end_are_removed() {
        check("1 + 1\n//# sourceURL=pptr:evaluate;x\n", "1 + 1");
        check("() => 1\n  //# sourceURL=a\n//# sourceURL=b", "() => 1");
        check("//# sourceURL=a", "");
    }

    #[test]
    fn what_may_be_part_of_the_script_stays() {
        check("1", "1");
        check("'//# sourceURL=a'", "'//# sourceURL=a'");
        check("`\n//# sourceURL=a\n`", "`\n//# sourceURL=a\n`");
    }

    #[test]
    fn parameters_are_rewritten_only_if_needed() {
        let shield = Shield::new();
        let clean = |params: Value| {
            let cleaned = shield.clean(&"S".into(), Some(&raw(&params)));
            cleaned.map(|params| serde_json::from_str::<Value>(params.get()).unwrap())
        };
        assert_eq!(clean(json!({"expression": "1"})), None);
        assert_eq!(clean(json!({"expression": "sourceURL"})), None);
        assert_eq!(
            clean(json!({"functionDeclaration": "f\n//# sourceURL=x", "objectId": "1"})),
            Some(json!({"functionDeclaration": "f", "objectId": "1"}))
        );
        assert_eq!(
            clean(json!({"expression": "1", "userGesture": true})),
            Some(json!({"expression": "1"}))
        );
    }
}
