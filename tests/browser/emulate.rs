//! `browser_emulate`.

use serde_json::{Value, json};

use crate::harness::{Lease, Mcp, Site, TestEnv};

fn open(env: &TestEnv) -> (Mcp, Site) {
    let site = Site::plan()
        .page(
            "/",
            "<title>here</title><meta name=viewport content='width=device-width'>",
        )
        .page("/again", "<title>again</title>")
        .serve();
    let mut mcp = env.mcp();
    mcp.ok(
        "session_open",
        json!({"session": "work", "url": site.url("/"), "viewport": "1000x700"}),
    );
    (mcp, site)
}

fn names(output: &Value) -> Vec<&str> {
    let active = output["active"].as_array().unwrap().iter();
    active.map(|one| one["name"].as_str().unwrap()).collect()
}

#[test]
fn surroundings_change_and_change_back() {
    let env = Lease::take();
    let (mut mcp, _site) = open(&env);
    const LOOK: &str = "[innerWidth, innerHeight, matchMedia('(prefers-color-scheme: dark)').matches, navigator.maxTouchPoints, devicePixelRatio, outerWidth >= innerWidth]";
    let before = mcp.eval("work", LOOK);
    let changed = mcp.ok(
        "browser_emulate",
        json!({"viewport": "900x600", "color_scheme": "dark"}),
    );
    assert_eq!(names(&changed), ["viewport", "color_scheme"]);
    assert_eq!(
        mcp.eval("work", LOOK),
        json!([900, 600, true, 0, 1, true]),
        "by the window itself"
    );
    let device = mcp.ok("browser_emulate", json!({"device": "pixel"}));
    assert!(
        device["active"].to_string().contains("inner and outer"),
        "what a page can notice is said: {device}"
    );
    assert_eq!(
        mcp.eval(
            "work",
            "[innerWidth, navigator.maxTouchPoints, devicePixelRatio]"
        ),
        json!([412, 5, 2.625])
    );
    assert_eq!(names(&mcp.ok("browser_emulate", json!({}))).len(), 3);
    let reset = mcp.ok("browser_emulate", json!({"reset": true}));
    assert_eq!(names(&reset), Vec::<&str>::new());
    assert_eq!(mcp.eval("work", LOOK), before);
}

#[test]
fn a_place_is_given_to_sites_that_may_ask() {
    let env = Lease::take();
    let (mut mcp, _site) = open(&env);
    const STATES: &str = "Promise.all(['geolocation', 'notifications'].map(async name => (await navigator.permissions.query({name})).state))";
    assert_eq!(mcp.eval("work", STATES), json!(["prompt", "prompt"]));
    mcp.ok(
        "browser_emulate",
        json!({"geolocation": "52.25,21.5,10", "permissions": {"geolocation": "granted"}}),
    );
    // One at a time: the other one still prompts.
    assert_eq!(mcp.eval("work", STATES), json!(["granted", "prompt"]));
    let place = "new Promise((found, failed) => navigator.geolocation.getCurrentPosition(place => found([place.coords.latitude, place.coords.longitude]), failed))";
    assert_eq!(mcp.eval("work", place), json!([52.25, 21.5]));
    mcp.ok("browser_emulate", json!({"reset": true}));
    assert_eq!(mcp.eval("work", STATES), json!(["prompt", "prompt"]));
    mcp.fails(
        "browser_emulate",
        json!({"permissions": {"levitation": "granted"}}),
        "INVALID_INPUT",
    );
}

#[test]
fn the_network_goes_and_headers_come() {
    let env = Lease::take();
    let (mut mcp, site) = open(&env);
    mcp.ok("browser_emulate", json!({"offline": true}));
    assert_eq!(mcp.eval("work", "navigator.onLine"), false);
    mcp.fails(
        "browser_navigate",
        json!({"url": site.url("/again")}),
        "NAVIGATION_FAILED",
    );
    let shown = mcp.ok(
        "browser_emulate",
        json!({"offline": false, "headers": {"X-Team": "blue"}}),
    );
    assert!(!shown.to_string().contains("blue"), "values may be secrets");
    mcp.ok("browser_navigate", json!({"url": site.url("/again")}));
    mcp.ok("browser_emulate", json!({"headers": {}}));
    mcp.ok("browser_navigate", json!({"url": site.url("/")}));
    let asked = site.asked();
    let team = |path: &str| {
        let last = asked.iter().rfind(|asked| asked.path == path).unwrap();
        last.headers
            .get("x-team")
            .map(|value| value.to_str().unwrap().to_owned())
    };
    assert_eq!(team("/again").as_deref(), Some("blue"));
    assert_eq!(team("/"), None);
}

#[test]
fn what_cannot_be_is_refused() {
    // A leased tab has been resized.
    let env = TestEnv::new();
    let (mut mcp, _site) = open(&env);
    for input in [
        json!({"viewport": "big"}),
        json!({"viewport": "1x1"}),
        json!({"headers": {"X-A": "1", "Host": "other.example"}}),
        json!({"geolocation": "91,0"}),
        json!({"device": "toaster"}),
        json!({"color_scheme": "beige"}),
    ] {
        mcp.fails("browser_emulate", input, "INVALID_INPUT");
    }
    assert_eq!(
        names(&mcp.ok("browser_emulate", json!({}))),
        Vec::<&str>::new()
    );
    let told = env
        .szk([
            "emulate",
            "-s",
            "work",
            "--color-scheme",
            "dark",
            "--header",
            "X-A: b",
        ])
        .ok();
    assert!(told.stdout.contains("color_scheme dark"), "{told:?}");
}

/// A reset also undoes a viewport size set by an act.
#[test]
fn a_reset_undoes_a_resize() {
    let env = Lease::take();
    let mut mcp = env.mcp();
    mcp.ok(
        "session_open",
        json!({"session": "work", "viewport": "1000x700"}),
    );
    let size = "[innerWidth, innerHeight]";
    let before = mcp.eval("work", size);
    mcp.ok(
        "browser_act",
        json!({"kind": "resize", "width": 800, "height": 500}),
    );
    assert_eq!(mcp.eval("work", size), json!([800, 500]));
    mcp.ok("browser_emulate", json!({"reset": true}));
    assert_eq!(mcp.eval("work", size), before);
}
