//! Scripts in `[stealth] scripts` run before the first script of everything.

use std::fs;

use super::realms::{DONE, Realms, TRIALS};
use crate::harness::{Driver, Site, TestEnv};

#[test]
fn in_every_page_popup_frame_and_worker() {
    let realms = Realms::open();
    for round in 0..TRIALS {
        realms.go(round);
    }
    realms.check(TRIALS);
}

/// Rounds of a client that navigates on its own: half of them in a page that it opens for that.
fn race(realms: &Realms, mut client: Driver, new_page: &str) {
    for round in 0..TRIALS {
        let own = if round % 2 == 0 { "page" } else { new_page };
        client.run(&format!(
            "const own = {own}; await own.goto('{}'); await own.evaluate({DONE});
             if (own !== page) await own.close()",
            realms.url(round),
        ));
    }
    realms.check(TRIALS);
}

#[test]
fn while_puppeteer_races() {
    let realms = Realms::open();
    let client = Driver::puppeteer(&realms.env, &realms.env.endpoint("work"));
    race(&realms, client, "await browser.newPage()");
}

#[test]
fn those_of_an_isolated_world_are_not_seen() {
    let env = TestEnv::new();
    fs::write(
        env.work().join("init.js"),
        "// @world isolated\n// @realms page\nglobalThis.hidden = 1; document.hidden2 = 1;\n",
    )
    .unwrap();
    env.config("[stealth]\nscripts = [\"init.js\"]\n");
    let site = Site::of(
        "<title>t</title><script>document.title = typeof hidden + typeof document.hidden2</script>",
    );
    env.open("work");
    env.navigate("work", &site.url("/"));
    assert_eq!(env.eval("work", "document.title"), "undefinedundefined");
}

#[test]
fn one_that_cannot_be_read_keeps_the_session_shut() {
    let env = TestEnv::new();
    env.config("[stealth]\nscripts = [\"missing.js\"]\n");
    let failure = env
        .szk(["open", "work", "--detach"])
        .fails("INVALID_CONFIG");
    assert!(
        failure["message"].as_str().unwrap().contains("missing.js"),
        "{failure}"
    );
    env.no_chromium_is_left();
}

#[test]
fn while_playwright_races_and_puppeteer_watches() {
    let realms = Realms::open();
    let endpoint = realms.env.endpoint("work");
    // It attaches to everything, and resumes it when it likes.
    let _watching = Driver::puppeteer(&realms.env, &endpoint);
    let client = Driver::playwright(&realms.env, &endpoint);
    race(&realms, client, "await browser.contexts()[0].newPage()");
}
