//! Whether Chromium can load the extensions it is to start with. It shows a dialog about one that it cannot load,
//! and waits for an answer that nobody can give.

mod json;

use std::io::ErrorKind;
use std::path::Path;

use szk_config::{ConfigErrors, Resolved};

const KEY: &str = "browser.extensions";

/// Checks every extension in force.
pub(super) fn check(resolved: &Resolved) -> Result<(), ConfigErrors> {
    for folder in &resolved.settings.browser.extensions {
        check_folder(folder).map_err(|(message, hint)| resolved.unusable(KEY, message, hint))?;
    }
    Ok(())
}

/// Longest manifest, in bytes.
const LARGEST: u64 = 1 << 20;

/// What Chromium would miss in a manifest.
fn lacks(text: &str) -> Option<String> {
    let manifest = match json::parse(text) {
        Ok(manifest) => manifest,
        Err(error) => return Some(format!("is not valid JSON: {error}")),
    };
    let missing = |key: &&str| match *key {
        "manifest_version" => !manifest[key].is_i64(),
        key => !manifest[key].is_string(),
    };
    let key = ["manifest_version", "name", "version"]
        .into_iter()
        .find(missing)?;
    Some(format!("has no `{key}`, or a wrong one"))
}

const NAME_IT: &str = "name the folder that has the extension's `manifest.json`";
const UNPACK: &str = "unpack the extension, and name the folder that has its `manifest.json`";

/// What is wrong with a folder, and what to do about it.
fn check_folder(folder: &Path) -> Result<(), (String, &'static str)> {
    let shown = folder.display();
    match folder.metadata() {
        Ok(meta) if meta.is_dir() => {}
        Ok(_) => return Err((format!("the extension `{shown}` is not a folder"), UNPACK)),
        Err(error) => {
            let message = match error.kind() {
                ErrorKind::NotFound | ErrorKind::NotADirectory => {
                    format!("there is no extension at `{shown}`: no such folder")
                }
                _ => format!("cannot use the extension `{shown}`: {error}"),
            };
            return Err((message, NAME_IT));
        }
    }
    if folder.to_string_lossy().contains(',') {
        return Err((
            format!(
                "the path of the extension `{shown}` has a comma, where Chromium would split it"
            ),
            "move the extension to a folder without a comma in its path",
        ));
    }
    match szk_files::text(&folder.join("manifest.json"), LARGEST) {
        Ok(text) => match lacks(&text) {
            Some(what) => Err((
                format!("the `manifest.json` of the extension `{shown}` {what}"),
                "correct it, or leave the extension out",
            )),
            None => Ok(()),
        },
        Err(error) if error.kind() == ErrorKind::NotFound => Err((
            format!("`{shown}` is not an extension: it has no `manifest.json`"),
            NAME_IT,
        )),
        Err(error) => Err((
            format!("cannot read the `manifest.json` of the extension `{shown}`: {error}"),
            NAME_IT,
        )),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use szk_config::{CallOptions, Config, Origin};

    use super::*;

    #[track_caller]
    fn refused(folder: &Path, why: &str) {
        let (message, _) = check_folder(folder).unwrap_err();
        assert!(message.contains(why), "{message}");
        assert!(message.contains(&*folder.to_string_lossy()), "{message}");
    }

    #[test]
    fn only_a_folder_with_a_manifest_is_an_extension() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        fs::write(at("packed.crx"), "").unwrap();
        for folder in ["good", "empty", "a,b", "odd/manifest.json"] {
            fs::create_dir_all(at(folder)).unwrap();
        }
        let manifest = |folder: &str, text: &str| {
            fs::write(at(folder).join("manifest.json"), text).unwrap();
        };
        let good = r#"{"manifest_version": 3, "name": "x", "version": "1"}"#;
        manifest("a,b", good);
        let commented = format!("// Ours.\n{good}");
        for text in [good, &format!("\u{feff}{good}"), &commented] {
            manifest("good", text);
            assert_eq!(check_folder(&at("good")), Ok(()));
        }
        for (text, why) in [
            ("{", "is not valid JSON"),
            ("// Ours.\n{", "is not valid JSON"),
            ("// Ours.\n{}", "has no `manifest_version`"),
            (
                r#"{"manifest_version": 3, "name": "x"}"#,
                "has no `version`",
            ),
            ("[]", "has no `manifest_version`"),
        ] {
            manifest("good", text);
            refused(&at("good"), why);
        }
        refused(&at("gone"), "no such folder");
        refused(&at("packed.crx"), "is not a folder");
        refused(&at("packed.crx/below"), "no such folder");
        refused(&at("empty"), "has no `manifest.json`");
        refused(&at("odd"), "it is a folder");
        refused(&at("a,b"), "comma");
    }

    /// A call's mistake is the caller's; one in a file is shown where it is.
    #[test]
    fn who_named_it_is_blamed() {
        let dir = tempfile::tempdir().unwrap();
        let origin = Origin {
            cwd: dir.path().to_owned(),
            ..Origin::default()
        };
        let check = |call: &CallOptions| {
            let resolved = Config::load(&origin).unwrap().resolve(None, None, call);
            check(&resolved.unwrap()).unwrap_err()
        };
        let call = CallOptions {
            extensions: Some(vec!["gone".into()]),
            ..CallOptions::default()
        };
        let errors = check(&call);
        assert!(errors.problems()[0].is_of_the_call(), "{errors}");
        let text = "[browser]\nextensions = [\"gone\"]\n";
        fs::write(dir.path().join("szk.config.toml"), text).unwrap();
        let errors = check(&CallOptions::default());
        assert!(!errors.problems()[0].is_of_the_call(), "{errors}");
        assert!(errors.to_string().contains("szk.config.toml:2"), "{errors}");
    }
}
