//! The dashboard, worked in a real browser.

use std::fs;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::Path;

use serde_json::{Value, json};

use super::{Server, token};
use crate::harness::{Driver, PATIENTLY, SOON, Site, TestEnv, http, wait_until};

/// A browser that is at the dashboard, as a person's.
fn at(env: &TestEnv, server: &Server) -> Driver {
    env.open("viewer");
    let mut driver = Driver::playwright(env, &env.endpoint("viewer"));
    driver.run(&format!(
        "await page.goto({}); await page.getByLabel('Token').waitFor()",
        json!(server.url)
    ));
    driver
}

/// What axe-core says against the page as it is.
fn violations(driver: &mut Driver) -> Value {
    let file = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../tests/node/node_modules/axe-core/axe.min.js");
    let axe = fs::read_to_string(file).expect("scripts/test installs the packages of npm");
    driver.run(&format!(
        "await page.evaluate({});
         const {{ violations }} = await page.evaluate(() => axe.run());
         return violations.map(({{ id, nodes }}) => [id, nodes.map(({{ html }}) => html)]);",
        json!(axe + ";0")
    ))
}

/// A program at a session's endpoint.
fn connected(endpoint: &Value) -> TcpStream {
    let (port, path) = http::parts(endpoint["ws_url"].as_str().unwrap());
    let mut stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
    stream.set_read_timeout(Some(PATIENTLY)).unwrap();
    let text = format!(
        "GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\
         Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: c3prIGlzIGEgYnJvd3Nlcg==\r\n\r\n"
    );
    stream.write_all(text.as_bytes()).unwrap();
    let mut answer = [0; 12];
    stream.read_exact(&mut answer).unwrap();
    assert_eq!(&answer, b"HTTP/1.1 101");
    stream
}

fn log_in(driver: &mut Driver, token: &str) {
    driver.run(&format!(
        "await page.getByLabel('Token').fill({}); await page.keyboard.press('Enter');
         await page.getByRole('article', {{ name: 'viewer' }}).waitFor()",
        json!(token)
    ));
}

#[test]
fn a_person_opens_watches_and_closes_sessions_with_keys_alone() {
    let env = TestEnv::new();
    let site = Site::plan()
        .page("/", "<title>first page</title><h1>First</h1>")
        .page("/next", "<title>next page</title><h1>Next</h1>")
        .serve();
    let server = Server::start(&env);
    let me = token(&env, "me", &["--scope", "all"]);
    let mut driver = at(&env, &server);
    assert_eq!(violations(&mut driver), json!([]));
    log_in(&mut driver, &me);
    // The script has neither the token nor the login.
    assert_eq!(
        driver.run("return page.evaluate(() => document.cookie)"),
        ""
    );

    // A page in the very browser gets nothing done, though it is on the same site and the cookie is there.
    let tried = driver.run(&format!(
        "const other = await page.context().newPage();
         await other.goto({});
         const tried = await other.evaluate(async (server) => {{
           const url = new URL('/v1/sessions', server);
           const body = JSON.stringify({{ session: 'forged' }});
           const send = (mode, type) => fetch(url, {{ method: 'POST', credentials: 'include', mode, headers: {{ 'content-type': type }}, body }})
             .then((answer) => answer.type, () => 'refused');
           const tried = [];
           for (const mode of ['cors', 'no-cors']) {{
             for (const type of ['application/json', 'text/plain']) tried.push(await send(mode, type));
           }}
           const socket = new WebSocket(new URL('/v1/sessions/viewer/cdp', server).href.replace('http', 'ws'));
           tried.push(await new Promise((done) => {{ socket.onopen = () => done('open'); socket.onerror = () => done('refused'); }}));
           return tried;
         }}, {url});
         await other.evaluate((server) => {{
           const form = document.createElement('form');
           form.method = 'post'; form.enctype = 'text/plain'; form.action = new URL('/v1/sessions', server);
           form.append(Object.assign(document.createElement('input'), {{ name: '{{\"session\":\"forged\",\"label\":\"', value: '\"}}' }}));
           document.body.append(form); form.submit();
         }}, {url});
         await other.waitForURL('**/v1/sessions');
         tried.push(JSON.parse(await other.innerText('body')).error.code);
         await other.close();
         return tried;",
        json!(site.url("/")),
        url = json!(server.url),
    ));
    // What is sent without asking cannot be read; nothing comes of it.
    assert_eq!(
        tried,
        json!([
            "refused",
            "refused",
            "opaque",
            "opaque",
            "refused",
            "POLICY_DENIED"
        ])
    );
    assert!(env.row("forged").is_none());

    // Open a session by keys.
    driver.run(&format!(
        "await page.getByRole('button', {{ name: 'Open a session' }}).focus();
         await page.keyboard.press('Enter'); await page.keyboard.type('work');
         await page.keyboard.press('Tab'); await page.keyboard.type({}); await page.keyboard.press('Enter');
         await page.getByRole('article', {{ name: 'work' }}).getByText('first page').waitFor()",
        json!(site.url("/"))
    ));
    // Its picture is taken while it is looked at.
    driver.run("await page.waitForFunction(() => document.querySelector('#session-work').closest('article').querySelector('img').naturalWidth > 0)");
    assert_eq!(violations(&mut driver), json!([]));
    // Nothing is cut off on a phone or a tablet, in the dark either.
    for width in [390, 820] {
        driver.run(&format!(
            "await page.setViewportSize({{ width: {width}, height: 844 }});
             const wide = await page.evaluate(() => {{
               document.documentElement.style.colorScheme = 'dark';
               return document.documentElement.scrollWidth;
             }});
             if (wide > {width}) throw new Error(`the page is ${{wide}} pixels wide`);"
        ));
        assert_eq!(violations(&mut driver), json!([]), "{width}");
    }
    driver.run("await page.setViewportSize({ width: 1280, height: 720 })");

    // It is a client of what it opened, and of nothing that it only looks at.
    let clients = |name: &str| env.row(name).unwrap()["clients"].to_string();
    assert!(
        clients("work").contains("dashboard (me)"),
        "{}",
        clients("work")
    );
    assert!(
        !clients("viewer").contains("dashboard"),
        "{}",
        clients("viewer")
    );

    let text = format!(
        "[recipe]\nname = \"again\"\nsite = \"{}\"\nabout = \"Begins again\"\n[params.page]\n\
         [[step]]\ndo = \"navigate\"\nvalue = \"/{{{{page}}}}\"\n",
        site.origin()
    );
    let recipe = json!({"session": "work", "name": "again", "text": text});
    env.mcp().ok("recipe_save", recipe);

    // Watch it change, in the list and in the timeline.
    driver.run(
        "await page.getByRole('button', { name: 'Details work' }).focus(); await page.keyboard.press('Enter');
         await page.getByRole('dialog').getByRole('img').waitFor()",
    );
    // Look at a recipe, and run it.
    driver.run(
        "const dialog = page.getByRole('dialog'); await dialog.getByText('again: Begins again').click();
         await dialog.getByText('do = \"navigate\"').waitFor(); await dialog.getByLabel('page').fill('?asked');
         await dialog.getByRole('button', { name: 'Run again' }).click();
         await dialog.getByText('navigate /{{page}}: done').waitFor()",
    );
    assert!(site.asked().iter().any(|one| one.query == "asked"));
    assert_eq!(violations(&mut driver), json!([]));
    let next = site.url("/next");
    // Another client takes the tab that the dashboard has opened.
    env.szk(["tabs", "focus", "t1", "--take", "-s", "work"])
        .ok();
    env.navigate("work", &next);
    driver.run(&format!(
        "await page.getByRole('dialog').getByText('is at ' + {}).waitFor();
         await page.keyboard.press('Escape');
         await page.getByRole('article', {{ name: 'work' }}).getByText('next page').waitFor()",
        json!(next)
    ));

    // Take it over: the live view opens in a tab of its own.
    driver.run(
        "const opened = page.context().waitForEvent('page');
         await page.getByRole('button', { name: 'Take over work' }).focus(); await page.keyboard.press('Enter');
         const view = await opened; await view.waitForURL(/127/); await view.locator('canvas').waitFor();
         await view.getByText('Taken over from the dashboard').first().waitFor(); await view.close()",
    );

    env.szk(["handoff", "work", "--done"]).ok();

    // Somebody waits for a person: the list says so, and a button leads there without ending the wait.
    let ask = ["handoff", "work", "--no-wait", "-r", "Enter the code"];
    env.szk(ask).ok();
    driver.run(
        "await page.getByRole('region', { name: 'Waiting for a person' }).getByText('Enter the code').waitFor();
         await page.getByRole('article', { name: 'work' }).getByText('waits for a person').waitFor();
         await page.getByRole('article', { name: 'work' }).getByText(/^opened .+ MB of memory$/).waitFor();
         await page.getByText('2 open, 0 stored, 1 waits for a person').waitFor()",
    );
    assert_eq!(violations(&mut driver), json!([]));
    driver.run(
        "const opened = page.context().waitForEvent('page');
         await page.getByRole('button', { name: 'Help work' }).focus(); await page.keyboard.press('Enter');
         const view = await opened; await view.waitForURL(/127/); await view.locator('canvas').waitFor();
         await view.getByText('Enter the code').first().waitFor(); await view.close()",
    );
    assert_eq!(
        env.row("work").unwrap()["handoff"]["reason"],
        "Enter the code"
    );
    env.szk(["handoff", "work", "--done"]).ok();
    driver.run("await page.getByRole('region', { name: 'Waiting for a person' }).waitFor({ state: 'hidden' })");

    // A program that is connected can be sent away.
    let mut program = connected(&env.endpoint("work"));
    driver.run(
        "await page.getByRole('button', { name: 'Details work' }).focus(); await page.keyboard.press('Enter');
         await page.getByRole('dialog').getByRole('button', { name: /^Disconnect/ }).focus();
         await page.keyboard.press('Enter');
         await page.getByRole('dialog').getByText('is disconnected').waitFor()",
    );
    assert_eq!(violations(&mut driver), json!([]));
    let mut rest = Vec::new();
    let ended = program.read_to_end(&mut rest);
    assert!(
        !ended.is_err_and(|error| error.kind() == std::io::ErrorKind::WouldBlock),
        "it is connected still"
    );
    driver.run("await page.keyboard.press('Escape')");

    // Close it, and delete it by its name.
    driver.run(
        "await page.getByRole('button', { name: 'Close work' }).focus(); await page.keyboard.press('Enter');
         await page.getByRole('button', { name: 'Close it' }).focus(); await page.keyboard.press('Enter');
         await page.getByRole('button', { name: 'Delete work' }).focus(); await page.keyboard.press('Enter')",
    );
    assert_eq!(violations(&mut driver), json!([]));
    driver.run(
        "const go = page.getByRole('button', { name: 'Delete', exact: true });
         if (await go.isEnabled()) throw new Error('it would delete without the name');
         await page.keyboard.type('work'); await page.keyboard.press('Enter');
         await page.getByText('No profile is stored yet').waitFor()",
    );
    wait_until("it is gone", SOON, || env.row("work").is_none());

    // A token that is revoked ends the login.
    env.szk(["token", "revoke", "me"]).ok();
    driver.run("await page.getByLabel('Token').waitFor()");
    env.close("viewer");
}

#[test]
fn a_cookie_is_no_way_in_for_other_pages() {
    let env = TestEnv::new();
    let server = Server::start(&env);
    let me = token(&env, "me", &[]);
    let origin = server.url.clone();
    let own = [
        ("Origin", origin.as_str()),
        ("Szk-Dashboard", "1"),
        ("Content-Type", "application/json"),
    ];
    let body = json!({"token": me}).to_string();
    let wrong = json!({"token": "szk_no"}).to_string();
    server
        .ask("POST", "/dashboard/login", &own, &wrong)
        .fails(401, "UNAUTHORIZED");
    server
        .ask("POST", "/dashboard/login", &own[..1], &body)
        .fails(403, "POLICY_DENIED");
    let reply = server.ask("POST", "/dashboard/login", &own, &body);
    assert_eq!(reply.ok()["name"], "me");
    let set = &reply.headers["set-cookie"];
    assert!(
        set.contains("HttpOnly") && set.contains("SameSite=Strict"),
        "{set}"
    );
    assert!(!set.contains(&me), "the cookie is the token: {set}");
    let cookie = set.split(';').next().unwrap();

    let with = [("Cookie", cookie)];
    server.ask("GET", "/v1/sessions", &with, "").ok();
    // Without the header of the dashboard's script, with a foreign origin, or from another site.
    let open = json!({"session": "work"}).to_string();
    let json = ("Content-Type", "application/json");
    let foreign = ("Origin", "https://evil.example");
    for headers in [
        vec![("Cookie", cookie), json],
        vec![("Cookie", cookie), json, own[0]],
        vec![("Cookie", cookie), json, own[1]],
        vec![("Cookie", cookie), json, own[1], foreign],
        vec![
            ("Cookie", cookie),
            json,
            own[0],
            own[1],
            ("Sec-Fetch-Site", "same-site"),
        ],
    ] {
        server
            .ask("POST", "/v1/sessions", &headers, &open)
            .fails(403, "POLICY_DENIED");
        server
            .ask("DELETE", "/v1/profiles/work", &headers, "")
            .fails(403, "POLICY_DENIED");
    }
    let upgrade = [("Cookie", cookie), ("Upgrade", "websocket")];
    server
        .ask("GET", "/v1/sessions/work/cdp", &upgrade, "")
        .fails(403, "POLICY_DENIED");

    let out = [("Cookie", cookie), own[0], own[1]];
    server.ask("POST", "/dashboard/logout", &out, "").ok();
    server
        .ask("GET", "/v1/sessions", &with, "")
        .fails(401, "UNAUTHORIZED");
}

#[test]
fn the_page_loads_only_its_own_files_and_programs_get_json() {
    let env = TestEnv::new();
    let server = Server::start(&env);
    let page = server.ask("GET", "/", &[("Accept", "text/html,*/*;q=0.8")], "");
    let policy = &page.headers["content-security-policy"];
    assert!(
        policy.contains("default-src 'none'") && !policy.contains("unsafe"),
        "{policy}"
    );
    assert!(!page.text().contains("style=") && !page.text().contains("onclick"));
    assert_eq!(server.ask("GET", "/", &[], "").ok()["name"], "szk");
    let script = server.ask("GET", "/dashboard/app.js", &[], "");
    assert!(script.headers["content-type"].starts_with("text/javascript"));
    server
        .ask("GET", "/dashboard/nothing.js", &[], "")
        .fails(404, "NOT_FOUND");
}
