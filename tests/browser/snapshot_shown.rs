//! What of a page is there for whoever reads it: not what a dialog keeps out of reach, nor what the browser skips.

use serde_json::{Value, json};

use crate::harness::{Lease, Mcp, Site};

struct Page {
    mcp: Mcp,
    _env: Lease,
    _site: Site,
}

impl Page {
    fn open(html: &str) -> Self {
        let (env, site) = (Lease::take(), Site::of(html));
        let mut mcp = env.mcp();
        let open = json!({"session": "work", "url": site.url("/")});
        mcp.ok("session_open", open);
        Self {
            mcp,
            _env: env,
            _site: site,
        }
    }

    #[track_caller]
    fn take(&mut self, input: Value) -> String {
        let output = self.mcp.ok("browser_snapshot", input);
        output["snapshot"].as_str().unwrap().to_owned()
    }

    fn main(&mut self, code: &str) {
        let asked = json!({"code": code, "world": "main"});
        self.mcp.ok("browser_run_code", asked);
    }
}

#[test]
fn a_modal_dialog_in_a_shadow_tree_is_all_there_is() {
    for mode in ["open", "closed"] {
        let mut page = Page::open(&format!(
            "<!doctype html><button>Behind</button><x-box></x-box><script>
               const root = document.querySelector('x-box').attachShadow({{ mode: '{mode}' }});
               root.innerHTML = '<button>Beside</button><dialog aria-label=Box><button>Inside</button></dialog>';
               const dialog = root.querySelector('dialog');
             </script>"
        ));
        let behind = |seen: &str| seen.contains("Behind") && seen.contains("Beside");
        page.main("dialog.showModal()");
        let seen = page.take(json!({}));
        assert!(
            seen.contains("button \"Inside\"") && !behind(&seen),
            "{mode}: {seen}"
        );
        // Also where nothing in it has the focus.
        page.main("root.activeElement.blur()");
        let seen = page.take(json!({}));
        assert!(
            seen.contains("button \"Inside\"") && !behind(&seen),
            "{mode}: {seen}"
        );
        page.main("dialog.close()");
        let seen = page.take(json!({}));
        assert!(behind(&seen) && !seen.contains("Inside"), "{mode}: {seen}");
    }
}

#[test]
fn shapes_are_named_by_their_titles() {
    let mut page = Page::open(
        "<!doctype html><svg width=200 height=100><a href='#t1'><title>TitledA</title><rect width=9 height=9></rect></a>
         <g role=button tabindex=0><title>TitledG</title><rect x=20 width=9 height=9></rect></g><rect role=button tabindex=0 x=40 width=9 height=9><title>TitledR</title></rect></svg>",
    );
    let seen = page.take(json!({}));
    for line in [
        "link \"TitledA\"",
        "button \"TitledG\"",
        "button \"TitledR\"",
    ] {
        assert!(seen.contains(line), "{seen}");
    }
}

#[test]
fn what_is_skipped_until_it_is_opened_is_not_there() {
    let mut page = Page::open(
        "<!doctype html><title>t</title><main><details id=d><summary>Sum1</summary>bare secret text</details><div hidden=until-found>untilfound text</div>
         <div style='content-visibility: hidden'>cvhidden text</div><span style='content-visibility: hidden'>inline words</span><p>plain words</p></main>",
    );
    let seen = page.take(json!({"mode": "full"}));
    let extracted = page.mcp.ok("browser_extract", json!({}));
    let markdown = extracted["content"].as_str().unwrap();
    for words in ["secret", "untilfound", "cvhidden"] {
        assert!(!seen.contains(words), "{words}: {seen}");
        assert!(!markdown.contains(words), "{words}: {markdown}");
        let found = page.mcp.ok("browser_find", json!({"text": words}));
        assert_eq!(found["total"], 0, "{found}");
    }
    for words in ["inline words", "plain words", "Sum1"] {
        assert!(seen.contains(words), "{words}: {seen}");
        assert!(markdown.contains(words), "{words}: {markdown}");
    }
    page.main("d.open = true");
    let seen = page.take(json!({"mode": "full"}));
    assert!(seen.contains("bare secret text"), "{seen}");
}
