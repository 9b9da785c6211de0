//! The answers of `szk config`.

use szk_client::{PresetInfo, Row, Source};

use super::style::{FAINT, STRONG, WARN, paint};
use super::table::{self, Cell, Column};
use super::text::printable;

/// Every key with its value, who set it, and what it overrode.
pub(crate) fn table(rows: &[Row], all: bool) -> String {
    let shown = rows.iter().filter(|row| all || row.value.is_some());
    let cells: Vec<_> = shown.flat_map(lines).collect();
    table::render(&COLUMNS, &cells)
}

/// The presets, each with what gives it away.
pub(crate) fn presets(presets: &[PresetInfo]) -> String {
    let lines = presets.iter().map(|preset| {
        let mut out = format!(
            "{}  {}",
            paint(STRONG, &printable(&preset.name)),
            printable(&preset.label)
        );
        for warning in &preset.warnings {
            out.push_str(&format!(
                "\n  {}: {}",
                paint(WARN, "mind"),
                printable(warning)
            ));
        }
        out
    });
    lines.collect::<Vec<_>>().join("\n")
}

const COLUMNS: [Column; 3] = [
    Column {
        head: "KEY",
        right: false,
    },
    Column {
        head: "VALUE",
        right: false,
    },
    Column {
        head: "SOURCE",
        right: false,
    },
];

fn lines(row: &Row) -> Vec<Vec<Cell>> {
    let value = row.value.as_deref().unwrap_or("-");
    let source = row.source.to_string();
    let own = match row.source {
        Source::Default => vec![
            Cell::new(row.key),
            Cell::new(value),
            Cell::styled(source, FAINT),
        ],
        _ => vec![
            Cell::styled(row.key, STRONG),
            Cell::styled(value, STRONG),
            Cell::new(source),
        ],
    };
    let lost = row.overridden.iter().map(|lost| {
        vec![
            Cell::styled("  instead of", FAINT),
            Cell::styled(&lost.value, FAINT),
            Cell::styled(lost.source.to_string(), FAINT),
        ]
    });
    std::iter::once(own).chain(lost).collect()
}

#[cfg(test)]
mod tests {
    use szk_client::Overridden;

    use super::*;

    fn row(key: &'static str, value: Option<&str>, source: Source) -> Row {
        Row {
            key,
            value: value.map(str::to_owned),
            source,
            overridden: Vec::new(),
        }
    }

    #[test]
    fn every_value_says_who_set_it_and_what_lost() {
        let mut locale = row(
            "identity.locale",
            Some("\"de-DE\""),
            Source::Project {
                path: "/p/szk.config.toml".into(),
                line: 3,
            },
        );
        locale.overridden.push(Overridden {
            value: String::from("\"en-US\""),
            source: Source::Default,
        });
        let rows = [
            row("store.path", None, Source::Default),
            row("browser.headless", Some("\"auto\""), Source::Default),
            locale,
        ];
        let plain = |all| anstream::adapter::strip_str(&table(&rows, all)).to_string();
        insta::assert_snapshot!(plain(false), @r#"
        KEY               VALUE    SOURCE
        browser.headless  "auto"   default
        identity.locale   "de-DE"  project file /p/szk.config.toml:3
          instead of      "en-US"  default
        "#);
        assert!(plain(true).contains("store.path        -"));
    }
}
