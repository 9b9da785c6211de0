//! The name that was probably meant.

use crate::keys::KEYS;

/// The candidate nearest to `word`, if it is close enough to suggest.
///
/// Up to a third of the letters may differ: that covers swapped, missing or doubled letters in short
/// names without suggesting unrelated ones.
pub(crate) fn nearest<'a>(
    word: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> Option<&'a str> {
    let allowed = (word.chars().count() / 3).max(1);
    let distance = |candidate: &str| strsim::damerau_levenshtein(word, candidate);
    let near = candidates.into_iter().map(|name| (distance(name), name));
    let (distance, name) = near.min()?;
    (distance <= allowed).then_some(name)
}

/// The names of a section's keys.
pub(crate) fn siblings(section: &str) -> impl Iterator<Item = &'static str> {
    KEYS.iter().filter_map(move |key| {
        let (own, name) = key.path.split_once('.')?;
        (own == section).then_some(name)
    })
}

/// Where a key of this name lives, for people who know the name but not the section.
pub(crate) fn home_of(name: &str) -> Option<String> {
    let key = KEYS
        .iter()
        .find(|key| key.path.split_once('.').is_some_and(|(_, own)| own == name))?;
    let (section, _) = key.path.split_once('.')?;
    Some(format!("`{name}` belongs under `[{section}]`"))
}

#[cfg(test)]
mod tests {
    #[track_caller]
    fn check(word: &str, expected: Option<&str>) {
        assert_eq!(
            super::nearest(word, ["locale", "timezone", "args"]),
            expected
        );
    }

    #[test]
    fn nearest() {
        check("local", Some("locale"));
        check("timezoen", Some("timezone"));
        check("arg", Some("args"));
        check("colour", None);
    }
}
