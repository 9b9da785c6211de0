//! `browser_run_file`, and `browser_run_code` with Playwright.

use std::path::Path;

use serde_json::{Value, json};

use crate::harness::{Mcp, Site, TestEnv};

const PAGE: &str =
    "<title>code</title><button onclick=\"document.title = 'pressed'\">press</button>";

struct Page {
    mcp: Mcp,
    env: TestEnv,
    site: Site,
}

impl Page {
    fn open() -> Self {
        let env = TestEnv::new();
        env.packages();
        let site = Site::of(PAGE);
        let mut mcp = env.mcp();
        mcp.ok(
            "session_open",
            json!({"session": "work", "url": site.url("/")}),
        );
        Self { mcp, env, site }
    }

    #[track_caller]
    fn code(&mut self, code: &str, args: Value) -> Value {
        let input = json!({"code": code, "args": args, "runner": "playwright"});
        self.mcp.ok("browser_run_code", input)
    }
}

#[test]
fn playwright_gets_the_page_that_is_open() {
    let mut page = Page::open();
    let url = page.site.url("/");
    let both = "async (page, args) => { await page.getByRole('button').click(); return [await page.title(), page.url(), args.n + 1]; }";
    assert_eq!(
        page.code(both, json!({"n": 1}))["value"],
        json!(["pressed", url, 2])
    );
    for (code, args, value, kind) in [
        (
            "async ({ page, context, args }) => [await page.title(), context.pages().length, args]",
            json!("x"),
            json!(["pressed", 1, "x"]),
            "array",
        ),
        (
            "const title = await page.title(); return { title, args };",
            json!([1]),
            json!({"title": "pressed", "args": [1]}),
            "object",
        ),
        (
            "await page.title()",
            json!(null),
            json!("pressed"),
            "string",
        ),
        (
            "page.mouse.move(1, 1)",
            json!(null),
            json!(null),
            "undefined",
        ),
        (
            "() => require('node:path').basename(process.cwd())",
            json!(null),
            json!("work"),
            "string",
        ),
        (
            "(await import('playwright-core')).default.chromium.name()",
            json!(null),
            json!("chromium"),
            "string",
        ),
        ("null", json!(null), json!(null), "null"),
        (
            "({ when: new Date(0), bytes: Buffer.from('a'), set: new Set([1]) })",
            json!(null),
            json!({"when": "1970-01-01T00:00:00.000Z", "bytes": "YQ==", "set": [1]}),
            "object",
        ),
        (
            "'\u{1f980}'.repeat(100000).length",
            json!(null),
            json!(200_000),
            "number",
        ),
    ] {
        let output = page.code(code, args);
        assert_eq!(
            (&output["value"], &output["kind"]),
            (&value, &json!(kind)),
            "{code}"
        );
    }
    // Its output comes along, and it can use another tab.
    let output = page.code(
        "console.log('to', 1); console.error('and fro')",
        json!(null),
    );
    assert_eq!(output["output"], "to 1\nand fro", "{output}");
    page.mcp.ok("browser_tabs", json!({"action": "open"}));
    let first = json!({"code": "page.url()", "runner": "playwright", "tab": "t1"});
    assert_eq!(
        page.mcp.ok("browser_run_code", first)["value"],
        url.as_str()
    );
    let cli = page
        .env
        .szk([
            "run-code",
            "--runner",
            "playwright",
            "-s",
            "work",
            "-t",
            "t1",
            "async (page) => { console.log('talk'); return page.title() }",
        ])
        .ok();
    assert_eq!(
        (cli.stdout.as_str(), cli.stderr.as_str()),
        ("pressed\n", "talk\n")
    );
    page.env.no_program_is_left();
}

#[test]
fn what_goes_wrong_comes_back() {
    let mut page = Page::open();
    for (code, parts) in [
        ("\n\nnull.x", &["null", "(line 3)"][..]),
        (
            "async () => {\n  throw new Error('oh no');\n}",
            &["Error: oh no", "(line 2)"],
        ),
        ("throw 'a string'", &["a string"]),
        (
            "console.log('before'); throw new Error('after')",
            &["after", "printed:", "before"],
        ),
        ("this is no code", &["SyntaxError"]),
        (
            "setTimeout(() => { throw new Error('later') }); await new Promise(() => {})",
            &["later"],
        ),
        (
            "async (page) => page.getByText('nowhere').click({ timeout: 200 })",
            &["Timeout 200ms exceeded", "nowhere"],
        ),
        ("page", &["cannot return the value", "Page"]),
        (
            "const a = {}; a.a = a; return a",
            &["cannot return the value", "circular"],
        ),
        ("process.exit(4)", &["without a result", "4"]),
    ] {
        let input = json!({"code": code, "runner": "playwright"});
        let failure = page.mcp.fails("browser_run_code", input, "SCRIPT_FAILED");
        let message = failure["message"].as_str().unwrap();
        for part in parts {
            assert!(message.contains(part), "{code}: {message}");
        }
        assert!(!message.contains('\u{1b}'), "{message}");
    }
    let world = json!({"code": "1", "runner": "playwright", "world": "main"});
    page.mcp.fails("browser_run_code", world, "INVALID_INPUT");
    assert_eq!(page.mcp.eval("work", "document.title"), "code");
}

#[test]
fn files_export_functions() {
    let mut page = Page::open();
    page.env.file(
        "lib/scrape.mjs",
        "import { title } from './helper.mjs';
export default async (page, args) => ({ title: await title(page), args });
export async function two({ page, args }) { console.log('two'); return `${page.url()} ${args}`; }
export const number = 3;",
    );
    page.env.file(
        "lib/helper.mjs",
        "export const title = (page) => page.title();",
    );
    page.env.file(
        "common.cjs",
        "module.exports = { one: async (page) => page.title() };",
    );
    page.env
        .file("script.mjs", "console.log(process.env.SZK_SESSION);");
    let url = page.site.url("/");
    let mut run = |input: Value| page.mcp.ok("browser_run_file", input);
    let output = run(json!({"path": "lib/scrape.mjs", "args": 7}));
    assert_eq!(output["value"], json!({"title": "code", "args": 7}));
    let output = run(json!({"path": "lib/scrape.mjs", "export": "two", "args": 7}));
    assert_eq!(
        (&output["value"], &output["output"]),
        (&json!(format!("{url} 7")), &json!("two"))
    );
    assert_eq!(
        run(json!({"path": "common.cjs", "export": "one"}))["value"],
        "code"
    );
    let output = run(json!({"path": "script.mjs"}));
    assert_eq!(
        (&output["kind"], &output["output"]),
        (&json!("undefined"), &json!("work"))
    );
    // The file is read again each time.
    page.env
        .file("script.mjs", "export default () => 'changed';");
    assert_eq!(run(json!({"path": "script.mjs"}))["value"], "changed");

    let failure = page.mcp.fails(
        "browser_run_file",
        json!({"path": "lib/scrape.mjs", "export": "three"}),
        "NOT_FOUND",
    );
    assert!(
        failure["hint"].as_str().unwrap().contains("two"),
        "{failure}"
    );
    page.mcp.fails(
        "browser_run_file",
        json!({"path": "nowhere.mjs"}),
        "NOT_FOUND",
    );
    page.env.file("words.txt", "");
    page.mcp.fails(
        "browser_run_file",
        json!({"path": "words.txt"}),
        "INVALID_INPUT",
    );
    page.env
        .file("bad.mjs", "export default () => {\n  null.x;\n};");
    let failure = page.mcp.fails(
        "browser_run_file",
        json!({"path": "bad.mjs"}),
        "SCRIPT_FAILED",
    );
    assert!(
        failure["message"].as_str().unwrap().contains("(line 2)"),
        "{failure}"
    );
    let cli = page
        .env
        .szk([
            "run-file",
            "lib/scrape.mjs",
            "--export",
            "two",
            "--args",
            "[1]",
            "-s",
            "work",
        ])
        .ok();
    assert_eq!(
        (cli.stdout, cli.stderr),
        (format!("{url} 1\n"), "two\n".to_owned())
    );
}

#[test]
fn python_as_well() {
    let mut page = Page::open();
    let python = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/python");
    assert!(
        python.join("bin/python").exists(),
        "run `scripts/python` (scripts/test does)"
    );
    // A virtual environment is where its link is, so do not resolve it.
    let python = std::path::absolute(python).unwrap();
    std::os::unix::fs::symlink(python, page.env.work().join(".venv")).unwrap();
    page.env.file(
        "lib/tools.py",
        "def main(page, args):\n    page.get_by_role('button').click()\n    print('pressing')\n    return {'title': page.title(), 'args': args}\n
async def later(context, page):\n    return [await page.title(), len(context.pages)]\n
def wrong(page):\n    raise ValueError('not today')\n
def strange(page):\n    return page\n",
    );
    let mut run = |export: Value| {
        page.mcp.call(
            "browser_run_file",
            json!({"path": "lib/tools.py", "export": export, "args": [1]}),
        )
    };
    let output = run(json!(null));
    assert_eq!(
        output["structuredContent"]["value"],
        json!({"title": "pressed", "args": [1]}),
        "{output:#}"
    );
    assert_eq!(output["structuredContent"]["output"], "pressing");
    assert_eq!(
        run(json!("later"))["structuredContent"]["value"],
        json!(["pressed", 1])
    );
    for (export, part) in [
        ("wrong", "ValueError: not today (line 10)"),
        ("strange", "cannot return the value"),
        ("none", "has no function `none`"),
    ] {
        let result = run(json!(export));
        let text = result["content"][0]["text"].as_str().unwrap();
        assert!(result["isError"] == true && text.contains(part), "{text}");
    }
}

/// A page cannot tell that Playwright is working in it.
#[test]
fn the_shield_stays_up() {
    let env = TestEnv::new();
    env.packages();
    let site = Site::of(
        "<script>var seen = 0; const error = new Error();
         Object.defineProperty(error, 'stack', { get() { seen += 1; return ''; } });
         setInterval(() => console.debug(error), 20);</script>",
    );
    env.open("work");
    env.navigate("work", &site.url("/"));
    let mut mcp = env.mcp();
    let code = "async (page) => { await page.evaluate(() => document.title = 'x'); await page.waitForTimeout(200); return page.evaluate(() => [seen, navigator.webdriver]); }";
    let output = mcp.ok(
        "browser_run_code",
        json!({"code": code, "runner": "playwright"}),
    );
    assert_eq!(output["value"], json!([0, false]));
}
