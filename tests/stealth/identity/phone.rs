//! Presets of phones and tablets: touch, an orientation, and what gives them away.

use serde_json::{Value, json};

use super::POPUPS;
use super::look::{everywhere, request, site};
use crate::harness::TestEnv;

const SHAPE: &str = "({
  touch: [navigator.maxTouchPoints, 'ontouchstart' in window],
  pointer: ['(pointer: coarse)', '(any-pointer: fine)', '(hover: none)', '(any-hover: hover)'].map(query => matchMedia(query).matches),
  screen: [screen.width, screen.height, screen.availWidth, screen.availHeight],
  window: [outerWidth, outerHeight, innerWidth, innerHeight, screenX, screenY],
  density: devicePixelRatio, held: [screen.orientation.type, screen.orientation.angle],
  media: matchMedia(`(device-width: ${screen.width}px) and (device-height: ${screen.height}px) and (resolution: ${devicePixelRatio}dppx)`).matches,
})";

fn opened(preset: &str) -> TestEnv {
    let env = TestEnv::new();
    env.config(POPUPS);
    let opened = env
        .szk(["open", "work", "--detach", "--preset", preset, "--json"])
        .json();
    assert!(
        opened["warnings"]
            .to_string()
            .contains("navigator.platform"),
        "{opened:#}"
    );
    env
}

fn check(preset: &str, mobile: bool, expected: &Value) {
    let env = opened(preset);
    let site = site();
    let realms = everywhere(&env, &site);
    assert_eq!(&env.eval_main("work", SHAPE), expected);
    // A second tab is the same device.
    env.szk(["open", "work", &site.url("/"), "--detach"]).ok();
    assert_eq!(&env.eval_main("work", SHAPE), expected);
    let (form, model) = if mobile {
        ("Mobile", "Pixel 8")
    } else {
        ("Tablet", "Pixel Tablet")
    };
    for (kind, seen) in &realms {
        assert_eq!(seen["low"]["mobile"], mobile, "{kind}");
        assert_eq!(seen["low"]["platform"], "Android", "{kind}");
        assert_eq!(seen["high"]["model"], model, "{kind}");
        assert_eq!(seen["high"]["formFactors"], json!([form]), "{kind}");
        assert_eq!(
            seen["agent"].as_str().unwrap().contains("Mobile"),
            mobile,
            "{kind}"
        );
        // What the preset warns about.
        assert!(
            seen["platform"].as_str().unwrap().contains("x86") || cfg!(not(target_arch = "x86_64")),
            "{kind}"
        );
    }
    let asked = request(&site);
    assert_eq!(
        asked.header("sec-ch-ua-mobile"),
        if mobile { "?1" } else { "?0" }
    );
    assert_eq!(asked.header("sec-ch-ua-model"), format!("\"{model}\""));
}

#[test]
fn a_phone() {
    check(
        "phone",
        true,
        &json!({
            "touch": [5, true], "pointer": [true, false, true, false],
            "screen": [412, 915, 412, 915], "window": [412, 785, 412, 785, 0, 0],
            "density": 2.625, "held": ["portrait-primary", 0], "media": true,
        }),
    );
}

#[test]
fn a_tablet() {
    check(
        "tablet",
        false,
        &json!({
            "touch": [5, true], "pointer": [true, false, true, false],
            "screen": [1280, 800, 1280, 800], "window": [1280, 704, 1280, 704, 0, 0],
            "density": 2, "held": ["landscape-primary", 90], "media": true,
        }),
    );
}

/// A dense screen takes only flags.
#[test]
fn a_mac_has_a_dense_screen() {
    let env = opened("mac");
    let seen = env.eval_main("work", SHAPE);
    assert_eq!(seen["screen"], json!([1440, 900, 1440, 872]));
    assert_eq!(
        (&seen["density"], &seen["media"]),
        (&json!(2), &json!(true))
    );
    assert_eq!(
        seen["window"].as_array().unwrap()[2..4],
        [json!(1440), json!(780)]
    );
    assert_eq!(seen["touch"], json!([0, false]));
}
