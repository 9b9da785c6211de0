//! `[policy] approve` during a task: what the person has agreed to beforehand happens, nothing else does.

use serde_json::json;

use super::{Provider, call, last};
use crate::harness::Site;

#[test]
fn only_what_was_agreed_to_is_submitted() {
    let site = Site::plan()
        .page(
            "/",
            "<title>Order</title><form action=/sent><button>Send</button></form>",
        )
        .page("/sent", "<title>Sent</title>")
        .serve();
    let provider = Provider::new(true, |_, body| {
        let told = last(body);
        match told.contains("The page now") {
            true => call("browser_act", &json!({"kind": "click", "name": "Send"})),
            false => {
                let sent = !told.contains("NEEDS_APPROVAL");
                call(
                    "done",
                    &json!({"success": sent, "text": if sent { "sent" } else { "refused" }}),
                )
            }
        }
    });
    let env = provider.env();
    env.config("[policy]\napprove = [\"submit\", \"code\"]\n");
    env.open("work");
    for (approve, code, sent) in [("", 1, 0), ("code,login", 1, 0), ("code,submit", 0, 1)] {
        env.navigate("work", &site.url("/"));
        let mut args = vec!["do", "order", "-s", "work"];
        if !approve.is_empty() {
            args.extend(["--approve", approve]);
        }
        let ended = env.szk(args).run();
        assert_eq!(ended.code, Some(code), "{approve}: {ended:#?}");
        let asked = site.asked();
        let found = asked
            .iter()
            .filter(|one| one.path.starts_with("/sent"))
            .count();
        assert_eq!(found, sent, "{approve}");
    }
    let ended = env
        .szk(["do", "order", "-s", "work", "--approve", "upload"])
        .run();
    assert_eq!(ended.code, Some(2), "{ended:#?}");
}
