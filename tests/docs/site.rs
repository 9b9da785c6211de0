//! The site in place of `example.com`, and the files in the reader's folder.

use std::fs;

use super::programs;
use crate::harness::{Answer, Site, TestEnv};

const PAGE: &str = r##"<!doctype html><html lang=en><title>Example</title>
<style>#card, #done { width: 80px; height: 40px }</style>
<main><h1>Example</h1><article><h2>title</h2><p>12 results. Sign in <b class=price>3</b></article>
<table><tr><th>size<th>price<tr><td>Large<td>3</table>
<form onsubmit="return false"><label>User <input id=user></label>
<label>Size <select id=size><option>Small<option>Large</select></label>
<button type=button id=send>Send</button></form>
<div id=card draggable=true>card</div><div id=done>done</div><p id=result>result</p>
<a href=/more>More</a>
<form onsubmit="return false"><label>First name <input></label>
<label>Country <select><option>Austria<option>Poland</select></label>
<label><input type=checkbox> I agree</label> <label>Card number <input></label>
<label>Photo <input type=file></label> <button>Save</button></form></main>"##;

const LOGIN: &str = "<!doctype html><title>Sign in</title><form action=/session>
<label>User <input name=user autocomplete=username></label>
<label>Password <input name=pass type=password></label><button>Sign in</button></form>";

const ACCOUNT: &str =
    "<!doctype html><title>Account</title><h1>Hello</h1><a href=/bye>Sign out</a>";

/// The site.
pub(super) fn serve() -> Site {
    let plan = Site::plan().page("/", PAGE).page("/login", LOGIN);
    let plan = plan.page("/account", ACCOUNT).on("/session", |_| {
        Answer::status(303)
            .header("location", "/account")
            .header("set-cookie", "sid=1; Path=/")
    });
    ["/more", "/a", "/b"]
        .into_iter()
        .fold(plan, |plan, path| {
            plan.page(path, "<!doctype html><title>More</title><p>more")
        })
        .serve()
}

/// Files that documents mention, in the working directory.
pub(super) fn files(env: &TestEnv, site: &str) {
    let test = "import { test, expect } from './szk.mjs';
test('checkout', async ({ page }) => { expect(await page.evaluate('6 * 7')).toBe(42); });\n";
    let steps = r##"[{"tool": "browser_act", "input": {"kind": "click", "selector": "#send"}}]"##;
    fs::create_dir(env.work().join("tests")).unwrap();
    for (name, text) in [
        ("app.mjs", &*programs::playwright()),
        ("tests/cart.spec.mjs", test),
        ("scrape.js", "() => document.title"),
        (
            "scrape.mjs",
            "export default async (page, { pages }) => [await page.title(), pages];\n",
        ),
        (
            "tools.py",
            "def login(page, args):\n    return page.title()\n",
        ),
        (
            "fields.json",
            r#"[{"field": "First name", "value": "Jane"}]"#,
        ),
        ("page.html", "<title>on this machine</title>"),
        ("photo.png", ""),
        ("me.png", ""),
        ("steps.json", steps),
        (
            "cookies.txt",
            "# Netscape HTTP Cookie File\n.example.com\tTRUE\t/\tFALSE\t0\tsid\t1\n",
        ),
        (
            "copied-as-curl.txt",
            &*format!("curl '{site}/' -H 'Cookie: a=b'\n"),
        ),
    ] {
        fs::write(env.work().join(name), text).unwrap();
    }
    env.packages();
}
