//! Reading leaves no trace: a page that watches everything it can counts nothing.

use serde_json::json;

use crate::harness::{Mcp, SOON, Site, TestEnv, wait_for};

/// Wraps every function and accessor of every prototype and constructor, and watches every change.
const PAGE: &str = r#"<!doctype html><title>watched</title>
<main id=m><h1>Shop</h1><ul><li class=item><a href=/a>A</a> <span class=price>€ 1</span><li class=item><a href=/b>B</a> <span class=price>€ 2</span></ul>
<form><label>Name <input id=i value=x></label><select><option>One</select><textarea></textarea><button>Go</button></form>
<div style="cursor:pointer">Card</div><x-closed></x-closed><iframe srcdoc="<button>In</button>"></iframe><table><tr><th>H<tr><td>D</table></main>
<script>
var globals = Object.getOwnPropertyNames(window).length;
customElements.define('x-closed', class extends HTMLElement { constructor() { super(); this.attachShadow({ mode: 'closed' }).innerHTML = '<button>Closed</button>' } });
var calls = 0, changes = 0, events = 0, names = {};
{
  const { defineProperty, getOwnPropertyDescriptor, ownKeys, apply } = Reflect, quiet = new Set(['constructor', 'prototype']);
  new MutationObserver((list) => { changes += list.length }).observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
  for (const kind of ['focusin', 'focusout', 'scroll', 'resize', 'selectionchange', 'mouseover', 'pointermove', 'click', 'keydown', 'visibilitychange', 'error'])
    window.addEventListener(kind, () => { events++ }, true);
  let counting = false;
  const counted = (name, work) => function (...args) {
    if (counting) { calls++; names[name] = (names[name] || 0) + 1 }
    return new.target ? Reflect.construct(work, args, new.target) : work.apply(this, args);
  };
  const hook = (owner, label) => {
    for (const key of ownKeys(owner)) {
      if (quiet.has(key)) continue;
      const found = getOwnPropertyDescriptor(owner, key);
      if (!found || !found.configurable) continue;
      const name = label + '.' + String(key);
      try {
        if (typeof found.value === 'function') defineProperty(owner, key, { ...found, value: counted(name, found.value) });
        else if (found.get) defineProperty(owner, key, { ...found, get: counted(name, found.get), set: found.set && counted(name, found.set) });
      } catch {}
    }
  };
  const own = Object.getOwnPropertyNames(window);
  const constructors = own.map((name) => [name, getOwnPropertyDescriptor(window, name).value]).filter(([, value]) => typeof value === 'function' && value.prototype);
  window.hooked = constructors.length;
  const bind = Function.prototype.apply;
  for (const [name, constructor] of constructors) if (name !== 'Function' && name !== 'Reflect' && name !== 'Promise') hook(constructor.prototype, name);
  for (const name of ['JSON', 'Object', 'Array', 'Number', 'String', 'Symbol']) hook(window[name], name);
  for (const name of ['getComputedStyle', 'matchMedia', 'requestAnimationFrame', 'getSelection', 'WeakMap', 'WeakRef', 'Map', 'Set', 'Proxy'])
    window[name] = counted(name, window[name]);
  Error.prepareStackTrace = () => { calls++; return '' };
  window.arm = () => { counting = true };
}
</script>"#;

fn seen(mcp: &mut Mcp) -> serde_json::Value {
    let code = json!({"world": "main", "code": "[calls, changes, events].join() + ' ' + Object.keys(names).join()"});
    mcp.ok("browser_run_code", code)["value"].clone()
}

#[test]
fn a_page_that_watches_everything_sees_nothing() {
    let env = TestEnv::new();
    let site = Site::of(PAGE);
    let mut mcp = env.mcp();
    mcp.ok(
        "session_open",
        json!({"session": "work", "url": site.url("/")}),
    );
    let main = |code: &str| json!({"world": "main", "code": code});
    assert!(mcp.ok("browser_run_code", main("hooked"))["value"].as_u64() > Some(500));
    mcp.ok("browser_run_code", main("arm()"));
    // The check itself goes through hooked functions; subtract what it costs.
    mcp.ok("browser_run_code", main("calls = 0; names = {}; 0"));
    let nothing = seen(&mut mcp);
    mcp.ok("browser_run_code", main("calls = 0; names = {}; 0"));

    let all = mcp.ok("browser_snapshot", json!({}));
    let text = all["snapshot"].as_str().unwrap();
    for part in ["Shop", "Closed", "In", "Card", "Name"] {
        assert!(text.contains(part), "{part}: {text}");
    }
    mcp.ok("browser_snapshot", json!({"mode": "full", "boxes": true}));
    mcp.ok(
        "browser_snapshot",
        json!({"mode": "full", "diff": true, "scope": "#m"}),
    );
    mcp.ok("browser_find", json!({"text": "shop"}));
    for form in ["text", "markdown", "html", "links", "images", "forms"] {
        mcp.ok("browser_extract", json!({"form": form}));
    }
    let schema = json!({"type": "array", "items": {"properties": {"title": {"type": "string"}, "price": {"type": "number"}}}});
    let records = mcp.ok("browser_extract", json!({"schema": schema}));
    assert_eq!(
        records["entries"],
        json!([{"title": "A", "price": 1.0}, {"title": "B", "price": 2.0}])
    );
    assert_eq!(seen(&mut mcp), nothing, "snapshots, find, extract");
    mcp.ok("browser_run_code", main("calls = 0; names = {}; 0"));

    mcp.ok("browser_extract", json!({"form": "article"}));
    mcp.ok("browser_snapshot", json!({"scope": "#m", "depth": 2}));
    mcp.ok("browser_snapshot", json!({"limit": 2}));
    mcp.ok("browser_snapshot", json!({"cursor": "last"}));
    let path = env.work().join("page.txt");
    mcp.ok("browser_snapshot", json!({"path": path}));
    mcp.ok("browser_find", json!({"regex": "^B$", "scope": "#m"}));
    for picture in [
        json!({}),
        json!({"annotate": true}),
        json!({"selector": "h1"}),
        json!({"selector": "iframe >> button"}),
        json!({"clip": "0,0,50,50", "format": "webp"}),
    ] {
        mcp.ok("browser_screenshot", picture);
    }
    for logs in [
        json!({}),
        json!({"capture": true}),
        json!({"kind": "console"}),
        json!({"capture": false}),
    ] {
        mcp.ok("browser_logs", logs);
    }
    mcp.ok("browser_tabs", json!({}));
    mcp.ok("session_list", json!({}));
    assert_eq!(seen(&mut mcp), nothing, "pictures, logs, tabs");
    mcp.ok("browser_run_code", main("calls = 0; names = {}; 0"));
    // Printing notifies a page, as it does when a person prints; it changes nothing there.
    mcp.ok("browser_pdf", json!({}));
    let printed = seen(&mut mcp);
    let changes = |seen: &serde_json::Value| {
        let counts = seen.as_str().unwrap().split([',', ' ']).nth(1);
        counts.unwrap().to_owned()
    };
    assert_eq!(changes(&printed), "0", "{printed}");
    let nothing = printed;

    // The page would have noticed.
    mcp.ok(
        "browser_run_code",
        main("document.querySelector('h1').setAttribute('x', 1); 0"),
    );
    let after = seen(&mut mcp);
    assert_ne!(after, nothing);
    assert!(after.as_str().unwrap().contains("querySelector"), "{after}");
}

/// What the page found before its first script, and what it has seen after an uncaught error and an
/// unhandled rejection.
fn after_errors(mcp: &mut Mcp, site: &Site) -> [serde_json::Value; 2] {
    mcp.ok("browser_navigate", json!({"url": site.url("/")}));
    let mut main = |code: &str| mcp.ok("browser_run_code", json!({"world": "main", "code": code}));
    let globals = main("globals")["value"].clone();
    main("arm()");
    main("calls = 0; names = {}; 0");
    main(
        r#"document.querySelector('main').innerHTML = `<img src=data:, onerror="throw new TypeError('own')"><img src=data:, onerror="Promise.reject(new RangeError('late'))">`; 0"#,
    );
    // Two pictures and an error. Nothing they consist of is counted.
    main(
        "new Promise((done) => { const look = () => events < 3 ? setTimeout(look) : done(0); look(); })",
    );
    [globals, seen(mcp)]
}

#[test]
fn a_page_that_watches_everything_does_not_see_who_hears_its_errors() {
    let env = TestEnv::new();
    let site = Site::of(PAGE);
    let mut mcp = env.mcp();
    mcp.open_session("work");
    let alone = after_errors(&mut mcp, &site);
    let counts = alone[1].as_str().unwrap();
    assert!(
        counts.contains(",3 ") && counts.contains("querySelector"),
        "{counts}"
    );
    mcp.ok("browser_logs", json!({"capture": true}));
    let heard = after_errors(&mut mcp, &site);
    for text in ["Uncaught TypeError: own", "RangeError: late"] {
        wait_for(text, SOON, || {
            let found = mcp.ok("browser_logs", json!({"kind": "errors", "text": text}));
            (!found["entries"].as_array().unwrap().is_empty()).then_some(())
        });
    }
    assert_eq!(heard, alone);
    // Reporting it touched nothing of the page's either.
    mcp.ok(
        "browser_run_code",
        json!({"world": "main", "code": "calls = 0; names = {}; 0"}),
    );
    let nothing = seen(&mut mcp);
    let code = "calls = 0; names = {}; Promise.reject(new Error('afterwards')); 0";
    mcp.ok("browser_run_code", json!({"world": "main", "code": code}));
    wait_for("the second", SOON, || {
        let found = mcp.ok(
            "browser_logs",
            json!({"kind": "errors", "text": "afterwards"}),
        );
        (!found["entries"].as_array().unwrap().is_empty()).then_some(())
    });
    assert_eq!(seen(&mut mcp), nothing);
}
