//! Finding and reading the files.

use std::fs;

use super::TestHome;

#[test]
fn the_nearest_project_file_at_or_above() {
    let mut place = TestHome::with("[identity]\nlocale = \"de\"\n")
        .file("work/a/szk.config.toml", "[identity]\nlocale = \"fr\"\n");
    let mut check = |cwd: &str, expected: &str| {
        place.origin.cwd = place.path(cwd);
        assert_eq!(
            place.resolve().settings.identity.locale.as_deref(),
            Some(expected),
            "{cwd}"
        );
    };
    check("work", "de");
    check("work/b/c", "de");
    check("work/a", "fr");
    check("work/a/b", "fr");
}

#[test]
fn szk_config_names_another() {
    let place = TestHome::with("[identity]\nlocale = \"de\"\n")
        .file("work/ci/ci.toml", "[identity]\nlocale = \"fr\"\n")
        .file(
            "work/ci/szk.config.local.toml",
            "[identity]\ntimezone = \"UTC\"\n",
        )
        .env("SZK_CONFIG", "ci/ci.toml");
    let identity = place.resolve().settings.identity;
    assert_eq!(identity.locale.as_deref(), Some("fr"));
    assert_eq!(identity.timezone.as_deref(), Some("UTC"));
    let read = [
        place.path("work/ci/ci.toml"),
        place.path("work/ci/szk.config.local.toml"),
    ];
    assert_eq!(place.load().files(), read);
}

#[test]
fn a_named_file_that_is_missing() {
    let place = TestHome::new().env("SZK_CONFIG", "nope.toml");
    insta::assert_snapshot!(place.mistakes(), @r"
    error: `work/nope.toml` does not exist
    help: `SZK_CONFIG` names it
    ");
}

#[test]
fn a_folder_in_its_place() {
    let place = TestHome::new();
    fs::create_dir(place.path("work/szk.config.toml")).unwrap();
    insta::assert_snapshot!(place.mistakes(), @"error: `work/szk.config.toml` is a folder, not a configuration file");
}

#[cfg(unix)]
#[test]
fn a_link_to_nowhere() {
    let place = TestHome::new();
    std::os::unix::fs::symlink("nowhere", place.path("work/szk.config.toml")).unwrap();
    insta::assert_snapshot!(place.mistakes(), @"error: `work/szk.config.toml` does not exist");
}

/// No one, not even root, can read a path that leads through a regular file.
#[cfg(unix)]
#[test]
fn a_file_that_cannot_be_read() {
    let place = TestHome::new()
        .file("work/file", "")
        .env("SZK_CONFIG", "file/ci.toml");
    insta::assert_snapshot!(place.mistakes(), @r"
    error: cannot read `work/file/ci.toml`: Not a directory (os error 20)
    help: `SZK_CONFIG` names it
    ");
}

#[test]
fn not_text() {
    let place = TestHome::new();
    fs::write(
        place.path("work/szk.config.toml"),
        b"[log]\nlevel = \"\xff\"\n",
    )
    .unwrap();
    insta::assert_snapshot!(place.mistakes(), @"error: `work/szk.config.toml` is not UTF-8 text (line 2)");
}

#[test]
fn an_empty_file_and_a_byte_order_mark_are_fine() {
    TestHome::with("").resolve();
    let place = TestHome::with("\u{feff}[log]\r\nlevel = \"warn\"\r\n");
    assert_eq!(place.resolve().settings.log.level, "warn");
}
