//! A browser made of a script, for tests of the crates that build on this one:
//! [`crate::session::Session::scripted`] opens a session on it.

use serde_json::{Value, json};
use szk_cdp::testing::{Answer, Script};

/// A browser with one tab: session and target of its page are `page` and `T-page`. Every `createTarget`
/// opens another one: `page2` and `T-page2`, and so on.
#[must_use]
pub fn browser() -> Script {
    let mut opened = 1;
    Script::new().answer_with(move |call| {
        let attached = |parent: Option<&str>, session: &str, kind: &str| {
            let info = json!({"targetId": format!("T-{session}"), "type": kind, "title": "",
                "url": "about:blank", "attached": true, "canAccessOpener": false});
            let params =
                json!({"sessionId": session, "targetInfo": info, "waitingForDebugger": true});
            Answer::silence().event(parent, "Target.attachedToTarget", params)
        };
        let done = |event: Answer, result: Value| Some(event.and(Answer::ok(result)));
        match (call.method.as_str(), call.session.as_deref()) {
            ("Target.setAutoAttach", None) => done(attached(None, "tab", "tab"), json!({})),
            ("Target.setAutoAttach", Some(tab)) if tab.starts_with("tab") => {
                let page = tab.replacen("tab", "page", 1);
                done(attached(Some(tab), &page, "page"), json!({}))
            }
            ("Target.createTarget", _) => {
                opened += 1;
                let result = json!({"targetId": format!("T-page{opened}")});
                done(attached(None, &format!("tab{opened}"), "tab"), result)
            }
            ("Target.closeTarget", _) => {
                let target = call.params["targetId"].as_str().unwrap_or_default();
                let number = target.trim_start_matches(|letter: char| !letter.is_ascii_digit());
                let detached = |event: Answer, parent: Option<&str>, session: &str| {
                    let params = json!({"sessionId": session, "targetId": format!("T-{session}")});
                    event.event(parent, "Target.detachedFromTarget", params)
                };
                let (tab, page) = (format!("tab{number}"), format!("page{number}"));
                let event = detached(Answer::silence(), Some(&tab), &page);
                let event = detached(event, None, &tab);
                done(event, json!({"success": true}))
            }
            _ => None,
        }
    })
}
