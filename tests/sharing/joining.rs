//! Agent tools that join a CDP endpoint, from npm, unmodified: each does its usual work in a tab that
//! szk opened and logged in, and afterwards no one can tell that it was there.

use serde_json::{Value, json};

use crate::harness::{Answer, Driver, PATIENTLY, Site, TestEnv, wait_until};

/// Counts what an enabled `Runtime` does to the values that a page logs, like the shield's own tests.
/// It logs on a click: some clients keep only the last few messages.
const PAGE: &str = r#"<!doctype html><title>watched</title>
<p>hello WHO</p><label>Name <input id=name></label><button>press</button><script>
  const seen = { logged: 0, getters: 0, stacks: 0 };
  class Trap extends Error {
    get name() { seen.getters++; return 'Trap'; }
    get message() { seen.getters++; return ''; }
  }
  Error.prepareStackTrace = (error, frames) => { seen.stacks++; return frames.map(String).join(); };
  const look = () => { seen.logged++; console.debug(new Trap()); console.debug(new Error('x')); };
  look();
  document.querySelector('button').onclick = () => {
    for (let times = 0; times < 20; times++) look();
    document.title = 'pressed for ' + document.querySelector('#name').value;
    console.log('the page says so');
  };
  // Chromium's own log reads two getters of each value.
  window.given = () => 'given ' + [seen.getters - 2 * seen.logged, seen.stacks, seen.logged].join();
</script>"#;

/// The page's count when nothing gives a client away.
const UNNOTICED: &str = "given 0,0,21";

fn site() -> Site {
    Site::plan()
        .on("/login", |_| {
            Answer::html("<title>welcome</title>")
                .header("set-cookie", "who=jane; Path=/; HttpOnly; Max-Age=86400")
        })
        .on("/", |asked| {
            let who = asked.cookies().replace("who=", "");
            Answer::html(PAGE.replace("WHO", &who))
        })
        .page("/next", "<title>next</title><h1>next</h1>")
        .serve()
}

/// An open session with a logged-in tab, and what must be unchanged in the end.
struct Shared {
    env: TestEnv,
    site: Site,
    endpoint: Value,
    browser: i32,
}

impl Shared {
    fn open(config: &str) -> Self {
        let mut env = TestEnv::new();
        env.set("CHROME_DEVTOOLS_MCP_NO_USAGE_STATISTICS", "1");
        // Test exactly what is installed.
        env.set("npm_config_offline", "true");
        env.set("npm_config_update_notifier", "false");
        env.packages();
        let programs = env.work().join("node_modules/.bin");
        let path = std::env::var("PATH").unwrap();
        env.set("PATH", &format!("{}:{path}", programs.display()));
        env.config(config);
        env.open("work");
        let site = site();
        env.navigate("work", &site.url("/login"));
        env.navigate("work", &site.url("/"));
        let endpoint = env.endpoint("work");
        let browser = env.browser().pid;
        Self {
            env,
            site,
            endpoint,
            browser,
        }
    }

    /// What `szk endpoint` says to type.
    fn snippet(&self, tool: &str) -> String {
        let all = self.endpoint["snippets"].as_array().unwrap();
        let found = all.iter().find(|snippet| snippet["tool"] == tool);
        let code = &found.expect("the tool has a snippet")["code"];
        code.as_str().unwrap().to_owned()
    }

    fn names(&self) -> Vec<String> {
        let clients = self.env.endpoint("work")["clients"].clone();
        let name = |client: &Value| client["name"].as_str().unwrap().to_owned();
        clients.as_array().into_iter().flatten().map(name).collect()
    }

    /// szk's own front ends are on the page that the client worked on.
    fn is_on(&self, path: &str, title: &str) {
        let tabs = self.env.row("work").unwrap()["tabs"].clone();
        assert_eq!(tabs[0]["url"], self.site.url(path), "{tabs}");
        // A page reports to the browser when it likes.
        wait_until("its title is listed", PATIENTLY, || {
            self.env.row("work").unwrap()["tabs"][0]["title"] == title
        });
        assert_eq!(self.env.eval("work", "document.title"), title);
    }

    /// The visitor has left, and everything is unchanged: the browser, one tab, the login.
    fn is_left_as_it_was(&self) {
        wait_until("no client is connected", PATIENTLY, || {
            self.names().is_empty()
        });
        self.is_on("/next", "next");
        let row = self.env.row("work").unwrap();
        assert_eq!(row["status"], "open", "{row}");
        assert_eq!(row["tabs"].as_array().unwrap().len(), 1, "{row}");
        assert_eq!(self.env.browser().pid, self.browser);
        self.env.navigate("work", &self.site.url("/"));
        let text = self
            .env
            .eval("work", "document.querySelector('p').textContent");
        assert_eq!(text, "hello jane");
    }
}

/// A snapshot's ref for what is on the first line with this text.
fn reference(snapshot: &str, text: &str, before: &str, after: char) -> String {
    let line = snapshot.lines().find(|line| line.contains(text));
    let line = line.unwrap_or_else(|| panic!("no `{text}`: {snapshot}"));
    let (_, rest) = line.split_once(before).expect("it has a reference");
    rest.split(after).next().unwrap().to_owned()
}

/// Calls a tool; returns its text.
#[track_caller]
fn call(server: &mut Driver, tool: &str, arguments: &Value) -> String {
    let said = server.run(&format!("return call('{tool}', {arguments})"));
    said.as_str().unwrap().to_owned()
}

#[track_caller]
fn has(said: &str, part: &str) {
    assert!(said.contains(part), "no `{part}`: {said}");
}

#[test]
fn chrome_devtools_mcp() {
    let shared = Shared::open("");
    let mut server = Driver::server(&shared.env, &shared.snippet("chrome-devtools-mcp"));
    chrome_devtools_mcp_works(&shared, &mut server);
    drop(server);
    shared.is_left_as_it_was();
}

fn chrome_devtools_mcp_works(shared: &Shared, server: &mut Driver) {
    let url = |path: &str| shared.site.url(path);
    let pages = call(server, "list_pages", &json!({}));
    has(&pages, &format!("1: watched ({})", url("/")));
    // It is built on Puppeteer, and first calls itself that.
    wait_until("it is called by its name", PATIENTLY, || {
        shared.names() == ["chrome-devtools-mcp"]
    });
    // A document that it has seen from the start: it does not notice what it missed.
    let args = json!({"pageId": 1, "type": "url", "url": url("/")});
    call(server, "navigate_page", &args);
    let seen = call(server, "take_snapshot", &json!({"pageId": 1}));
    has(&seen, "hello jane");
    let of = |text: &str| reference(&seen, text, "uid=", ' ');
    let args = json!({"pageId": 1, "uid": of("textbox"), "value": "Ada"});
    call(server, "fill", &args);
    let args = json!({"pageId": 1, "uid": of("button")});
    call(server, "click", &args);
    shared.is_on("/", "pressed for Ada");
    let said = call(
        server,
        "list_console_messages",
        &json!({"pageId": 1, "types": ["log"]}),
    );
    has(&said, "the page says so");
    let given = json!({"pageId": 1, "function": "() => window.given()"});
    has(&call(server, "evaluate_script", &given), UNNOTICED);
    has(
        &call(server, "take_screenshot", &json!({"pageId": 1})),
        "image",
    );
    let own = call(server, "new_page", &json!({"url": url("/next")}));
    has(&own, &format!("2: next ({})", url("/next")));
    call(server, "close_page", &json!({"pageId": 2}));
    let args = json!({"pageId": 1, "type": "url", "url": url("/next")});
    call(server, "navigate_page", &args);
    let asked = call(server, "list_network_requests", &json!({"pageId": 1}));
    has(&asked, &format!("GET {} [200]", url("/next")));
}

#[test]
fn playwright_mcp() {
    let shared = Shared::open("");
    let url = |path: &str| shared.site.url(path);
    let server = &mut Driver::server(&shared.env, &shared.snippet("@playwright/mcp"));
    let pages = call(server, "browser_tabs", &json!({"action": "list"}));
    has(&pages, &format!("[watched]({})", url("/")));
    let names = shared.names();
    assert!(names[0].starts_with("Playwright"), "{names:?}");
    call(server, "browser_navigate", &json!({"url": url("/")}));
    let seen = call(server, "browser_snapshot", &json!({}));
    has(&seen, "hello jane");
    let of = |text: &str| reference(&seen, text, "ref=", ']');
    let args = json!({"target": of("textbox"), "text": "Ada"});
    call(server, "browser_type", &args);
    call(server, "browser_click", &json!({"target": of("button")}));
    shared.is_on("/", "pressed for Ada");
    let said = call(
        server,
        "browser_console_messages",
        &json!({"level": "info"}),
    );
    has(&said, "the page says so");
    let given = json!({"function": "() => window.given()"});
    has(&call(server, "browser_evaluate", &given), UNNOTICED);
    has(
        &call(server, "browser_take_screenshot", &json!({})),
        "image",
    );
    call(server, "browser_tabs", &json!({"action": "new"}));
    call(server, "browser_tabs", &json!({"action": "close"}));
    call(server, "browser_navigate", &json!({"url": url("/next")}));
    let asked = json!({"static": true});
    has(&call(server, "browser_network_requests", &asked), "[200]");
    server.run("await client.close()");
    shared.is_left_as_it_was();
}

#[test]
fn agent_browser() {
    let shared = Shared::open("");
    let url = |path: &str| shared.site.url(path);
    let run = |line: &str| shared.env.program("sh", ["-c", line]).ok().stdout;
    run(&shared.snippet("agent-browser"));
    assert_eq!(shared.names(), ["agent-browser"]);
    has(&run("agent-browser tab list"), &url("/"));
    run(&format!("agent-browser open {}", url("/")));
    let seen = run("agent-browser snapshot");
    has(&seen, "hello jane");
    let of = |text: &str| reference(&seen, text, "ref=", ']');
    run(&format!("agent-browser fill @{} Ada", of("textbox")));
    run(&format!("agent-browser click @{}", of("button")));
    shared.is_on("/", "pressed for Ada");
    has(&run("agent-browser console"), "[log] the page says so");
    has(&run("agent-browser eval 'window.given()'"), UNNOTICED);
    run("agent-browser screenshot page.png");
    assert!(shared.env.work().join("page.png").exists());
    run(&format!("agent-browser tab new {}", url("/next")));
    run("agent-browser tab close");
    run(&format!("agent-browser open {}", url("/next")));
    has(&run("agent-browser cookies get"), "who=jane");
    // "Browser closed", it says.
    run("agent-browser close");
    shared.is_left_as_it_was();
}

/// All at once on one browser, each in its own tab: none gets another's tab, and no page notices.
#[test]
fn all_of_them_together() {
    const ROUNDS: usize = 4;
    let shared = Shared::open("");
    let page = shared.site.url("/");
    let own = |name: &str| format!("{page}?{name}");
    let pressed = |name: &str, round: usize| format!("pressed for {name} {round}");
    let given = |round: usize| format!("given 0,0,{}", 1 + 20 * round);
    let mut devtools = Driver::server(&shared.env, &shared.snippet("chrome-devtools-mcp"));
    let mut playwright_mcp = Driver::server(&shared.env, &shared.snippet("@playwright/mcp"));
    let mut playwright = Driver::playwright(&shared.env, &shared.endpoint);
    let mut puppeteer = Driver::puppeteer(&shared.env, &shared.endpoint);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let server = &mut devtools;
            let pages = call(server, "new_page", &json!({"url": own("devtools")}));
            let line = pages.lines().find(|line| line.contains("?devtools"));
            let id = line.and_then(|line| line.split(':').next()?.trim().parse::<u32>().ok());
            let id = id.unwrap_or_else(|| panic!("{pages}"));
            for round in 1..=ROUNDS {
                let seen = call(server, "take_snapshot", &json!({"pageId": id}));
                has(&seen, "hello jane");
                let of = |text: &str| reference(&seen, text, "uid=", ' ');
                let value = format!("devtools {round}");
                let args = json!({"pageId": id, "uid": of("textbox"), "value": value});
                call(server, "fill", &args);
                let args = json!({"pageId": id, "uid": of("button")});
                call(server, "click", &args);
                let read = json!({"pageId": id, "function": "() => document.title + ' ' + window.given()"});
                let said = call(server, "evaluate_script", &read);
                has(&said, &pressed("devtools", round));
                has(&said, &given(round));
            }
        });
        scope.spawn(|| {
            let server = &mut playwright_mcp;
            call(server, "browser_tabs", &json!({"action": "new"}));
            call(server, "browser_navigate", &json!({"url": own("pwmcp")}));
            for round in 1..=ROUNDS {
                let seen = call(server, "browser_snapshot", &json!({}));
                has(&seen, "hello jane");
                let of = |text: &str| reference(&seen, text, "ref=", ']');
                let text = format!("pwmcp {round}");
                let args = json!({"target": of("textbox"), "text": text});
                call(server, "browser_type", &args);
                call(server, "browser_click", &json!({"target": of("button")}));
                let read = json!({"function": "() => document.title + ' ' + window.given()"});
                let said = call(server, "browser_evaluate", &read);
                has(&said, &pressed("pwmcp", round));
                has(&said, &given(round));
            }
        });
        for (program, name, fill) in [
            (
                &mut playwright,
                "playwright",
                "await own.fill('#name', text)",
            ),
            (
                &mut puppeteer,
                "puppeteer",
                "await own.$eval('#name', (field) => field.select()); await own.type('#name', text)",
            ),
        ] {
            let open = match name {
                "playwright" => "page.context().newPage()",
                _ => "page.browser().newPage()",
            };
            let address = own(name);
            scope.spawn(move || {
                let done = program.run(&format!(
                    "const own = await {open};
                     await own.goto('{address}');
                     const said = [];
                     for (let round = 1; round <= {ROUNDS}; round++) {{
                       const text = '{name} ' + round;
                       {fill};
                       await own.click('button');
                       said.push(await own.title() + ' ' + await own.evaluate(() => window.given()));
                     }}
                     return said"
                ));
                let expected: Vec<_> = (1..=ROUNDS)
                    .map(|round| format!("pressed for {name} {round} given 0,0,{}", 1 + 20 * round))
                    .collect();
                assert_eq!(done, json!(expected));
            });
        }
        scope.spawn(|| {
            let mut mcp = shared.env.mcp();
            mcp.open_session("work");
            let opened = json!({"tab": "new", "url": own("szk"), "session": "work"});
            let tab = mcp.ok("browser_navigate", opened)["tab"].clone();
            for round in 1..=ROUNDS {
                let fill = json!({"session": "work", "tab": tab, "kind": "fill", "selector": "#name", "text": format!("szk {round}")});
                mcp.ok("browser_act", fill);
                let click = json!({"session": "work", "tab": tab, "kind": "click", "selector": "button"});
                mcp.ok("browser_act", click);
                let read = json!({"session": "work", "tab": tab, "world": "main", "code": "document.title + ' ' + window.given()"});
                let said = mcp.ok("browser_run_code", read)["value"].clone();
                assert_eq!(said, format!("{} {}", pressed("szk", round), given(round)));
            }
        });
    });
    // The first tab is unchanged.
    let row = shared.env.row("work").unwrap();
    let tabs = row["tabs"].as_array().unwrap();
    assert_eq!(tabs.len(), 6, "{row:#}");
    assert_eq!(tabs[0]["url"], page);
    assert_eq!(shared.names().len(), 4);
    assert_eq!(shared.env.browser().pid, shared.browser);
}

/// The tests above rely on this: the page does notice a client without the shield.
#[test]
fn without_the_shield_the_page_notices_one() {
    let shared = Shared::open("");
    let bare = shared.env.szk(["endpoint", "work", "--no-shield", "--ws"]);
    let line = format!(
        "npx chrome-devtools-mcp --wsEndpoint {}",
        bare.ok().stdout.trim()
    );
    let server = &mut Driver::server(&shared.env, &line);
    call(server, "list_pages", &json!({}));
    let args = json!({"pageId": 1, "type": "reload"});
    call(server, "navigate_page", &args);
    let press = json!({"pageId": 1, "function": "() => { document.querySelector('button').click(); return window.given(); }"});
    let given = call(server, "evaluate_script", &press);
    has(&given, "given ");
    assert!(!given.contains(UNNOTICED), "{given}");
}

/// The address without its token, and the token.
fn apart(address: &str) -> (String, String) {
    let (host, path) = address.split_once("127.0.0.1:").expect("on loopback");
    let (port, path) = path.split_once('/').expect("a path");
    let (token, path) = path.split_once('/').unwrap_or((path, ""));
    (format!("{host}127.0.0.1:{port}/{path}"), token.to_owned())
}

#[test]
fn the_token_may_be_in_a_header() {
    let shared = Shared::open("");
    let (ws, token) = apart(shared.endpoint["ws_url"].as_str().unwrap());
    let header = json!({"Authorization": format!("Bearer {token}")});
    let line = format!("npx chrome-devtools-mcp --wsEndpoint {ws} --wsHeaders '{header}'");
    let server = &mut Driver::server(&shared.env, &line);
    has(
        &call(server, "list_pages", &json!({})),
        &shared.site.url("/"),
    );
    let (http, token) = apart(shared.endpoint["http_url"].as_str().unwrap());
    let line = format!(
        "npx @playwright/mcp --cdp-endpoint {http} --cdp-header 'Authorization: Bearer {token}'"
    );
    let server = &mut Driver::server(&shared.env, &line);
    let pages = call(server, "browser_tabs", &json!({"action": "list"}));
    has(&pages, &shared.site.url("/"));
}

#[test]
fn one_that_knows_only_the_port_needs_no_token_where_that_is_chosen() {
    let shared = Shared::open("[endpoint]\nauth = \"none\"\n");
    let port = &shared.endpoint["port"];
    let line = format!("npx chrome-devtools-mcp --browserUrl http://127.0.0.1:{port}");
    let mut server = Driver::server(&shared.env, &line);
    chrome_devtools_mcp_works(&shared, &mut server);
    drop(server);
    shared.is_left_as_it_was();
}
