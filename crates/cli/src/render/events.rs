//! Events of a session as lines.

use szk_client::{Event, Happening};

use super::text::printable;

/// `12:00:01Z #7 t3 navigated to https://…`.
pub(crate) fn line(event: &Event) -> String {
    let at = event.at.strftime("%H:%M:%SZ");
    printable(&format!("{at} #{} {}", event.seq, what(&event.what)))
}

fn what(what: &Happening) -> String {
    let in_tab = |tab: &Option<String>| tab.as_deref().unwrap_or("a page").to_owned();
    match what {
        Happening::TabOpened { tab, url } => format!("{tab} opened: {url}"),
        Happening::TabClosed { tab } => format!("{tab} closed"),
        Happening::Navigated { tab, url } => format!("{tab} is at {url}"),
        Happening::PageChanged { tab } => format!("the page of {tab} changed"),
        Happening::SnapshotTaken { tab } => format!("a snapshot of {tab} was taken"),
        Happening::DialogOpened { tab, kind, message } => {
            format!("{} shows a dialog ({kind}): \"{message}\"", in_tab(tab))
        }
        Happening::DialogClosed { tab, accepted } => {
            let how = if *accepted { "accepted" } else { "dismissed" };
            format!("the dialog of {} was {how}", in_tab(tab))
        }
        Happening::Download {
            tab,
            name,
            state,
            path,
        } => {
            let path = path.as_ref().map(|path| format!(": {path}"));
            let path = path.unwrap_or_default();
            format!("{} downloads \"{name}\" ({state}){path}", in_tab(tab))
        }
        Happening::LoginEnded { site, cookie } => {
            format!("no longer signed in to {site}: cookie `{cookie}` expired or is gone")
        }
        Happening::HandoffBegan { tab, reason } => {
            format!("{tab} is handed to a person: \"{reason}\"")
        }
        Happening::HandoffEnded { how } => {
            let how = match how {
                szk_tools::session::HandoffEnd::Done => "done",
                szk_tools::session::HandoffEnd::GivenUp => "given up",
            };
            format!("the hand-off is over: {how}")
        }
        Happening::ApprovalAsked { client, what } => {
            format!("{client} waits for an approval: {what}")
        }
        Happening::CallProgress {
            client,
            operation,
            done,
            total,
        } => format!("{operation} of {client} is at {done} of {total}"),
        Happening::ClientCame { client } => format!("{client} connected"),
        Happening::ClientLeft { client } => format!("{client} left"),
        Happening::TabTaken { tab, client, from } => match from {
            Some(from) => format!("{client} took {tab} from {from}"),
            None => format!("{client} works in {tab}"),
        },
        Happening::StateImported { client } => format!("{client} imported cookies and storage"),
        Happening::BrowserExited { why } => format!("Chromium exited ({why}); szk restarts it"),
        Happening::BrowserRestarted => "Chromium is back, with its tabs and logins".to_owned(),
        Happening::Closing { client } => match client {
            Some(client) => format!("{client} closes the session"),
            None => "the session is closing".to_owned(),
        },
        Happening::Unknown => "something this version of szk does not know".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_says_when_what_and_where() {
        let event: Event = serde_json::from_value(serde_json::json!({
            "seq": 7, "at": "2026-01-02T03:04:05Z", "event": "dialog_opened", "tab": "t1",
            "kind": "alert", "message": "a\nb\u{1b}[1m"
        }))
        .unwrap();
        assert_eq!(
            line(&event),
            "03:04:05Z #7 t1 shows a dialog (alert): \"a b[1m\""
        );
    }
}
