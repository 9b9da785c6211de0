//! Frames of a page that programs share: their documents, and what runs in them.

use serde_json::json;

use crate::harness::{Answer, Driver, Site, TestEnv};

/// Frames with a document to fetch, without an address, with an answer that has no document, and with a
/// script as the address.
const FRAMES: &str = r#"<!doctype html><title>frames</title>
<iframe name=full src=/child></iframe><iframe name=blank></iframe>
<iframe name=nothing src=/nothing></iframe><iframe name=script src="javascript:'<p>made</p>'"></iframe>"#;

/// Chromium runs a client's script in each document that a frame is for, and not in the empty one that
/// it begins with. Clients can work in frames that stay there.
#[test]
fn an_init_script_runs_once_in_a_frame() {
    let env = TestEnv::new();
    env.open("work");
    let site = Site::plan()
        .page("/", FRAMES)
        .page("/child", "<!doctype html><title>child</title>")
        .on("/nothing", |_| Answer::status(204))
        .serve();
    let endpoint = env.endpoint("work");
    let mut playwright = Driver::playwright(&env, &endpoint);
    let ran = playwright.run(&format!(
        "state.own = await browser.contexts()[0].newPage();
         const ran = [];
         state.own.on('console', (message) => ran.push(message.text()));
         await state.own.addInitScript(() => console.log('in', window.name, location.pathname));
         await state.own.goto('{}');
         return ran.sort()",
        site.url("/")
    ));
    let of = |name: &str| {
        let ran = ran.as_array().unwrap().iter();
        let mine = ran.filter(|text| text.as_str().unwrap().starts_with(&format!("in {name} ")));
        mine.cloned().collect::<Vec<_>>()
    };
    assert_eq!(of("full"), ["in full /child"], "{ran}");
    assert_eq!(of("blank"), ["in blank blank"], "{ran}");
    let evaluate = "const found = {};
         for (const frame of own.frames().slice(1)) {
           found[await frame.evaluate(() => window.name)] = await frame.evaluate(() => document.title + document.body.textContent);
         }
         return found";
    let found = json!({"full": "child", "blank": "", "nothing": "", "script": "made"});
    assert_eq!(
        playwright.run(&format!("const own = state.own; {evaluate}")),
        found
    );
    let mut puppeteer = Driver::puppeteer(&env, &endpoint);
    let loads = format!(
        "const own = await browser.newPage(); await own.goto('{}');",
        site.url("/")
    );
    assert_eq!(puppeteer.run(&format!("{loads} {evaluate}")), found);
}
