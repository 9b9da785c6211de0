//! Every mistake is shown, all at once, in its place.

use super::{TestHome, call};

/// The rendered errors of a project file.
fn mistakes(text: &str) -> String {
    TestHome::with(text).mistakes()
}

#[test]
fn unknown_key() {
    insta::assert_snapshot!(mistakes("[identity]\nlocal = \"de\"\n"), @r#"
    error: unknown key `identity.local`
     --> work/szk.config.toml:2:1
      |
    2 | local = "de"
      | ^^^^^
      |
      = help: did you mean `locale`?
    "#);
}

#[test]
fn unknown_section() {
    insta::assert_snapshot!(mistakes("[brwoser]\nheadless = true\n"), @r"
    error: unknown section `brwoser`
     --> work/szk.config.toml:1:2
      |
    1 | [brwoser]
      |  ^^^^^^^
      |
      = help: did you mean `browser`?
    ");
}

#[test]
fn key_outside_its_section() {
    insta::assert_snapshot!(mistakes("locale = \"de\"\n"), @r#"
    error: unknown key `locale`
     --> work/szk.config.toml:1:1
      |
    1 | locale = "de"
      | ^^^^^^
      |
      = help: `locale` belongs under `[identity]`
    "#);
    insta::assert_snapshot!(mistakes("[browser]\nlocale = \"de\"\n"), @r#"
    error: unknown key `browser.locale`
     --> work/szk.config.toml:2:1
      |
    2 | locale = "de"
      | ^^^^^^
      |
      = help: `locale` belongs under `[identity]`
    "#);
}

#[test]
fn unknown_key_like_no_other() {
    insta::assert_snapshot!(mistakes("[browser]\nflavour = \"nice\"\n"), @r#"
    error: unknown key `browser.flavour`
     --> work/szk.config.toml:2:1
      |
    2 | flavour = "nice"
      | ^^^^^^^
    "#);
}

#[test]
fn section_that_is_a_value() {
    insta::assert_snapshot!(mistakes("browser = \"chromium\"\n"), @r#"
    error: `browser` is a section: write `[browser]`
     --> work/szk.config.toml:1:1
      |
    1 | browser = "chromium"
      | ^^^^^^^
    "#);
}

#[test]
fn choosing_a_preset_in_the_wrong_place() {
    insta::assert_snapshot!(mistakes("preset = \"laptop\"\n"), @r#"
    error: `preset` is not a table
     --> work/szk.config.toml:1:1
      |
    1 | preset = "laptop"
      | ^^^^^^
      |
      = help: choose a preset with `preset = "…"` under `[identity]`, make one with `[preset.<name>]`
    "#);
}

#[test]
fn unknown_key_of_a_preset() {
    insta::assert_snapshot!(mistakes("[preset.Mine]\ntouhc = true\npreset = \"laptop\"\n"), @r#"
    error: `Mine` is not a preset name: lower-case letters, digits, `-`, `_`, `.`
     --> work/szk.config.toml:1:9
      |
    1 | [preset.Mine]
      |         ^^^^

    error: unknown key `preset.Mine.touhc`
     --> work/szk.config.toml:2:1
      |
    2 | touhc = true
      | ^^^^^
      |
      = help: did you mean `touch`?

    error: unknown key `preset.Mine.preset`
     --> work/szk.config.toml:3:1
      |
    3 | preset = "laptop"
      | ^^^^^^
      |
      = help: `preset` belongs under `[identity]`
    "#);
}

#[test]
fn wrong_type() {
    insta::assert_snapshot!(mistakes("[session]\nlinger_minutes = \"long\"\n"), @r#"
    error: `linger_minutes`: invalid type: string "long", expected a number
     --> work/szk.config.toml:2:18
      |
    2 | linger_minutes = "long"
      |                  ^^^^^^
    "#);
    insta::assert_snapshot!(mistakes("[browser]\nextensions = \"one\"\n"), @r#"
    error: `extensions`: invalid type: string "one", expected a list
     --> work/szk.config.toml:2:14
      |
    2 | extensions = "one"
      |              ^^^^^
    "#);
    insta::assert_snapshot!(mistakes("[session]\nlinger_minutes = -1\n"), @r"
    error: `linger_minutes`: must be 0 (never) to 525600 minutes
     --> work/szk.config.toml:2:18
      |
    2 | linger_minutes = -1
      |                  ^^
    ");
}

#[test]
fn wrong_values_all_at_once() {
    let text = "\
[browser]
headless = \"yes\"
args = [\"--user-data-dir=/tmp\"]
chromium = \"\"
[identity]
viewport = \"1280\"
screen = { width = 5 }
locale = \"de_AT\"
timezone = \"warsaw\"
proxy = \"ftp://proxy\"
user_agent = \"Chrome/{minor}\"
orientation = \"upright\"
device_scale_factor = 0
geolocation = { latitude = 91, longitude = 0 }
[session]
save_seconds = 60
[endpoint]
auth = \"password\"
allowed_origins = [\"*\"]
[log]
level = \"loud\"
";
    insta::assert_snapshot!(mistakes(text), @r#"
    error: `headless`: `yes` is not one of `auto`, `true`, `false`
     --> work/szk.config.toml:2:12
      |
    2 | headless = "yes"
      |            ^^^^^

    error: `args`: `--user-data-dir` is set by szk itself: use `store.path`
     --> work/szk.config.toml:3:8
      |
    3 | args = ["--user-data-dir=/tmp"]
      |        ^^^^^^^^^^^^^^^^^^^^^^^^

    error: `chromium`: a path cannot be empty
     --> work/szk.config.toml:4:12
      |
    4 | chromium = ""
      |            ^^

    error: `viewport`: `1280` is not a size such as `1280x800`
     --> work/szk.config.toml:6:12
      |
    6 | viewport = "1280"
      |            ^^^^^^

    error: `screen`: missing field `height`
     --> work/szk.config.toml:7:10
      |
    7 | screen = { width = 5 }
      |          ^^^^^^^^^^^^^

    error: `locale`: `de_AT` is not a locale such as `de-AT`
     --> work/szk.config.toml:8:10
      |
    8 | locale = "de_AT"
      |          ^^^^^^^
      |
      = help: did you mean `de-AT`?

    error: `timezone`: `warsaw` is not an IANA time zone such as `Europe/Warsaw` or `UTC`
     --> work/szk.config.toml:9:12
      |
    9 | timezone = "warsaw"
      |            ^^^^^^^^
      |
      = help: did you mean `Europe/Warsaw`?

    error: `proxy`: `ftp` is not a proxy scheme: expected one of `http`, `https`, `socks4`, `socks5`
      --> work/szk.config.toml:10:9
       |
    10 | proxy = "ftp://proxy"
       |         ^^^^^^^^^^^^^

    error: `user_agent`: `Chrome/{minor}` has an unknown placeholder: there are `{major}` and `{version}`
      --> work/szk.config.toml:11:14
       |
    11 | user_agent = "Chrome/{minor}"
       |              ^^^^^^^^^^^^^^^^

    error: `orientation`: unknown variant `upright`, expected `portrait` or `landscape`
      --> work/szk.config.toml:12:15
       |
    12 | orientation = "upright"
       |               ^^^^^^^^^

    error: `device_scale_factor`: `0` is out of range: 0.25 to 8 device pixels per CSS pixel
      --> work/szk.config.toml:13:23
       |
    13 | device_scale_factor = 0
       |                       ^

    error: `geolocation`: a position has a latitude of -90 to 90 and a longitude of -180 to 180
      --> work/szk.config.toml:14:15
       |
    14 | geolocation = { latitude = 91, longitude = 0 }
       |               ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^

    error: `save_seconds`: `60` is out of range: 1 to 5 seconds
      --> work/szk.config.toml:16:16
       |
    16 | save_seconds = 60
       |                ^^

    error: `auth`: unknown variant `password`, expected `token` or `none`
      --> work/szk.config.toml:18:8
       |
    18 | auth = "password"
       |        ^^^^^^^^^^

    error: `allowed_origins`: `*` is not an origin such as `https://app.example`
      --> work/szk.config.toml:19:19
       |
    19 | allowed_origins = ["*"]
       |                   ^^^^^

    error: `level`: `loud` is not a log level: expected `off`, `error`, `warn`, `info`, `debug`, `trace`, or directives such as `info,szk_cdp=debug`
      --> work/szk.config.toml:21:9
       |
    21 | level = "loud"
       |         ^^^^^^
    "#);
}

#[test]
fn in_several_files_and_the_environment() {
    let place = TestHome::with("[log]\nlevle = \"info\"\n")
        .file("user/config.toml", "[log]\nlevel = 3\n")
        .env("SZK_HEADLESS", "yes")
        .env("SZK_LOG", "loud");
    insta::assert_snapshot!(place.mistakes(), @r#"
    error: `level`: invalid type: integer `3`, expected a string
     --> user/config.toml:2:9
      |
    2 | level = 3
      |         ^

    error: unknown key `log.levle`
     --> work/szk.config.toml:2:1
      |
    2 | levle = "info"
      | ^^^^^
      |
      = help: did you mean `level`?

    error: `SZK_HEADLESS`: `yes` is not one of `auto`, `true`, `false`

    error: `SZK_LOG`: `loud` is not a log level: expected `off`, `error`, `warn`, `info`, `debug`, `trace`, or directives such as `info,szk_cdp=debug`
    "#);
}

/// A weaker layer's mistake still counts when a stronger layer sets the key.
#[test]
fn in_a_value_that_is_overridden() {
    let place = TestHome::with("[log]\nlevel = \"info\"\n")
        .file("user/config.toml", "[log]\nlevel = \"loud\"\n");
    assert!(place.mistakes().contains("user/config.toml:2:9"));
}

#[test]
fn syntax() {
    insta::assert_snapshot!(mistakes("[log]\nlevel = \n[browser\n"), @r"
    error: string values must be quoted, expected literal string
     --> work/szk.config.toml:2:9
      |
    2 | level = 
      |         ^

    error: unclosed table, expected `]`
     --> work/szk.config.toml:3:9
      |
    3 | [browser
      |         ^
    ");
    insta::assert_snapshot!(mistakes("[log\nlevel = info\nlevel = \"info\"\n"), @r"
    error: unclosed table, expected `]`
     --> work/szk.config.toml:1:5
      |
    1 | [log
      |     ^
    ");
    insta::assert_snapshot!(mistakes("[log]\nlevel = \"info\n"), @r#"
    error: invalid basic string, expected `"`
     --> work/szk.config.toml:2:14
      |
    2 | level = "info
      |              ^
    "#);
    insta::assert_snapshot!(mistakes("[log]\nlevel = \"info\"\nlevel = \"warn\"\n"), @r#"
    error: duplicate key
     --> work/szk.config.toml:3:1
      |
    3 | level = "warn"
      | ^^^^^
    "#);
    insta::assert_snapshot!(mistakes("[log]\nlevel = "), @r"
    error: string values must be quoted, expected literal string
     --> work/szk.config.toml:2:9
      |
    2 | level = 
      |         ^
    ");
}

#[test]
fn wide_characters_before_the_place() {
    insta::assert_snapshot!(mistakes("[preset.x]\nlabel = \"é日本\"  # ü\nviewport = \"日本\"\n"), @r#"
    error: `viewport`: `日本` is not a size such as `1280x800`
     --> work/szk.config.toml:3:12
      |
    3 | viewport = "日本"
      |            ^^^^^^
    "#);
}

#[test]
fn logins_are_not_shown() {
    for text in [
        "[identity]\nproxy = \"ftp://jane:s3cret@proxy\"\n",
        "[identity]\nproxy = \"jane:s3cret@proxy\"\n",
        "[identity]\nproxy = http://jane:s3cret@proxy\n",
        "[identity]\nprxy = \"http://jane:s3cret@proxy\"\n",
        "[identity]\nproxy = [\"http://jane:s3cret@proxy\"]\n",
        "[identity]\nproxy = \"http://jane:s3cret@proxy\" x\n",
    ] {
        let shown = mistakes(text);
        assert!(!shown.contains("s3cret"), "{shown}");
        let errors = crate::Config::load(&TestHome::with(text).origin).unwrap_err();
        assert!(!format!("{errors:?}").contains("s3cret"));
    }
    insta::assert_snapshot!(mistakes("[identity]\nproxy = \"jane:s3cret@proxy\"\n"), @r#"
    error: `proxy`: `***@proxy` has no scheme: begin with one of `http`, `https`, `socks4`, `socks5`, then `://`
     --> work/szk.config.toml:2:9
      |
    2 | proxy = "***********@proxy"
      |         ^^^^^^^^^^^^^^^^^^^
    "#);
}

#[test]
fn in_the_call() {
    let call = call(|call| {
        call.locale = Some("de_AT".to_owned());
        call.timezone = Some("warsaw".to_owned());
    });
    insta::assert_snapshot!(TestHome::new().refusal(None, &call), @r"
    error: `identity.locale` (call): `de_AT` is not a locale such as `de-AT`
    help: did you mean `de-AT`?

    error: `identity.timezone` (call): `warsaw` is not an IANA time zone such as `Europe/Warsaw` or `UTC`
    help: did you mean `Europe/Warsaw`?
    ");
}

#[test]
fn sizes_that_no_window_has() {
    insta::assert_snapshot!(mistakes("[preset.mine]\nviewport = \"1x1\"\n"), @r#"
    error: `viewport`: `1x1` is too small: the page of a window is at least 500x150, and that of a phone 240x150
     --> work/szk.config.toml:2:12
      |
    2 | viewport = "1x1"
      |            ^^^^^
      |
      = help: did you mean `500x150`?
    "#);
    let narrow = TestHome::with("[identity]\nviewport = \"400x800\"\n");
    insta::assert_snapshot!(narrow.refusal(None, &call(|_| ())), @r#"
    error: `400x800` is too narrow: a window's page is at least 500 wide
     --> work/szk.config.toml:2:12
      |
    2 | viewport = "400x800"
      |            ^^^^^^^^^
      |
      = help: did you mean `500x800`? Narrower pages are those of a mobile identity (preset `phone`), or of `browser_emulate` with `device`, which changes one tab
    "#);
    // A phone's page is not limited by a window.
    let phone = TestHome::with("[identity]\nviewport = \"400x800\"\nmobile = true\ntouch = true\n");
    let warnings = phone.resolve().warnings.concat();
    assert!(!warnings.contains("comes out"), "{warnings}");
}

#[test]
fn what_a_profile_has_saved_never_keeps_it_from_opening() {
    let saved = super::saved(|identity| {
        identity.timezone = Some("Europe/Warsawa".to_owned());
        identity.viewport = "400x800".parse().ok();
    });
    let resolved = TestHome::new().resolve_with(Some(&saved), &call(|_| ()));
    assert_eq!(resolved.settings.identity.timezone, None);
    insta::assert_debug_snapshot!(resolved.warnings, @r#"
    [
        "a value that the profile has saved is left out: `identity.timezone` (profile): `Europe/Warsawa` is not an IANA time zone such as `Europe/Warsaw` or `UTC`",
        "the viewport 400x800 comes out 500 wide: Chromium's windows are not narrower",
    ]
    "#);
}

#[test]
fn positions_are_available_as_data() {
    let place = TestHome::with("[identity]\nlocal = \"de\"\n");
    let errors = crate::Config::load(&place.origin).unwrap_err();
    let problem = &errors.problems()[0];
    assert_eq!(problem.message(), "unknown key `identity.local`");
    assert_eq!(problem.hint(), Some("did you mean `locale`?"));
    assert_eq!(
        problem.path(),
        Some(place.path("work/szk.config.toml").as_path())
    );
    assert_eq!(problem.position(), Some((2, 1)));
}
