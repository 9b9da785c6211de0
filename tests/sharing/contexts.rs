//! A browser context that a client created is the client's; the profile's own stays the profile's.

use serde_json::{Value, json};

use super::control::Control;
use crate::harness::{Driver, Site, TestEnv, script};

const IDENTITY: &str = "[identity]\nuser_agent = \"Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/{major}.0.0.0 Safari/537.36 Profile/1.0\"\nlocale = \"de-AT\"\n";

/// What pages see of a client's emulation, in a context of its own (`own`) and in the existing one
/// (`shared`).
fn emulated(env: &TestEnv, client: &str, endpoint: &Value) -> Value {
    let text = |key: &str| endpoint[key].as_str().expect("an address").to_owned();
    let (http, ws) = (text("http_url"), text("ws_url"));
    script(env, "contexts/run.mjs", &[client, &http, &ws])
}

#[test]
fn what_a_client_emulates_in_its_own_context_holds_as_on_bare_chromium() {
    let env = TestEnv::new();
    // The profile emulates something as well.
    env.config(IDENTITY);
    env.open("work");
    let control = Control::start(&env);
    for client in ["playwright", "puppeteer"] {
        let bare = emulated(&env, client, &control.endpoint);
        let mut through = emulated(&env, client, &env.endpoint("work"));
        assert_eq!(bare["own"]["page"]["agent"], "Own/1.0", "{client}: {bare}");
        assert_eq!(bare["own"]["heard"]["kind"], "table", "{client}: {bare}");
        let closed = bare["own"]["interrupted"][1].as_str();
        assert!(
            closed.is_some_and(|why| why.contains("closed")),
            "{client}: {bare}"
        );
        // What the client leaves open is as in the profile.
        if client == "playwright" {
            let plain = through["own"]["plain"].as_str().unwrap().to_owned();
            assert!(plain.ends_with("Profile/1.0"), "{plain}");
            through["own"]["plain"] = bare["own"]["plain"].clone();
        }
        if client == "puppeteer" {
            for of in ["page", "worker"] {
                let own = &mut through["own"]["page"];
                let seen = if of == "page" { own } else { &mut own[of] };
                assert_eq!(seen["intl"], "de-AT", "{client} {of}");
                seen["intl"] = bare["own"]["page"]["intl"].clone();
            }
            let own = &mut through["own"]["page"];
            assert_eq!(own["language"], "de-AT");
            // More follow: in a context other than the profile's, Chromium adds its own to the list.
            let languages = own["asked"]["languages"].as_str().unwrap();
            assert!(languages.starts_with("de-AT,de;q=0.9"), "{languages}");
            own["language"] = bare["own"]["page"]["language"].clone();
            own["asked"]["languages"] = bare["own"]["page"]["asked"]["languages"].clone();
        }
        assert_eq!(through["own"], bare["own"], "{client}");
        let shared = &through["shared"];
        let agents = [
            &shared["agent"],
            &shared["asked"]["agent"],
            &shared["worker"]["agent"],
        ];
        for agent in agents {
            assert!(
                agent.as_str().unwrap().ends_with("Profile/1.0"),
                "{client}: {agent}"
            );
        }
        for (key, expected) in [
            ("gesture", json!(false)),
            ("opens", json!(false)),
            ("place", json!(1)),
            ("dark", json!(false)),
            ("print", json!(false)),
            ("touch", json!(false)),
            ("refused", json!(true)),
            ("intl", json!("de-AT")),
        ] {
            assert_eq!(shared[key], expected, "{client}: {key}");
        }
    }
}

/// Counts what an enabled `Runtime` does to the values that a page logs.
const PAGE: &str = r#"<!doctype html><title>watched</title><script>
  let asked = 0;
  let logged = 0;
  Error.prepareStackTrace = (error, frames) => { asked++; return ''; };
  setInterval(() => { logged++; console.debug(new Error('x')); }, 5);
  window.noticed = () => logged > 20 && asked > 0;
  window.looked = () => logged > 20;
  new SharedWorker('/shared.js').port.onmessage = ({ data }) => { window.worker = data; };
</script>"#;

const SHARED: &str = "let asked = 0; Error.prepareStackTrace = () => { asked++; return ''; };
  onconnect = ({ ports: [port] }) => setInterval(() => { console.debug(new Error('x')); port.postMessage(asked); }, 5);";

#[test]
fn enabled_in_a_context_of_its_own_runtime_is_noticed_nowhere_else() {
    let env = TestEnv::new();
    let site = Site::plan()
        .page("/", PAGE)
        .script("/shared.js", SHARED)
        .serve();
    env.open("work");
    env.navigate("work", &site.url("/"));
    let endpoint = env.endpoint("work");
    let url = site.url("/");
    let own = format!(
        "const context = await browser.newContext(); const own = await context.newPage();
         own.on('console', () => {{}}); await own.goto('{url}');
         await own.waitForFunction(() => window.looked()); return own.evaluate(() => window.noticed())"
    );
    let mut playwright = Driver::playwright(&env, &endpoint);
    // The same site in both, with a worker that all its pages share.
    assert_eq!(playwright.run(&own), true, "its own page does not see it");
    // `page` is the profile's.
    let looked = "await page.waitForFunction(() => window.looked() && window.worker !== undefined);
        return page.evaluate(() => [window.noticed(), window.worker])";
    assert_eq!(playwright.run(looked), json!([false, 0]));

    env.config("[endpoint]\ncontexts = \"profile\"\n");
    env.open("strict");
    let mut playwright = Driver::playwright(&env, &env.endpoint("strict"));
    assert_eq!(playwright.run(&own), false, "`contexts` shields it");
    let gesture = "const context = await browser.newContext({ userAgent: 'Own/1.0' });
        const own = await context.newPage();
        return own.evaluate(() => [navigator.userActivation.isActive, navigator.userAgent === 'Own/1.0'])";
    assert_eq!(playwright.run(gesture), json!([false, false]));
}
