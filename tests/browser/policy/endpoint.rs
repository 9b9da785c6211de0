//! Programs at the endpoint are bound like everyone else: a bare socket, and Playwright.

use std::fs;

use serde_json::{Value, json};

use crate::harness::{Answer, Driver, SOON, Site, TestEnv, wait_for};

/// What a bare socket may not do, with the word that gives the reason. `{page}` is a page's session.
fn refused(raw: &mut Driver, calls: &[(&str, Value, &str)]) {
    let calls = json!(calls);
    let said = raw.run(&format!(
        "const said = []; const tab = await first();
         for (const [method, params] of {calls}) {{
           const at = /^(Browser|Target|Storage|Tracing|Extensions|Tethering)/.test(method) ? undefined : tab;
           said.push(await send(method, params, at).then(() => 'done', (error) => error.message));
         }}
         return said"
    ));
    for (call, said) in calls
        .as_array()
        .unwrap()
        .iter()
        .zip(said.as_array().unwrap())
    {
        let said = said.as_str().unwrap();
        let (method, word) = (call[0].as_str().unwrap(), call[2].as_str().unwrap());
        assert!(
            said.contains(method) && said.contains(word),
            "{call}: {said}"
        );
    }
}

#[test]
fn a_bare_socket_gets_around_no_limit() {
    let env = TestEnv::new();
    let site = Site::plan()
        .on("/", |_| {
            Answer::html("<title>in</title><input type=file id=f>")
                .header("set-cookie", "login=s3cret; HttpOnly")
        })
        .serve();
    env.config("[policy]\nread = []\nwrite = []\nrun_code = false\nexport_cookies = false\ndownloads = false\n");
    env.open("work");
    env.navigate("work", &site.url("/"));
    let endpoint = env.endpoint("work");
    let mut raw = Driver::raw(&env, &endpoint);
    let work = env.work().display().to_string();
    let url = |url: &str| json!({"url": url});
    refused(
        &mut raw,
        &[
            ("Runtime.evaluate", json!({"expression": "1"}), "run_code"),
            (
                "Runtime.callFunctionOn",
                json!({"functionDeclaration": "() => 1", "objectId": "1.1.1"}),
                "run_code",
            ),
            (
                "Runtime.compileScript",
                json!({"expression": "1", "sourceURL": "", "persistScript": true}),
                "run_code",
            ),
            (
                "Page.addScriptToEvaluateOnNewDocument",
                json!({"source": "1"}),
                "run_code",
            ),
            (
                "Page.reload",
                json!({"scriptToEvaluateOnLoad": "1"}),
                "run_code",
            ),
            (
                "Page.navigate",
                url("JavaScript:document.title='x'"),
                "run_code",
            ),
            (
                "Page.setDocumentContent",
                json!({"frameId": "x", "html": ""}),
                "run_code",
            ),
            ("Storage.getCookies", json!({}), "export_cookies"),
            ("Network.getAllCookies", json!({}), "export_cookies"),
            ("DOMStorage.enable", json!({}), "export_cookies"),
            (
                "DOM.setFileInputFiles",
                json!({"files": [format!("{work}/szk.config.toml")]}),
                "policy] read",
            ),
            (
                "Input.dispatchDragEvent",
                json!({"type": "drop", "x": 1, "y": 1, "data": {"items": [], "dragOperationsMask": 1, "files": ["/etc/passwd"]}}),
                "policy] read",
            ),
            (
                "Page.navigate",
                url("chrome://version"),
                "the browser itself",
            ),
            (
                "Target.createTarget",
                url("chrome://settings"),
                "the browser itself",
            ),
            ("Page.navigate", url("file:///etc/hostname"), "file:"),
            (
                "Target.createTarget",
                url("view-source:file:///etc/hostname"),
                "file:",
            ),
            (
                "Extensions.loadUnpacked",
                json!({"path": work}),
                "get around",
            ),
            ("Tracing.start", json!({}), "get around"),
            ("Tethering.bind", json!({"port": 4000}), "get around"),
            (
                "Target.openDevTools",
                json!({"targetId": "x"}),
                "get around",
            ),
            ("Page.notInvented", json!({}), "get around"),
        ],
    );
    // Methods that no limit covers still work, and no event contains the cookie.
    let seen = raw.run(&format!(
        "const tab = await first(); const seen = [];
         socket.on('message', (text) => seen.push(String(text)));
         await send('Network.enable', {{}}, tab);
         await send('Page.navigate', {{ url: {} }}, tab);
         const told = (word) => seen.some((text) => text.includes(word));
         while (!told('responseReceivedExtraInfo') || !told('requestWillBeSentExtraInfo')) await new Promise((done) => setTimeout(done, 20));
         return seen.filter((text) => text.includes('ExtraInfo')).join('\\n')",
        json!(site.url("/"))
    ));
    let seen = seen.as_str().unwrap();
    assert!(!seen.contains("s3cret") && seen.contains("***"), "{seen}");
    env.close("work");
}

#[test]
fn playwright_gets_around_no_limit() {
    let env = TestEnv::new();
    let site = Site::plan()
        .page("/", "<title>in</title><input type=file>")
        .on("/file", |_| {
            Answer::html("data").header("content-disposition", "attachment; filename=data.txt")
        })
        .serve();
    let out = Site::of("<title>out</title>");
    let allowed = site.origin();
    env.config(&format!(
        "[policy]\nallowed_origins = [\"{allowed}\"]\nread = []\nwrite = []\nmain_world = false\nexport_cookies = false\n"
    ));
    env.open("work");
    let endpoint = env.endpoint("work");
    let mut playwright = Driver::playwright(&env, &endpoint);
    // What a person allowed works as usual.
    playwright.run(&format!("await page.goto('{}')", site.url("/")));
    assert_eq!(playwright.run("return page.locator('input').count()"), 1);
    for (code, word) in [
        (
            format!("await page.goto('{}')", out.url("/")),
            "allowed origins",
        ),
        (
            "await page.goto('file:///etc/hostname')".to_owned(),
            "allowed origins",
        ),
        (
            "await page.goto('data:text/html,x')".to_owned(),
            "allowed origins",
        ),
        // Playwright has one message for anything that goes wrong in an evaluation.
        ("await page.evaluate('1')".to_owned(), "page.evaluate"),
        ("await page.addInitScript('1')".to_owned(), "main_world"),
        (
            "await browser.contexts()[0].storageState()".to_owned(),
            "export_cookies",
        ),
        (
            "await browser.contexts()[0].cookies()".to_owned(),
            "export_cookies",
        ),
        (
            "await browser.newContext({ proxy: { server: 'http://127.0.0.1:9' } })".to_owned(),
            "get around",
        ),
    ] {
        let error = playwright.throws(&code);
        assert!(error.contains(word), "{code}: {error}");
    }
    assert!(out.asked().is_empty(), "{:?}", out.asked());
    // The download stays in the profile: the client's own folder is outside `write`.
    playwright.run(&format!(
        "state.coming = page.waitForEvent('download'); await page.goto('{}').catch(() => {{}}); await state.coming",
        site.url("/file")
    ));
    let folder = env.in_profile("work", "downloads");
    wait_for("the download", SOON, || {
        fs::read_to_string(folder.join("data.txt"))
            .ok()
            .filter(|text| text == "data")
    });
    env.close("work");
}
