//! The same while other programs are attached and work on the suite's page, behind the shield.

use szk_detectors::Report;

use super::lab::{Lab, visit};
use super::ordinary::{check, config};
use crate::harness::{Driver, TestEnv};

/// What their users listen to.
const LISTEN: &str = "state.heard = 0;
  const on = (page) => {
    for (const event of ['console', 'pageerror', 'request', 'response', 'framenavigated', 'frameattached', 'popup'])
      page.on(event, () => { state.heard++; });
  };
  on(page);
  if (browser.contexts) browser.contexts()[0].on('page', on);
  else browser.on('targetcreated', async (target) => { const page = await target.page(); if (page) on(page); });";

/// And what they do, as far as that leaves no trace: pages see what is written into them.
const WORK: &str = "state.rounds = 0;
  const work = async () => {
    await page.title();
    await page.evaluate(() => document.querySelectorAll('*').length);
    const body = await page.$('body');
    await body?.evaluate((body) => body.childElementCount);
    await body?.dispose();
    // The suite removes its frames while they are being queried.
    for (const frame of page.frames()) await Promise.resolve().then(() => frame.evaluate(() => location.href)).catch(() => {});
    await page.content();
    state.rounds++;
    setTimeout(() => work().catch((error) => { state.failed = String(error); }), 100);
  };
  await work();";

/// A visit by Playwright while Puppeteer watches.
fn visit_with_clients(env: &TestEnv) -> (Report, Driver, Driver) {
    env.open("work");
    let endpoint = env.endpoint("work");
    let mut playwright = Driver::playwright(env, &endpoint);
    let mut puppeteer = Driver::puppeteer(env, &endpoint);
    playwright.run(LISTEN);
    puppeteer.run(LISTEN);
    let report = visit("szk-clients", |url| {
        playwright.run(&format!("await page.goto('{url}')"));
        playwright.run(WORK);
        puppeteer.run(WORK);
    });
    (report, playwright, puppeteer)
}

#[test]
fn with_clients_at_work() {
    let lab = Lab::new();
    lab.env.config(&config(""));
    let (report, playwright, puppeteer) = visit_with_clients(&lab.env);
    for mut client in [playwright, puppeteer] {
        let did = client.run("return [state.rounds > 5, state.heard > 50, state.failed ?? null]");
        assert_eq!(did, serde_json::json!([true, true, null]));
    }
    check(&report);
}
