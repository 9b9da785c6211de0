//! Targets by the name or text that people read, and by role.

use std::time::Duration;

use szk_page::act::NodeRef;
use szk_page::document::{self, Expected};
use szk_page::snapshot::{Named, Stale};
use szk_runtime::session::Running;
use szk_runtime::supervisor::Tab;
use szk_tools::{Code, Failure};
use tokio::time::Instant;

use crate::browser::view;
use crate::context::Keeper;

/// How long something of this name may take to appear.
const APPEARS: Duration = Duration::from_millis(1500);
/// Milliseconds to wait for a change between two looks.
const CHANGES: u32 = 250;

/// The only thing of this name and role, and its ref. Waits a little until there is one.
pub(super) async fn find(
    keeper: &Keeper,
    running: &Running,
    tab: &Tab,
    name: Option<String>,
    role: Option<String>,
) -> Result<(NodeRef, String), Failure> {
    if name.as_deref().is_some_and(|name| name.trim().is_empty()) {
        return Err(Failure::invalid("`name` is empty")
            .about(["name"])
            .hint("give a name as shown"));
    }
    let until = Instant::now() + APPEARS;
    let page = view::page(running, tab);
    loop {
        let shared = keeper.views.of(running, tab);
        let named = {
            let mut view = shared.lock().await;
            let (name, role) = (name.as_deref(), role.as_deref());
            let found = view.named(&page, name, role, keeper.redactor()).await;
            found.map_err(|error| view::unread(&error))?
        };
        let what = what(name.as_deref(), role.as_deref());
        match &named.candidates[..] {
            [only] if named.count == 1 => {
                match super::refs::find(keeper, running, tab, &only.reference, true).await {
                    Ok(node) => {
                        let words = name.filter(|_| only.says);
                        return Ok((NodeRef { words, ..node }, only.reference.clone()));
                    }
                    // Replaced since: look again.
                    Err(Stale::Gone { .. }) if Instant::now() < until => {}
                    Err(error) => return Err(view::stale(&error)),
                }
            }
            [] if Instant::now() >= until => return Err(nothing(&what, &named)),
            [] => {
                let change = document::late(&keeper.worlds, &page, Expected::Anything, CHANGES);
                // A page that does not answer is looked at again all the same.
                drop(tokio::time::timeout(APPEARS, change).await);
            }
            _ => return Err(several(&what, &named)),
        }
    }
}

fn what(name: Option<&str>, role: Option<&str>) -> String {
    let name = name.map(view::quoted);
    match (role, name) {
        (Some(role), Some(name)) => format!("{} {name}", szk_text::line(role, 40)),
        (Some(role), None) => szk_text::line(role, 40),
        (None, name) => name.unwrap_or_default(),
    }
}

fn several(what: &str, named: &Named) -> Failure {
    let lines: Vec<&str> = named.candidates.iter().map(|one| &*one.line).collect();
    let more = named.count - lines.len();
    let more = match more {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    Failure::new(
        Code::Ambiguous,
        format!("{} match {what}: {}{more}", named.count, lines.join(", ")),
    )
    .hint("repeat the call with one of these refs")
}

fn nothing(what: &str, named: &Named) -> Failure {
    let failure = Failure::new(
        Code::NotFound,
        format!("nothing on the page is called {what}"),
    );
    if named.names.is_empty() {
        return failure.hint("check with `browser_snapshot`");
    }
    failure.hint(format!(
        "there are {}; check with `browser_snapshot` or `browser_find`",
        named.names.join(", ")
    ))
}

#[cfg(test)]
mod tests {
    use szk_page::snapshot::Candidate;

    use super::*;

    #[test]
    fn failures_list_what_there_is() {
        let one = |number: u32| Candidate {
            reference: format!("e{number}"),
            line: format!("button \"OK\" [e{number}]"),
            says: false,
        };
        let named = Named {
            candidates: vec![one(1), one(2)],
            count: 5,
            names: Vec::new(),
        };
        let failure = several(&what(Some("OK"), Some("button")), &named);
        assert_eq!(
            failure.message,
            "5 match button \"OK\": button \"OK\" [e1], button \"OK\" [e2] and 3 more"
        );
        let named = Named {
            names: vec!["\"Save\"".to_owned()],
            ..Named::default()
        };
        let failure = nothing(&what(Some("Send"), None), &named);
        assert_eq!(failure.message, "nothing on the page is called \"Send\"");
        assert!(failure.hint.unwrap().starts_with("there are \"Save\";"));
    }
}
