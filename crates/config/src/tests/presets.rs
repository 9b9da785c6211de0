//! Choosing, defining and describing presets.

use super::{TestHome, call, saved};
use crate::{CallOptions, Identity};

#[track_caller]
fn check_chosen(place: &TestHome, saved: Option<&Identity>, asked: Option<&str>, expected: &str) {
    let call = call(|call| call.preset = asked.map(str::to_owned));
    let resolved = place.resolve_with(saved, &call);
    assert_eq!(resolved.settings.identity.preset.as_deref(), Some(expected));
}

#[test]
fn the_call_then_the_environment_then_the_profile_then_the_files_choose() {
    let place = TestHome::new();
    check_chosen(&place, None, None, "native");
    let place = TestHome::with("[identity]\npreset = \"laptop\"\n");
    check_chosen(&place, None, None, "laptop");
    let saved = saved(|identity| identity.preset = Some("desktop".to_owned()));
    check_chosen(&place, Some(&saved), None, "desktop");
    let place = place.env("SZK_PRESET", "compact");
    check_chosen(&place, Some(&saved), None, "compact");
    check_chosen(&place, Some(&saved), Some("phone"), "phone");
}

#[test]
fn the_shorthand_chooses_too() {
    let config = TestHome::new().load();
    let resolved = config
        .resolve(Some("laptop"), None, &CallOptions::default())
        .unwrap();
    assert_eq!(resolved.settings.identity.preset.as_deref(), Some("laptop"));
}

#[test]
fn native_overrides_nothing() {
    let identity = TestHome::new().resolve().settings.identity;
    let only_named = Identity {
        preset: identity.preset.clone(),
        label: identity.label.clone(),
        ..Identity::default()
    };
    assert_eq!(identity, only_named);
}

#[test]
fn the_compiled_in_ones() {
    let shown: Vec<_> = TestHome::new()
        .load()
        .presets()
        .into_iter()
        .map(|preset| {
            format!(
                "{}: {} [{} warnings]",
                preset.name,
                preset.label,
                preset.warnings.len()
            )
        })
        .collect();
    insta::assert_debug_snapshot!(shown, @r#"
    [
        "compact: Small window, 1280x720 page [0 warnings]",
        "desktop: Desktop, 1920x1080 screen, maximised window [0 warnings]",
        "laptop: Laptop, 1440x900 screen, maximised window [0 warnings]",
        "mac: Claims to be Chrome on macOS [2 warnings]",
        "native: This machine as it is [0 warnings]",
        "phone: Android phone, 412x915, for layout tests [2 warnings]",
        "tablet: Android tablet, 1280x800, for layout tests [2 warnings]",
        "windows: Claims to be Chrome on Windows [2 warnings]",
    ]
    "#);
}

/// A preset cannot claim another platform consistently, so it has to say so.
#[test]
fn a_preset_with_a_foreign_user_agent_says_what_gives_it_away() {
    for preset in TestHome::new().load().presets() {
        let foreign = preset.identity.user_agent.is_some() || preset.identity.mobile.is_some();
        let says = preset
            .warnings
            .iter()
            .any(|warning| warning.contains("navigator.platform"));
        assert_eq!(foreign, says, "{}", preset.name);
        let pinned = preset
            .identity
            .user_agent
            .is_some_and(|ua| crate::check::pins_version(&ua));
        assert!(!pinned, "{} pins a version", preset.name);
    }
}

#[test]
fn a_stronger_file_changes_single_keys() {
    let place = TestHome::with(
        "[preset.laptop]\nlocale = \"de\"\nviewport = \"800x600\"\nwarnings = [\"small\"]\n",
    )
    .env("SZK_PRESET", "laptop");
    let resolved = place.resolve();
    let identity = resolved.settings.identity;
    assert_eq!(identity.locale.as_deref(), Some("de"));
    assert_eq!(identity.viewport.unwrap().to_string(), "800x600");
    assert_eq!(identity.screen.unwrap().to_string(), "1440x900");
    assert_eq!(resolved.warnings, ["small"]);
}

#[test]
fn an_unknown_one_is_the_calls_or_the_environments() {
    let of_the_call = |place: &TestHome, call: &CallOptions| {
        let errors = place.load().resolve(None, None, call).unwrap_err();
        errors.problems()[0].is_of_the_call()
    };
    // Whatever it is called.
    let asked = call(|call| call.preset = Some("SZK_PRESET".to_owned()));
    assert!(of_the_call(&TestHome::new(), &asked));
    let place = TestHome::new().env("SZK_PRESET", "nothing-like-it");
    assert!(!of_the_call(&place, &CallOptions::default()));
}

#[test]
fn an_unknown_one_is_an_error_with_the_nearest() {
    let place = TestHome::new();
    let call = call(|call| call.preset = Some("labtop".to_owned()));
    insta::assert_snapshot!(place.refusal(None, &call), @r"
    error: unknown preset `labtop` (call)
    help: did you mean `laptop`?
    ");
    let place = TestHome::new().env("SZK_PRESET", "nothing-like-it");
    insta::assert_snapshot!(place.refusal(None, &CallOptions::default()), @r"
    error: unknown preset `nothing-like-it` (SZK_PRESET)
    help: there are `compact`, `desktop`, `laptop`, `mac`, `native`, `phone`, `tablet`, `windows`
    ");
    let place = TestHome::with("[identity]\npreset = \"desktp\"\n");
    insta::assert_snapshot!(place.mistakes(), @r#"
    error: unknown preset `desktp`
     --> work/szk.config.toml:2:10
      |
    2 | preset = "desktp"
      |          ^^^^^^^^
      |
      = help: did you mean `desktop`?
    "#);
}

/// The file that defined the preset may be gone; the profile has its fields.
#[test]
fn a_profile_outlives_its_preset() {
    let saved = saved(|identity| {
        identity.preset = Some("gone".to_owned());
        identity.locale = Some("de".to_owned());
    });
    let resolved = TestHome::new().resolve_with(Some(&saved), &CallOptions::default());
    assert_eq!(resolved.identity_to_save(), saved);
}

#[test]
fn it_excludes_the_single_fields_of_the_same_call() {
    let place = TestHome::new();
    let both = call(|call| {
        call.preset = Some("laptop".to_owned());
        call.locale = Some("de".to_owned());
        call.user_agent = Some("x".to_owned());
    });
    insta::assert_snapshot!(place.refusal(None, &both), @r"
    error: preset `laptop` excludes `locale`, `user_agent` in the same call
    help: leave one of them out, or write a preset of your own: `[preset.<name>]`
    ");
    let other = call(|call| {
        call.preset = Some("laptop".to_owned());
        call.proxy = Some("http://proxy:1".parse().unwrap());
    });
    place.resolve_with(None, &other);
}

#[test]
fn another_one_for_a_saved_identity_is_a_warning() {
    let saved = saved(|identity| {
        identity.preset = Some("laptop".to_owned());
        identity.viewport = Some("1440x780".parse().unwrap());
    });
    let call = call(|call| call.preset = Some("desktop".to_owned()));
    let resolved = TestHome::new().resolve_with(Some(&saved), &call);
    insta::assert_snapshot!(resolved.warnings.join("\n"), @"the profile was made with preset `laptop` and keeps `viewport`; preset `desktop` sets the rest, for this session only");
    assert_eq!(resolved.identity_to_save(), saved);
}

#[test]
fn what_will_be_noticed_is_a_warning() {
    let place = TestHome::with(
        "[browser]\nargs = [\"--guest\"]\n[identity]\nscreen = \"800x600\"\nviewport = \"900x500\"\nuser_agent = \"Chrome/120.0.0.0\"\n",
    );
    insta::assert_snapshot!(place.resolve().warnings.join("\n"), @r"
    `identity.user_agent` names a version of its own, which disagrees with the browser's client hints: write `{major}` or `{version}`
    the viewport 900x500 does not fit the screen 800x600
    `browser.args`: pages can notice `--guest`
    ");
}

#[test]
fn a_preset_adds_its_own_init_scripts() {
    let place = TestHome::with(
        "[stealth]\nscripts = [\"all.js\"]\n\n[preset.mine]\nscripts = [\"mine.js\"]\n",
    );
    let config = place.load();
    let scripts = |preset: Option<&str>| {
        let resolved = config.resolve(preset, None, &CallOptions::default());
        let scripts = resolved.unwrap().settings.stealth.scripts;
        let name =
            |path: &std::path::PathBuf| path.file_name().unwrap().to_string_lossy().into_owned();
        scripts.iter().map(name).collect::<Vec<_>>()
    };
    assert_eq!(scripts(None), ["all.js"]);
    assert_eq!(scripts(Some("mine")), ["all.js", "mine.js"]);
}
