//! Scripts in `[stealth] scripts` run before the first script of everything.

use std::fs;

use super::realms::{Realms, TRIALS};
use crate::harness::{Driver, Site, TestEnv};

#[test]
fn in_every_page_popup_frame_and_worker() {
    let realms = Realms::open();
    for round in 0..TRIALS {
        realms.go(round);
    }
    realms.check(TRIALS);
}

/// `stealth::race` does the same with Playwright, and both of them.
#[test]
fn while_puppeteer_races() {
    let realms = Realms::open();
    let mut client = Driver::puppeteer(&realms.env, &realms.env.endpoint("work"));
    for round in 0..TRIALS {
        // Half of them in a page that it opens for that.
        let own = match round % 2 {
            0 => "page",
            _ => "await browser.newPage()",
        };
        client.run(&format!(
            "const own = {own}; await own.goto('{}'); await own.waitForFunction(() => document.title === 'done');
             if (own !== page) await own.close()",
            realms.url(round),
        ));
    }
    realms.check(TRIALS);
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
