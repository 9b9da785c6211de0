//! Locales: BCP 47 tags, as Chromium's `--lang` takes them and pages see them.

use crate::InvalidValue;
use crate::check::Checked;

/// Language, script, region and variants, each in its usual case: pages see the tag as written, and no
/// browser says `DE-de`.
pub(crate) fn check(text: &str) -> Checked {
    let canonical = canonical(text);
    if canonical.as_deref() == Some(text) {
        return Ok(());
    }
    let wrong = InvalidValue::new(format!("`{text}` is not a locale such as `de-AT`"));
    Err(wrong.meant(canonical.or_else(|| repaired(text))))
}

/// A well-formed tag in its usual case; `None` if it is malformed.
fn canonical(text: &str) -> Option<String> {
    let letters = |tag: &str| tag.bytes().all(|b| b.is_ascii_alphabetic());
    let mut subtags = text.split('-').peekable();
    let language = subtags
        .next()
        .filter(|tag| letters(tag) && (2..=3).contains(&tag.len()))?;
    let mut parts = vec![language.to_ascii_lowercase()];
    if let Some(script) = subtags.next_if(|tag| tag.len() == 4 && letters(tag)) {
        let (first, rest) = script.split_at(1);
        parts.push(first.to_ascii_uppercase() + &rest.to_ascii_lowercase());
    }
    let digits = |tag: &str| tag.bytes().all(|b| b.is_ascii_digit());
    let is_region = |tag: &&str| match tag.len() {
        2 => letters(tag),
        3 => digits(tag),
        _ => false,
    };
    if let Some(region) = subtags.next_if(is_region) {
        parts.push(match region.to_ascii_uppercase().as_str() {
            // Everybody writes this at some point; the real code differs.
            "UK" => "GB".to_owned(),
            region => region.to_owned(),
        });
    }
    for variant in subtags {
        let good =
            (4..=8).contains(&variant.len()) && variant.bytes().all(|b| b.is_ascii_alphanumeric());
        parts.push(good.then(|| variant.to_ascii_lowercase())?);
    }
    Some(parts.join("-"))
}

/// The first tag in a POSIX locale (`de_AT.UTF-8`) or a language list (`de-AT,de;q=0.9`).
fn repaired(text: &str) -> Option<String> {
    let first = text.split([',', ';', '.', '@']).next()?.trim();
    canonical(&first.replace('_', "-"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn refused(text: &str, hint: Option<&str>) {
        let wrong = check(text).unwrap_err();
        let hint = hint.map(|near| format!("did you mean `{near}`?"));
        assert_eq!(wrong.hint(), hint.as_deref(), "{wrong}");
    }

    #[test]
    fn tags_in_their_usual_case_are_good() {
        for good in [
            "de",
            "de-AT",
            "zh-Hant-TW",
            "es-419",
            "ca-ES-valencia",
            "fil-PH",
        ] {
            assert_eq!(check(good), Ok(()), "{good}");
        }
    }

    #[test]
    fn others_come_with_what_was_meant() {
        refused("de_AT", Some("de-AT"));
        refused("de_AT.UTF-8", Some("de-AT"));
        refused("de-AT;q=1", Some("de-AT"));
        refused("de-DE,en", Some("de-DE"));
        refused("DE-de", Some("de-DE"));
        refused("zh-hant-tw", Some("zh-Hant-TW"));
        refused("en-UK", Some("en-GB"));
        for wrong in ["", "d", "german", "de-", "de-A", "!!", "C.UTF-8"] {
            refused(wrong, None);
        }
    }
}
