//! The browser is the ordinary one, in every realm, and consistent everywhere.

use serde_json::{Value, json};

use crate::harness::{SOON, Site, TestEnv, wait_for};

const LOOK: &str = "({
  webdriver: navigator.webdriver, agent: navigator.userAgent, platform: navigator.platform,
  languages: navigator.languages, cores: navigator.hardwareConcurrency,
  brands: navigator.userAgentData?.brands.map(brand => brand.brand + brand.version),
  zone: Intl.DateTimeFormat().resolvedOptions().timeZone,
})";

fn site() -> Site {
    let post = format!("const look = () => ({LOOK});");
    Site::plan()
        .page("/", "<title>looks</title>")
        .script("/worker.js", &format!("{post} postMessage(look())"))
        .script(
            "/shared.js",
            &format!("{post} onconnect = (event) => event.ports[0].postMessage(look())"),
        )
        .serve()
}

const REALMS: &str = r#"async () => {
  const look = () => (LOOK);
  const dedicated = new Promise(done => new Worker('/worker.js').onmessage = event => done(event.data));
  const shared = new Promise(done => new SharedWorker('/shared.js').port.onmessage = event => done(event.data));
  const frame = document.body.appendChild(document.createElement('iframe'));
  const inner = frame.contentWindow.eval(`LOOK`);
  return {page: look(), inner, dedicated: await dedicated, shared: await shared};
}"#;

#[test]
fn nothing_in_a_page_says_otherwise() {
    let env = TestEnv::new();
    let site = site();
    env.open("work");
    env.navigate("work", &site.url("/"));
    let seen = env.eval_main("work", LOOK);
    assert_eq!(seen["webdriver"], false);
    let agent = seen["agent"].as_str().unwrap();
    assert!(
        agent.contains("Chrome/") && !agent.contains("Headless"),
        "{agent}"
    );
    assert!(!seen["brands"].to_string().contains("Headless"), "{seen}");
    let descriptor = env.eval_main("work", "Object.getOwnPropertyNames(navigator).length");
    assert_eq!(descriptor, 0, "nothing is defined over what was there");
    // A screen, a window on it, and a page in that.
    let sizes = env.eval_main("work", "[screen.width, screen.height, outerWidth, outerHeight, innerWidth, innerHeight, screenX, screenY]");
    assert_eq!(sizes, json!([1920, 1080, 1480, 940, 1480, 853, 70, 50]));
    let pointer = env.eval_main(
        "work",
        "['(hover: hover)', '(pointer: fine)'].map(query => matchMedia(query).matches)",
    );
    assert_eq!(pointer, json!([true, true]));
}

#[test]
fn every_realm_says_the_same() {
    let env = TestEnv::new();
    let site = site();
    env.szk([
        "open",
        "work",
        "--detach",
        "--timezone",
        "Asia/Tokyo",
        "--locale",
        "de-AT",
    ])
    .ok();
    env.navigate("work", &site.url("/"));
    let seen = env.eval_main("work", &REALMS.replace("LOOK", LOOK));
    let page = &seen["page"];
    assert_eq!(
        (&page["zone"], &page["languages"][0]),
        (&json!("Asia/Tokyo"), &json!("de-AT")),
        "{seen:#}"
    );
    assert_eq!(&seen["inner"], page);
    for worker in ["dedicated", "shared"] {
        for key in ["agent", "platform", "languages", "cores", "brands", "zone"] {
            assert_eq!(seen[worker][key], page[key], "{worker} {key}: {seen:#}");
        }
    }
}

#[test]
fn requests_say_what_pages_say() {
    let env = TestEnv::new();
    let site = site();
    env.open("work");
    env.navigate("work", &site.url("/"));
    let agent = env.eval_main("work", "navigator.userAgent");
    let asked = wait_for("the request", SOON, || {
        site.asked().into_iter().find(|asked| asked.path == "/")
    });
    assert_eq!(Value::from(asked.header("user-agent")), agent);
    assert!(!asked.header("sec-ch-ua").contains("Headless"), "{asked:?}");
    assert!(
        asked.header("accept-language").starts_with("en"),
        "{asked:?}"
    );
}

#[test]
fn the_command_line_holds_nothing_that_gives_it_away() {
    let env = TestEnv::new();
    env.open("work");
    let browser = env.browser();
    let flags: Vec<&str> = browser.flags().collect();
    for forbidden in [
        "--headless",
        "--enable-automation",
        "--remote-debugging-port",
        "--mute-audio",
        "--hide-scrollbars",
        "--disable-web-security",
    ] {
        assert!(
            !flags.iter().any(|flag| flag.starts_with(forbidden)),
            "{forbidden}: {flags:?}"
        );
    }
    assert!(flags.contains(&"--remote-debugging-pipe"), "{flags:?}");
    assert_eq!(
        flags.contains(&"--no-sandbox"),
        rustix::process::geteuid().is_root(),
        "the sandbox is on but for root"
    );
}
