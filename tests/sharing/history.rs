//! Programs that join navigate the history of an ordinary browser, which restores pages as they were
//! left, and they answer their own pages' questions.

use serde_json::json;

use crate::harness::{Driver, Site, TestEnv};

const CONTEXTS: [(&str, &str); 2] = [
    ("own", "await browser.newContext()"),
    ("profile", "browser.contexts()[0]"),
];

fn site() -> Site {
    Site::plan()
        .page("/a", "<title>a</title><p>a</p>")
        .page("/b", "<title>b</title><p>b</p>")
        .page("/ask", "<title>ask</title><button>ask</button><script>
            document.querySelector('button').onclick = () => { alert('read me'); document.title = 'read'; };
        </script>")
        .serve()
}

#[test]
fn back_and_forward_end() {
    let env = TestEnv::new();
    env.open("work");
    let site = site();
    let endpoint = env.endpoint("work");
    let mut playwright = Driver::playwright(&env, &endpoint);
    let [a, b] = ["/a", "/b"].map(|path| site.url(path));
    for (name, context) in CONTEXTS {
        let titles = playwright.run(&format!(
            "const own = await ({context}).newPage();
             await own.goto('{a}');
             // A page that is restored as it was left remembers this.
             await own.evaluate(() => {{ window.left = true; }});
             await own.goto('{b}');
             const titles = [];
             await own.goBack({{ timeout: 10000 }});
             titles.push(await own.title(), await own.evaluate(() => window.left));
             await own.goForward({{ timeout: 10000 }});
             titles.push(await own.title());
             await own.close();
             return titles"
        ));
        assert_eq!(titles, json!(["a", true, "b"]), "{name}");
    }
    let mut puppeteer = Driver::puppeteer(&env, &endpoint);
    let titles = puppeteer.run(&format!(
        "const own = await browser.newPage();
         await own.goto('{a}');
         await own.goto('{b}');
         await own.goBack({{ timeout: 10000 }});
         const titles = [await own.title()];
         await own.goForward({{ timeout: 10000 }});
         titles.push(await own.title());
         await own.close();
         return titles"
    ));
    assert_eq!(titles, json!(["a", "b"]));
}

/// szk accepts unread alerts in the profile's pages, and leaves a page in a client's own context alone.
#[test]
fn dialogs_of_a_context_that_a_client_made_are_the_clients() {
    let env = TestEnv::new();
    env.open("work");
    let site = site();
    let mut playwright = Driver::playwright(&env, &env.endpoint("work"));
    let url = site.url("/ask");
    let said = playwright.run(&format!(
        "const own = await (await browser.newContext()).newPage();
         await own.goto('{url}');
         const held = new Promise((done) => own.once('dialog', (dialog) => setTimeout(() => {{
           dialog.accept().then(() => done('answered late'), (error) => done(String(error)));
         }}, 3000)));
         await own.click('button');
         const said = await held;
         return [said, await own.title()]"
    ));
    assert_eq!(said, json!(["answered late", "read"]));
}
