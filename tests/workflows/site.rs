//! A site with many logins, all of which lead to `/account`.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::json;

use crate::harness::{Answer, Site, SiteRequest};

/// The user who may sign in.
pub(super) const USER: &str = "jane@example.org";
/// With characters that are encoded differently everywhere.
pub(super) const PASSWORD: &str = "hünter2 & \"co\" <b>";
/// The second factor.
pub(super) const CODE: &str = "424242";

/// The message of a form that refused.
const WRONG: &str = "<p class=error>Incorrect username or password.</p>";
const LOCKED: &str = "<div role=alert>Your account has been locked. Write to us.</div>";

const PAGE: &str = "<!doctype html><meta charset=utf-8><style>label { display: block } input { width: 200px }</style>";

/// User and password on one page, sent to `to`.
fn both(to: &str, more: &str) -> String {
    format!(
        "{PAGE}<title>Sign in</title><h1>Sign in</h1>{more}<form method=post action='{to}'>
         <label>E-mail <input name=user autocomplete=username></label>
         <label>Password <input name=word type=password autocomplete=current-password></label>
         <button type=button onclick=\"word.type = 'text'\">Show password</button>
         <button>Sign in</button><button type=button>Sign in with Google</button></form>
         <a href=/forgot>Forgot password?</a>
         <form action=/search><input name=q type=search aria-label=Search></form>"
    )
}

fn is_right(asked: &SiteRequest) -> bool {
    asked.field("user") == USER && asked.field("word") == PASSWORD
}

/// Signs the visitor in, via `to`.
fn let_in(to: &str) -> Answer {
    Answer::redirect(to)
        .header("set-cookie", "sid=jane; Path=/; HttpOnly; Max-Age=86400")
        .header("set-cookie", "csrf=2; Path=/; HttpOnly")
}

/// A page with a form that submits to itself, and signs in valid users.
fn admit(asked: &SiteRequest, page: impl Fn(&str) -> String, to: &str) -> Answer {
    if asked.method == "GET" {
        return Answer::html(page(""));
    }
    match asked.field("user").as_str() {
        "locked@example.org" => Answer::html(page(LOCKED)).with_status(403),
        _ if is_right(asked) => let_in(to),
        _ => Answer::html(page(WRONG)).with_status(401),
    }
}

/// One page, with a number in the form that must come back.
fn csrf(asked: &SiteRequest, count: &AtomicUsize) -> Answer {
    if asked.method == "POST" {
        let known = asked.cookie("csrf");
        if known.is_empty() || known != asked.field("csrf") {
            return Answer::html("<title>Oops</title><h1>403</h1>").with_status(403);
        }
    }
    let next = count.fetch_add(1, Ordering::SeqCst);
    let page = |said: &str| {
        let hidden = format!("{said}<input type=hidden name=csrf value={next} form=f>");
        both("/csrf", &hidden).replace("<form method", "<form id=f method")
    };
    admit(asked, page, "/account").header("set-cookie", &format!("csrf={next}; Path=/; HttpOnly"))
}

/// The user name first; the next page asks for the password.
fn steps(asked: &SiteRequest) -> Answer {
    let user = asked.field("user");
    let first = |said: &str| {
        format!(
            "{PAGE}<title>Log in</title><h1>Log in to your account</h1>{said}<form method=post>
             <label>E-mail or phone <input name=user type=email></label><button>Next</button></form>"
        )
    };
    let second = |said: &str| {
        format!(
            "{PAGE}<title>Log in</title><h1>Welcome</h1>{said}<form method=post>
             <input name=user value='{user}' readonly><label>Enter your password <input name=word type=password></label>
             <button>Continue</button></form>"
        )
    };
    match (asked.method.as_str(), asked.body.contains("word=")) {
        ("GET", _) => Answer::html(first("")),
        (_, false) if user == USER => Answer::html(second("")),
        (_, false) => Answer::html(first("<p role=alert>We couldn't find your account.</p>")),
        _ if is_right(asked) => let_in("/account"),
        _ => Answer::html(second("<p role=alert>Wrong password. Try again.</p>")),
    }
}

/// User and password, then a code.
fn code(asked: &SiteRequest) -> Answer {
    let ask = "<title>One more step</title><h1>Two-step verification</h1><form method=post>
        <label>Enter the 6-digit code <input name=code inputmode=numeric autocomplete=one-time-code maxlength=6></label><button>Verify</button></form>";
    if asked.body.contains("code=") {
        return match asked.field("code") == CODE {
            true => let_in("/account"),
            false => Answer::html(format!("{PAGE}{ask}")),
        };
    }
    if asked.method == "POST" && is_right(asked) {
        return Answer::html(format!("{PAGE}{ask}"));
    }
    admit(asked, |said| both("/code", said), "/account")
}

/// A form that scripts submit; `root` is its container.
fn scripted(root: &str) -> String {
    format!(
        "{PAGE}<title>Members</title><h1>Members</h1><div id=host></div><script>
         const host = document.querySelector('#host'); const root = {root};
         root.innerHTML = `<div><label>User <input id=user></label><label>Password <input id=word type=password></label>
           <div id=said role=alert></div><div role=button tabindex=0 id=go style='width: 80px'>Log in</div></div>`;
         const at = (id) => root.querySelector('#' + id);
         at('go').onclick = async () => {{
           const body = new URLSearchParams({{ user: at('user').value, word: at('word').value }});
           const answer = await (await fetch('/scripted', {{ method: 'POST', body }})).json();
           if (answer.ok) location.href = '/account'; else at('said').textContent = answer.said;
         }};
         </script>"
    )
}

/// The frame in a page; signing in there navigates the whole page.
///
fn framed(src: &str) -> String {
    format!(
        "{PAGE}<title>Portal</title><h1>Portal</h1><p>News</p><iframe src='{src}' style='width: 500px; height: 400px'></iframe>"
    )
}

fn account(asked: &SiteRequest) -> Answer {
    match asked.cookie("sid").as_str() {
        "jane" => Answer::html(format!(
            "{PAGE}<title>Account</title><h1>Hello Jane</h1><p>Secure it with two-factor codes.</p>
             <form action=/leave><button>Sign out</button></form>"
        )),
        _ => Answer::redirect("/single"),
    }
}

/// The site.
pub(super) fn serve() -> Site {
    let count = Arc::new(AtomicUsize::new(1));
    let by = |path: &'static str, to: &'static str| {
        move |asked: &SiteRequest| admit(asked, |said| both(path, said), to)
    };
    let silent = |asked: &SiteRequest| match asked.method == "POST" && is_right(asked) {
        true => let_in("/account"),
        false => Answer::html(both("/silent", "")),
    };
    let echo = |asked: &SiteRequest| {
        let word = asked.field("word");
        let said = match word.as_str() {
            "" => String::new(),
            word => format!(
                "<p role=alert>Wrong password: {}</p><script>console.log({word:?}); fetch('/seen?w=' + encodeURIComponent({word:?}), {{ headers: {{ 'x-said': encodeURIComponent({word:?}) }} }})</script>",
                word.replace('&', "&amp;").replace('<', "&lt;")
            ),
        };
        Answer::html(both("/echo", &said))
    };
    Site::plan()
        .on("/account", account)
        .on("/leave", |_| {
            Answer::html("<title>Bye</title><h1>Bye</h1><p>You have left.</p>")
                .header("set-cookie", "sid=; Path=/; HttpOnly; Max-Age=0")
        })
        .on("/single", by("/single", "/account"))
        .on("/csrf", move |asked| csrf(asked, &count))
        .on("/steps", steps)
        .on("/code", code)
        .on("/silent", silent)
        .on("/echo", echo)
        .on("/seen", |_| Answer::json(&json!({})))
        .on("/chain", by("/chain", "/hop"))
        .on("/hop", |_| Answer::redirect("/wait"))
        .page(
            "/wait",
            "<title>One moment</title><p>Signing you in…</p><script>setTimeout(() => { location.href = '/hop2' }, 900)</script>",
        )
        .on("/hop2", |_| Answer::redirect("/account"))
        .on("/robot", |_| {
            Answer::html(both(
                "/single",
                "<div class=g-recaptcha style='width: 304px; height: 78px'>I'm not a robot</div>",
            ))
        })
        .page("/challenge", "<title>Just a moment</title><h1>Please verify you are human</h1>")
        .page("/front", "<title>Shop</title><h1>Shop</h1><p>Things to buy.</p><a href=/single>Log in</a><a href=/join>Sign up</a>")
        .page("/get", "<title>In</title><form action=/got><label>User <input name=user></label><label>Password <input type=password name=x7></label><button>Log in</button></form>")
        .page("/got", "<title>In</title><h1>Account</h1><p>Your word is <b></b>.</p><script>const word = new URLSearchParams(location.search).get('x7'); document.title = 'In with ' + word; document.querySelector('b').textContent = word</script>")
        .page("/nothing", "<title>About</title><h1>About</h1><p>Nothing to sign in to.</p>")
        .page("/nowhere", "<title>Sign in</title><form method=post action=/void><input name=user aria-label=User><input type=password aria-label=Password><button>Sign in</button></form>")
        .page("/void", "<title>Hm</title><h1>Hm</h1><p>A page.</p>")
        .page("/renew", "<title>Sign in</title><form method=post action=/new><input aria-label=User><input type=password aria-label=Password><button>Sign in</button></form>")
        .page("/new", "<title>New</title><form><input type=password aria-label='New password'><input type=password aria-label=Again><button>Save</button></form>")
        .page("/alerting", "<title>Sign in</title><form onsubmit=\"alert('Wrong password!'); return false\"><input aria-label=User><input type=password aria-label=Password><button>Sign in</button></form>")
        .page("/open", &scripted("host.attachShadow({ mode: 'open' })"))
        .page("/closed", &scripted("host.attachShadow({ mode: 'closed' })"))
        .page("/plain", &scripted("host"))
        .on("/scripted", |asked| match is_right(asked) {
            true => Answer::json(&json!({"ok": true})).header("set-cookie", "sid=jane; Path=/; HttpOnly"),
            false => Answer::json(&json!({"ok": false, "said": "Das Passwort ist falsch."})),
        })
        .on("/within", |_| Answer::html(framed("/inner")))
        .on("/across", |asked| {
            let host = asked.header("host").replace("127.0.0.1", "localhost");
            Answer::html(framed(&format!("http://{host}/inner")))
        })
        .on("/inner", |asked| match asked.method == "POST" && is_right(asked) {
            true => Answer::html("<title>in</title><script>parent.postMessage('in', '*'); top.location.href = new URL('/enter', 'http://127.0.0.1:' + location.port)</script>"),
            false => admit(asked, |said| both("/inner", said), "/account"),
        })
        .on("/enter", |_| let_in("/account"))
        .serve()
}
