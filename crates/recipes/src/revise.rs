//! Heals steps: what the page has become takes the place of what it was.

use similar::TextDiff;

use crate::Identity;

/// Fields whose change makes a step worth writing anew.
const TELLING: [&str; 11] = [
    "role",
    "name",
    "label",
    "placeholder",
    "test_id",
    "field",
    "type",
    "href",
    "within",
    "css",
    "row",
];

/// Whether an element was found, but no longer as it was recorded.
#[must_use]
pub fn moved(recorded: &Identity, found: &Identity) -> bool {
    let pairs = recorded.texts().into_iter().zip(found.texts());
    let mut telling = pairs.filter(|((name, _), _)| TELLING.contains(name));
    // Rows and templates are what the caller asks for, not what the page is.
    telling.any(|((_, was), (_, is))| !was.is_empty() && !was.contains("{{") && was != is)
}

/// The recorded identity as the page has it now; what names parameters stays.
#[must_use]
pub fn healed(recorded: &Identity, found: &Identity) -> Identity {
    let mut healed = found.clone();
    for ((_, new), (name, was)) in healed.texts_mut().into_iter().zip(recorded.texts()) {
        if was.contains("{{") || (was.is_empty() && name == "row") {
            new.clone_from(was);
        }
    }
    healed
}

/// What differs between two revisions, as people read it.
#[must_use]
pub fn diff(before: &str, after: &str) -> String {
    let diff = TextDiff::from_lines(before, after);
    diff.unified_diff().context_radius(1).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_page_changed_is_healed_and_templates_stay() {
        let was = Identity {
            role: "button".into(),
            name: "Delete".into(),
            row: "{{order}}".into(),
            css: "#a".into(),
            ..Identity::default()
        };
        let is = Identity {
            row: "1001 Ada".into(),
            css: "#b".into(),
            ..was.clone()
        };
        assert!(moved(&was, &is));
        let healed = healed(&was, &is);
        assert_eq!((&*healed.row, &*healed.css), ("{{order}}", "#b"));
        assert!(!moved(&healed, &is));
        let shown = diff("a\nb\nc\n", "a\nB\nc\n");
        assert!(shown.contains("-b\n+B\n"), "{shown}");
    }
}
