//! Which layer wins, and that it is reported.

use super::{TestHome, call, saved};
use crate::{CallOptions, Headless, Resolved, Source, Viewport};

const LOCALE: &str = "identity.locale";

#[track_caller]
fn check(place: &TestHome, resolved: &Resolved, key: &str, expected: &str) {
    assert_eq!(place.explained(resolved, key), expected);
}

#[test]
fn nothing_anywhere_is_the_default() {
    let place = TestHome::new();
    let resolved = place.resolve();
    check(&place, &resolved, "browser.headless", "\"auto\" (default)");
    check(&place, &resolved, LOCALE, "unset (default)");
    assert_eq!(resolved.source(LOCALE), &Source::Default);
    assert_eq!(resolved.warnings, Vec::<String>::new());
}

#[test]
fn files_override_each_other() {
    let place = TestHome::with("[identity]\nlocale = \"de-DE\"\n")
        .file(
            "user/config.toml",
            "[identity]\nlocale = \"fr\"\ntimezone = \"UTC\"\n",
        )
        .file(
            "work/szk.config.local.toml",
            "\n[identity]\nlocale = \"pl\"\n",
        );
    let resolved = place.resolve();
    check(
        &place,
        &resolved,
        LOCALE,
        "\"pl\" (local file work/szk.config.local.toml:3) < \"de-DE\" (project file work/szk.config.toml:2) < \"fr\" (user file user/config.toml:2)",
    );
    check(
        &place,
        &resolved,
        "identity.timezone",
        "\"UTC\" (user file user/config.toml:3)",
    );
    assert_eq!(resolved.settings.identity.locale.as_deref(), Some("pl"));
}

#[test]
fn preset_then_saved_identity_then_call() {
    let text = "[identity]\nlocale = \"de\"\npreset = \"work\"\n[preset.work]\nlocale = \"fr\"\n";
    let place = TestHome::with(text);
    let call = call(|call| call.locale = Some("it".to_owned()));
    let saved = saved(|identity| identity.locale = Some("pl".to_owned()));
    let file = "\"de\" (project file work/szk.config.toml:2)";
    let preset = "\"fr\" (preset work in work/szk.config.toml:5)";
    let resolved = place.resolve();
    check(&place, &resolved, LOCALE, &format!("{preset} < {file}"));
    let resolved = place.resolve_with(Some(&saved), &CallOptions::default());
    check(
        &place,
        &resolved,
        LOCALE,
        &format!("\"pl\" (profile) < {preset} < {file}"),
    );
    let resolved = place.resolve_with(Some(&saved), &call);
    check(
        &place,
        &resolved,
        LOCALE,
        &format!("\"it\" (call) < \"pl\" (profile) < {preset} < {file}"),
    );
}

#[test]
fn environment_then_call() {
    let place = TestHome::with("[browser]\nheadless = true\n[log]\nlevel = \"warn\"\n")
        .env("SZK_HEADLESS", "false")
        .env("SZK_CHROMIUM", "/opt/chromium")
        .env("SZK_LOG", "debug");
    let resolved = place.resolve();
    let file = "true (project file work/szk.config.toml:2) < \"auto\" (default)";
    check(
        &place,
        &resolved,
        "browser.headless",
        &format!("\"false\" (SZK_HEADLESS) < {file}"),
    );
    assert_eq!(resolved.settings.browser.headless, Headless::Off);
    assert_eq!(resolved.settings.log.level, "debug");
    check(
        &place,
        &resolved,
        "browser.chromium",
        "\"/opt/chromium\" (SZK_CHROMIUM)",
    );
    let resolved = place.resolve_with(None, &call(|call| call.headless = Some(Headless::On)));
    check(
        &place,
        &resolved,
        "browser.headless",
        &format!("true (call) < \"false\" (SZK_HEADLESS) < {file}"),
    );
}

#[test]
fn an_empty_variable_is_not_set() {
    let place = TestHome::new()
        .env("SZK_HEADLESS", "")
        .env("SZK_PRESET", "")
        .env("SZK_CONFIG", "");
    check(
        &place,
        &place.resolve(),
        "browser.headless",
        "\"auto\" (default)",
    );
}

#[test]
fn a_dotenv_file_sets_what_the_environment_does_not() {
    let place = TestHome::with("[browser]\nheadless = true\n")
        .file(
            "work/.env",
            "export SZK_HEADLESS=false\nSZK_LOG='debug' # why\nSZK_CHROMIUM=bin/chromium\nSZK_STORE=\n\
             DATABASE_URL=postgres://me@host\nnot a line of ours\n",
        )
        .env("SZK_LOG", "warn");
    let resolved = place.resolve();
    let dotenv = place.origin.cwd.join(".env");
    let dotenv = dotenv.display();
    assert_eq!(resolved.settings.browser.headless, Headless::Off);
    assert_eq!(
        resolved.settings.log.level, "warn",
        "the process's own wins"
    );
    let chromium = place.origin.cwd.join("bin/chromium");
    assert_eq!(resolved.settings.browser.chromium.as_ref(), Some(&chromium));
    assert_eq!(
        resolved.source("browser.headless").to_string(),
        format!("SZK_HEADLESS in {dotenv}")
    );
    assert_eq!(
        place.load().store_root(),
        place.origin.data_dir.clone().unwrap()
    );

    // The project folder's file is used, however deep in the project one works.
    let mut place = place.file("work/deep/er/.env", "SZK_HEADLESS=auto\n");
    place.origin.cwd = place.origin.cwd.join("deep/er");
    assert_eq!(place.resolve().settings.browser.headless, Headless::Off);

    let wrong = TestHome::new().file("work/.env", "SZK_HEADLESS=perhaps\n");
    let problem = wrong.mistakes();
    assert!(
        problem.contains("SZK_HEADLESS") && problem.contains(".env"),
        "{problem}"
    );
    let unreadable = TestHome::new().file("work/.env", "SZK_STORE='open\n");
    assert!(unreadable.mistakes().contains(".env"));
}

#[test]
fn a_dotenv_file_may_name_the_configuration_and_the_preset() {
    let place = TestHome::new()
        .file(
            "work/.env",
            "SZK_CONFIG=conf/szk.toml\nSZK_PRESET=desktop\n",
        )
        .file("work/conf/szk.toml", "[log]\nlevel = \"debug\"\n");
    let resolved = place.resolve();
    assert_eq!(resolved.settings.log.level, "debug");
    assert_eq!(
        resolved.settings.identity.preset.as_deref(),
        Some("desktop")
    );
}

#[test]
fn other_variables_are_nobodys_business() {
    let place = TestHome::new()
        .env("SZK_LOCALE", "de")
        .env("HEADLESS", "false");
    check(&place, &place.resolve(), LOCALE, "unset (default)");
}

#[test]
fn store_root_call_environment_file_home() {
    let place = TestHome::new();
    assert_eq!(place.load().store_root(), place.path("data"));
    let place = TestHome::with("[store]\npath = \"./sessions\"\n");
    assert_eq!(place.load().store_root(), place.path("work/sessions"));
    let place = place.env("SZK_STORE", "elsewhere");
    assert_eq!(place.load().store_root(), place.path("work/elsewhere"));
    assert_eq!(place.resolve().store_root(), place.path("work/elsewhere"));
    let call = call(|call| call.store = Some("/srv/szk".into()));
    assert_eq!(
        place.resolve_with(None, &call).store_root().to_str(),
        Some("/srv/szk")
    );
}

#[test]
fn paths_begin_at_the_file_they_are_written_in() {
    let text = "[browser]\nextensions = [\"ext/a\", \"/ext/b\", \"../c\"]\n";
    let place = TestHome::new().file("user/config.toml", text);
    let extensions = place.resolve().settings.browser.extensions;
    let expected = [
        place.path("user/ext/a"),
        "/ext/b".into(),
        place.path("user/../c"),
    ];
    assert_eq!(extensions, expected);
}

#[test]
fn logins_are_not_explained() {
    let place = TestHome::with("[identity]\nproxy = \"http://jane:s3cret@proxy:1\"\n");
    let call = call(|call| call.proxy = Some("http://joe:s3cret@proxy:2".parse().unwrap()));
    let resolved = place.resolve_with(None, &call);
    check(
        &place,
        &resolved,
        "identity.proxy",
        "\"http://***@proxy:2\" (call) < \"http://***@proxy:1\" (project file work/szk.config.toml:2)",
    );
    let debug = format!("{resolved:?} {call:?} {:?}", place.load());
    assert!(!debug.contains("s3cret"), "{debug}");
}

#[test]
fn the_identity_of_the_first_use_is_saved_for_life() {
    let place = TestHome::with("[identity]\ntimezone = \"UTC\"\npreset = \"laptop\"\n");
    let first = call(|call| call.locale = Some("de".to_owned()));
    let identity = place.resolve_with(None, &first).identity_to_save();
    insta::assert_snapshot!(serde_json::to_string_pretty(&identity).unwrap(), @r#"
    {
      "preset": "laptop",
      "label": "Laptop, 1440x900 screen, maximised window",
      "locale": "de",
      "timezone": "UTC",
      "viewport": "1440x780",
      "screen": "1440x900"
    }
    "#);
    let later = call(|call| {
        call.viewport = Some(Viewport {
            width: 800,
            height: 600,
        })
    });
    let place = TestHome::with("[identity]\ntimezone = \"Europe/Paris\"\npreset = \"desktop\"\n");
    let resolved = place.resolve_with(Some(&identity), &later);
    assert_eq!(resolved.settings.identity.viewport, later.viewport);
    assert_eq!(resolved.settings.identity.timezone.as_deref(), Some("UTC"));
    assert_eq!(resolved.identity_to_save(), identity);
}

#[test]
fn only_the_users_own_file_turns_the_audit_log_off() {
    let off = "[audit]\nlog = \"off\"\n";
    let own = TestHome::new().file("user/config.toml", off);
    assert_eq!(own.resolve().settings.audit.log, crate::AuditLog::Off);
    for file in ["work/szk.config.toml", "work/szk.config.local.toml"] {
        let place = TestHome::with("").file(file, off);
        let mistakes = place.mistakes();
        assert!(
            mistakes.contains("`audit.log` cannot be set in a project's file"),
            "{file}: {mistakes}"
        );
    }
}
