//! The table of `szk list`.

use jiff::Timestamp;
use szk_tools::session::{Kind, ListOutput, LoginRow, SessionRow, SessionStatus};

use super::human;
use super::style::{FAINT, GOOD, STRONG, WARN};
use super::table::{self, Cell, Column};
use super::text::printable;

/// The sessions, one per line.
pub(crate) fn table(list: &ListOutput, now: Timestamp) -> String {
    if list.sessions.is_empty() {
        return String::new();
    }
    let rows: Vec<_> = list.sessions.iter().map(|row| cells(row, now)).collect();
    table::render(&COLUMNS, &rows)
}

/// Problems of single sessions, and who waits for a person, one per line; for stderr.
pub(crate) fn notes(list: &ListOutput) -> Vec<String> {
    let of = |row: &SessionRow| {
        let waits = row.handoff.as_ref().map(|handoff| {
            let (tab, reason) = (&handoff.tab, &handoff.reason);
            format!("{tab} waits for a person: {reason}")
        });
        let all = row.note.iter().cloned().chain(waits);
        all.map(|note| format!("`{}`: {}", row.session, printable(&note)))
            .collect::<Vec<_>>()
    };
    list.sessions.iter().flat_map(of).collect()
}

const COLUMNS: [Column; 9] = [
    left("NAME"),
    left("STATUS"),
    left("LAST USED"),
    right("SIZE"),
    left("PRESET"),
    right("TABS"),
    left("CLIENTS"),
    left("ENDPOINT"),
    left("SIGNED IN"),
];

const fn left(head: &'static str) -> Column {
    Column { head, right: false }
}

const fn right(head: &'static str) -> Column {
    Column { head, right: true }
}

fn cells(row: &SessionRow, now: Timestamp) -> Vec<Cell> {
    let name = match row.kind {
        Kind::Profile => row.session.clone(),
        Kind::Clone => format!("{} (clone)", row.session),
    };
    let tabs = match row.tabs.len() {
        0 => String::new(),
        tabs => tabs.to_string(),
    };
    let (status, style) = match row.status {
        SessionStatus::Open => ("open", GOOD),
        SessionStatus::Stored => ("stored", FAINT),
        SessionStatus::Busy => ("busy", WARN),
    };
    let last_used = row.last_used.map(|then| human::ago(now, then));
    vec![
        Cell::styled(name, STRONG),
        Cell::styled(status, style),
        Cell::new(last_used.unwrap_or_default()),
        Cell::new(human::size(row.size_bytes)),
        Cell::new(row.preset.as_deref().unwrap_or_default()),
        Cell::new(tabs),
        Cell::new(row.clients.join(", ")),
        Cell::new(if row.endpoint_open { "open" } else { "" }),
        Cell::new(sites(row)),
    ]
}

/// Sites by name; marks those whose login has ended.
fn sites(row: &SessionRow) -> String {
    let one = |login: &LoginRow| match login.signed_in {
        true => login.site.clone(),
        false => format!("{} (ended)", login.site),
    };
    row.logins.iter().map(one).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn open_stored_and_cloned_sessions() {
        let list: ListOutput = serde_json::from_value(json!({
            "store": "/home/jane/sessions",
            "sessions": [
                {"session": "shop", "status": "stored", "kind": "profile", "size_bytes": 48_200_000,
                 "last_used": "2026-03-07T12:00:00Z", "endpoint_open": false},
                {"session": "work", "status": "open", "kind": "profile", "size_bytes": 812_000_000,
                 "last_used": "2026-03-10T11:59:30Z", "preset": "berlin", "keeper_pid": 7,
                 "tabs": [{"id": "t1", "url": "about:blank", "title": ""}],
                 "clients": ["mcp", "cli"], "endpoint_open": true},
                {"session": "work-x1", "status": "busy", "kind": "clone", "size_bytes": 0,
                 "endpoint_open": false, "note": "its keeper does not answer"},
            ],
        }))
        .unwrap();
        let now = "2026-03-10T12:00:00Z".parse().unwrap();
        let plain = anstream::adapter::strip_str(&table(&list, now)).to_string();
        insta::assert_snapshot!(plain, @r"
        NAME             STATUS  LAST USED      SIZE  PRESET  TABS  CLIENTS   ENDPOINT
        shop             stored  3 d ago     48.2 MB
        work             open    now        812.0 MB  berlin     1  mcp, cli  open
        work-x1 (clone)  busy                    0 B
        ");
        insta::assert_debug_snapshot!(notes(&list), @r#"
        [
            "`work-x1`: its keeper does not answer",
        ]
        "#);
    }

    #[test]
    fn nothing_is_shown_as_nothing() {
        let list = ListOutput {
            store: String::from("/s"),
            sessions: Vec::new(),
        };
        assert_eq!(table(&list, Timestamp::UNIX_EPOCH), "");
    }
}
