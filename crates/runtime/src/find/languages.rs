//! Whether a browser speaks a language.
//!
//! Its own words, such as what it says about an empty field, come from a file for each language. Without
//! that file pages see English words beside German dates, which no browser of a German has.

use std::path::Path;

/// The folder of the files, beside the executable.
const FOLDER: &str = "locales";

/// What is missing for a locale, as a warning; `None` if nothing is, or if it cannot be known.
#[must_use]
pub fn lacks_language(binary: &Path, locale: &str) -> Option<String> {
    let binary = binary.canonicalize().ok()?;
    let folder = binary.parent()?.join(FOLDER);
    let names: Vec<String> = std::fs::read_dir(folder)
        .ok()?
        .flatten()
        .filter_map(|file| file.file_name().into_string().ok())
        .collect();
    let language = locale.split(['-', '_']).next()?;
    (!names.is_empty() && !has(&names, language)).then(|| {
        format!(
            "the browser has no language pack for `{locale}`: pages see English messages beside {locale} dates; install `chromium-l10n`, or a browser that has one"
        )
    })
}

/// `de.pak`, or one of several as `pt-BR.pak`.
fn has(names: &[String], language: &str) -> bool {
    let mut packs = names.iter().filter_map(|name| name.strip_suffix(".pak"));
    packs.any(|pack| pack.split('-').next() == Some(language))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_language_without_its_file_is_missing() {
        let folder = tempfile::tempdir().unwrap();
        let binary = folder.path().join("chromium");
        std::fs::write(&binary, "").unwrap();
        assert_eq!(lacks_language(&binary, "de-DE"), None, "nobody knows");
        let locales = folder.path().join(FOLDER);
        std::fs::create_dir(&locales).unwrap();
        for name in ["en-US.pak", "pt-BR.pak", "fr.pak", "README"] {
            std::fs::write(locales.join(name), "").unwrap();
        }
        for locale in ["en-GB", "en", "pt-PT", "fr-CA"] {
            assert_eq!(lacks_language(&binary, locale), None, "{locale}");
        }
        for locale in ["de-DE", "de", "RE"] {
            assert!(lacks_language(&binary, locale).is_some(), "{locale}");
        }
    }
}
