//! The answer of `szk inspect`.

use jiff::Timestamp;
use szk_tools::session::{Holds, Kind, SessionRow, SessionStatus, SiteRow};

use super::human;
use super::style::{FAINT, STRONG, paint};
use super::table::{self, Cell, Column};
use super::text::printable;

/// A summary of the session, then a line per site.
pub(crate) fn text(row: &SessionRow, now: Timestamp) -> String {
    let mut lines = vec![head(row, now)];
    let Some(holds) = &row.holds else {
        return lines.concat();
    };
    lines.extend(facts(row, holds, now));
    lines.push(String::new());
    lines.push(match holds.sites.as_slice() {
        [] => "no site has left anything".to_owned(),
        sites => sites_table(sites),
    });
    lines.join("\n")
}

fn head(row: &SessionRow, now: Timestamp) -> String {
    let status = match (row.status, row.kind) {
        (SessionStatus::Open, _) => "open",
        (SessionStatus::Stored, Kind::Profile) => "stored",
        (SessionStatus::Stored, Kind::Clone) => "left over",
        (SessionStatus::Busy, _) => "busy",
    };
    let used = row
        .last_used
        .map(|then| format!(", last used {}", human::ago(now, then)));
    format!(
        "{}  {status}{}, {}",
        paint(STRONG, &row.session),
        used.unwrap_or_default(),
        human::size(row.size_bytes)
    )
}

/// One line per known fact.
fn facts(row: &SessionRow, holds: &Holds, now: Timestamp) -> Vec<String> {
    let identity: Vec<String> = holds
        .identity
        .iter()
        .map(|(name, value)| format!("{name} {value}"))
        .collect();
    let logins: Vec<String> = row
        .logins
        .iter()
        .map(|login| match login.signed_in {
            true => login.site.clone(),
            false => format!("{} (ended)", login.site),
        })
        .collect();
    let tabs = match holds.tabs {
        0 => String::new(),
        tabs => tabs.to_string(),
    };
    let saved = holds.saved.map(|then| human::ago(now, then));
    let facts = [
        ("identity", identity.join(", ")),
        ("signed in", logins.join(", ")),
        ("tabs", tabs),
        ("saved", saved.unwrap_or_default()),
    ];
    let told = facts.iter().filter(|(_, value)| !value.is_empty());
    told.map(|(name, value)| {
        let name = paint(FAINT, &format!("{name:11}"));
        format!("  {name}{}", printable(value))
    })
    .collect()
}

const COLUMNS: [Column; 8] = [
    left("SITE"),
    right("COOKIES"),
    right("WITHOUT EXPIRY"),
    right("PARTITIONED"),
    left("EXPIRE"),
    right("LOCAL"),
    right("SESSION"),
    left("DATABASES"),
];

const fn left(head: &'static str) -> Column {
    Column { head, right: false }
}

const fn right(head: &'static str) -> Column {
    Column { head, right: true }
}

fn sites_table(sites: &[SiteRow]) -> String {
    let rows: Vec<Vec<Cell>> = sites.iter().map(cells).collect();
    table::render(&COLUMNS, &rows)
}

fn cells(row: &SiteRow) -> Vec<Cell> {
    let number = |count: u32| match count {
        0 => Cell::default(),
        count => Cell::new(count.to_string()),
    };
    let day = |at: Timestamp| at.strftime("%Y-%m-%d").to_string();
    let expire = match (row.first_expiry.map(day), row.last_expiry.map(day)) {
        (Some(first), Some(last)) if first != last => format!("{first} to {last}"),
        (Some(day), _) => day,
        _ => String::new(),
    };
    vec![
        Cell::styled(&row.site, STRONG),
        number(row.cookies),
        number(row.session_cookies),
        number(row.partitioned),
        Cell::new(expire),
        number(row.local_storage),
        number(row.session_storage),
        Cell::new(row.databases.join(", ")),
    ]
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn shown(holds: serde_json::Value) -> String {
        let row: SessionRow = serde_json::from_value(json!({
            "session": "shop", "status": "stored", "kind": "profile", "size_bytes": 48_200_000,
            "last_used": "2026-03-07T12:00:00Z", "endpoint_open": false, "holds": holds,
            "logins": [{"site": "example.org", "signed_in": true, "since": "2026-03-01T12:00:00Z"}],
        }))
        .unwrap();
        let now = "2026-03-10T12:00:00Z".parse().unwrap();
        anstream::adapter::strip_str(&text(&row, now)).to_string()
    }

    #[test]
    fn sites_with_counts_and_days() {
        let holds = json!({
            "saved": "2026-03-07T12:00:00Z",
            "tabs": 2,
            "identity": {"preset": "laptop", "locale": "de-AT"},
            "sites": [
                {"site": "cdn.example", "cookies": 1, "session_cookies": 1, "partitioned": 1,
                 "local_storage": 0, "session_storage": 0},
                {"site": "example.org", "cookies": 3, "session_cookies": 1, "partitioned": 0,
                 "first_expiry": "2026-04-01T00:00:00Z", "last_expiry": "2027-04-01T00:00:00Z",
                 "local_storage": 12, "session_storage": 2, "databases": ["mail", "files"]},
            ],
        });
        insta::assert_snapshot!(shown(holds), @r"
        shop  stored, last used 3 d ago, 48.2 MB
          identity   locale de-AT, preset laptop
          signed in  example.org
          tabs       2
          saved      3 d ago

        SITE         COOKIES  WITHOUT EXPIRY  PARTITIONED  EXPIRE                    LOCAL  SESSION  DATABASES
        cdn.example        1               1            1
        example.org        3               1               2026-04-01 to 2027-04-01     12        2  mail, files
        ");
    }

    #[test]
    fn a_new_profile() {
        insta::assert_snapshot!(shown(json!({"sites": [], "tabs": 0})), @r"
        shop  stored, last used 3 d ago, 48.2 MB
          signed in  example.org

        no site has left anything
        ");
    }
}
