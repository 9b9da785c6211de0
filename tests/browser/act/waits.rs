//! Waits for things to come.

use serde_json::json;

use super::{Bench, input};
use crate::harness::Site;
use crate::harness::mcp::failure;

#[test]
fn states_texts_and_addresses() {
    let mut bench = Bench::with(
        Site::plan()
            .page("/", "<p id=gone>here</p><iframe id=frame src=/inner></iframe><script>
               setTimeout(() => { gone.remove(); document.body.insertAdjacentHTML('beforeend', '<button id=new>New</button>'); }, 300);
               setTimeout(() => { history.pushState(0, '', '/pushed'); document.body.append('All done'); }, 500);
             </script>")
            .page("/inner", "<script>setTimeout(() => document.body.innerHTML = '<p id=late>late</p>', 300)</script>")
            .page("/leave", "<script>setTimeout(() => location.href = '/there', 200)</script>")
            .page("/there", "<p id=there>there</p>")
            .serve(),
    );
    for wait in [
        json!({"selector": "#new"}),
        json!({"selector": "#gone", "state": "detached"}),
        json!({"selector": "#gone", "state": "hidden"}),
        json!({"selector": "#frame >> #late"}),
        json!({"text": "all done"}),
        json!({"url": "/pushed"}),
        json!({"url": "http://*/pushed"}),
        json!({"url": r"/push\w+$/"}),
        json!({"text": r"/all\s+d.+e/i"}),
        json!({"text": "/All$/m", "state": "hidden"}),
        json!({"time_ms": 10}),
    ] {
        bench.act("wait", wait);
    }
    bench.go("/leave");
    bench.act("wait", json!({"selector": "#there"}));
    let failure = bench.fails(
        "wait",
        json!({"selector": "#never", "timeout_ms": 700}),
        "TIMEOUT",
    );
    let message = failure["message"].as_str().unwrap();
    assert!(
        message.contains("#never") && message.contains("/there"),
        "{message}"
    );
    let stays = json!({"selector": "#there", "state": "hidden", "timeout_ms": 700});
    let failure = bench.fails("wait", stays, "TIMEOUT");
    let message = failure["message"].as_str().unwrap();
    assert!(message.starts_with("`#there` did not go away"), "{message}");
    bench.fails("wait", json!({"text": ""}), "INVALID_INPUT");
    bench.fails("wait", json!({"selector": "::::"}), "INVALID_INPUT");
    bench.fails("wait", json!({}), "INVALID_INPUT");
    let failure = bench.fails("wait", json!({"text": "/(/"}), "INVALID_INPUT");
    let message = failure["message"].as_str().unwrap();
    assert!(message.contains("`/(/` does not parse"), "{message}");
}

#[test]
fn an_act_after_what_it_waits_for() {
    let mut bench = Bench::of(
        "<p id=state>working</p><button id=go onclick='clicked = state.textContent'>Go</button>
         <script>var clicked = ''; setTimeout(() => state.textContent = 'Order 17 is ready', 400)</script>",
    );
    bench.act(
        "click",
        json!({"selector": "#go", "after": r"/order \d+/i"}),
    );
    assert_eq!(bench.page("clicked"), "Order 17 is ready");
    let failure = bench.fails(
        "click",
        json!({"selector": "#go", "after": "never", "timeout_ms": 800}),
        "TIMEOUT",
    );
    assert_eq!(failure["effect"], "none", "{failure}");
}

/// A window that closes itself, as that of a sign-in does, is no success of what was still to come.
#[test]
fn what_a_closing_tab_ends_has_not_happened() {
    let site = Site::plan()
        .page("/", "<!doctype html><title>t</title><button onclick=\"window.open('/window')\">Open</button>")
        .page(
            "/window",
            "<!doctype html><title>w</title><button id=pay disabled>Pay</button><input id=in disabled>
             <script>onload = () => setTimeout(close, 1500)</script>",
        )
        .serve();
    let mut bench = Bench::with(site);
    let here = bench.act("wait", json!({"selector": "button"}))["tab"].clone();
    // What is disabled may be given up before the window closes.
    let acts = [
        ("wait", json!({"text": "signed in"}), ["NOT_FOUND"; 2]),
        ("wait", json!({"time_ms": 20_000}), ["NOT_FOUND"; 2]),
        (
            "click",
            json!({"selector": "#pay"}),
            ["NOT_FOUND", "NOT_ACTIONABLE"],
        ),
        (
            "fill",
            json!({"selector": "#in", "text": "x"}),
            ["NOT_FOUND", "NOT_ACTIONABLE"],
        ),
    ];
    for (kind, mut rest, codes) in acts {
        let opened = bench.act("click", json!({"name": "Open", "tab": here}));
        rest["tab"] = opened["new_tabs"][0].clone();
        let told = bench.mcp.call("browser_act", input(kind, rest));
        assert_eq!(told["isError"], true, "{kind}: {told:#}");
        let failure = failure(&told);
        let code = failure["code"].as_str().unwrap_or_default();
        assert!(codes.contains(&code), "{kind}: {failure}");
        assert_eq!(failure["effect"], "none", "{kind}: {failure}");
    }
}
