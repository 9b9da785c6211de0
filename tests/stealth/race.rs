//! Four hundred first scripts, while a client tries its best to get there before szk.

use super::realms::{DONE, KINDS, Realms};
use crate::harness::Driver;

/// Realms whose first script must find the stealth already in place.
const TRIALS: usize = 400;

/// Queries everything the moment it appears, and resumes what it hears is paused.
const EAGER: &str = "const context = browser.contexts()[0];
  state.answers = 0;
  const ask = (target) => target.evaluate(() => 1 + 1).then(() => state.answers++, () => {});
  const watch = (page) => { ask(page); page.on('worker', ask); page.on('frameattached', ask); page.on('framenavigated', ask); };
  context.pages().forEach(watch);
  context.on('page', watch);
  context.on('serviceworker', ask);";

#[test]
fn stealth_comes_before_the_first_script_in_400_of_400() {
    let realms = Realms::open();
    let mut client = Driver::playwright(&realms.env, &realms.env.endpoint("work"));
    client.run(EAGER);
    let rounds = TRIALS.div_ceil(KINDS.len());
    for round in 0..rounds {
        // From one site to the other and back, in one page and in new ones, while other pages come and
        // go immediately.
        let url = match round % 2 {
            0 => realms.url(round),
            _ => realms.url_elsewhere(round),
        };
        let own = match round % 4 {
            0 | 1 => "page",
            _ => "await browser.contexts()[0].newPage()",
        };
        client.run(&format!(
            "const own = {own};
             const passing = browser.contexts()[0].newPage().then(page => page.close());
             await own.goto('{url}');
             await own.evaluate({DONE});
             await passing;
             if (own !== page) await own.close();"
        ));
    }
    realms.check(rounds);
    let answers = client.run("return state.answers").as_u64().unwrap();
    assert!(answers > rounds as u64, "it did not race: {answers}");
}
