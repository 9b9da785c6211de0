//! The card of `szk open`: who this browser is, where it is, and how to join it.
//!
//! At most a dozen lines of at most 80 columns, except for the endpoint: a truncated address is
//! useless, so there is no right border for it to break.

use szk_tools::session::{EndpointOutput, IdentityRow, Mode, OpenOutput, Started};

use super::human;
use super::style::{FAINT, GOOD, STRONG, USABLE, paint};
use super::text::{clip, pad, printable, width};

/// Columns of a line, and of its label.
const WIDTH: usize = 80;
const LABEL: usize = 9;
/// Columns left for a value: border, space, label, space.
const VALUE: usize = WIDTH - LABEL - 3;
/// Columns of the first line.
const HEAD: usize = 60;
/// Identity values to show before the rest is only counted.
const IDENTITY_ROWS: usize = 3;

/// The content of the card.
#[derive(Debug)]
pub(crate) struct Card<'a> {
    /// The open session.
    pub(crate) session: &'a OpenOutput,
    /// Its endpoint, unless it could not be opened.
    pub(crate) endpoint: Option<&'a EndpointOutput>,
    /// What the last line says.
    pub(crate) footer: &'a str,
}

impl Card<'_> {
    /// The card as text.
    pub(crate) fn render(&self) -> String {
        let mut lines = vec![self.head()];
        lines.push(row("browser", &self.browser()));
        lines.extend(self.identity());
        lines.push(row("tabs", &self.tabs()));
        if let Some(endpoint) = self.endpoint {
            lines.push(row("endpoint", &paint(USABLE, &endpoint.http_url)));
        }
        lines.extend(self.join());
        lines.push(format!("{} {}", paint(FAINT, "╰─"), self.footer));
        lines.join("\n")
    }

    fn head(&self) -> String {
        let name = &self.session.session;
        let how = match self.session.started {
            Started::Started => "started",
            Started::Joined => "joined",
        };
        let used = width("╭─  ·  ") + width(name) + width(how);
        // As wide as most values; a long name uses up the space.
        let mut line = format!(
            "{} {} {} {}",
            paint(FAINT, "╭─"),
            paint(STRONG, name),
            paint(FAINT, "·"),
            paint(GOOD, how),
        );
        if used < HEAD {
            line.push_str(&paint(FAINT, &format!(" {}", "─".repeat(HEAD - used))));
        }
        line
    }

    fn browser(&self) -> String {
        let mode = match self.session.mode {
            Mode::Window => "window",
            Mode::Headless => "headless",
        };
        let text = format!("{} · {mode}", printable(&self.session.browser));
        match &self.session.clone_of {
            Some(original) => clip(&format!("{text} · copy of {original}"), VALUE),
            None => clip(&text, VALUE),
        }
    }

    /// Values that differ from this machine's own, with who set them.
    fn identity(&self) -> Vec<String> {
        let chosen: Vec<&IdentityRow> = self
            .session
            .identity
            .iter()
            // The mode is shown next to the browser.
            .filter(|row| row.key != "mode" && !is_native(row))
            .collect();
        if chosen.is_empty() {
            return vec![row("identity", "this machine's own")];
        }
        // One more row takes no more space than saying that there is one.
        let shown = match chosen.len() {
            count if count <= IDENTITY_ROWS + 1 => count,
            _ => IDENTITY_ROWS,
        };
        let keys = chosen[..shown].iter().map(|row| width(&row.key)).max();
        let keys = keys.unwrap_or(0);
        let mut values: Vec<String> = chosen[..shown]
            .iter()
            .map(|row| identity_value(row, keys))
            .collect();
        if chosen.len() > shown {
            let session = &self.session.session;
            let more = format!(
                "and {} more: szk config explain -p {session}",
                chosen.len() - shown
            );
            values.push(paint(FAINT, &clip(&more, VALUE)));
        }
        rows("identity", &values)
    }

    fn tabs(&self) -> String {
        let tabs = &self.session.tabs;
        let Some(last) = tabs.last() else {
            return String::from("none");
        };
        let name = if last.title.trim().is_empty() {
            &last.url
        } else {
            &last.title
        };
        let count = human::count(tabs.len(), "tab", "tabs");
        clip(&format!("{count} · {}", printable(name)), VALUE)
    }

    fn join(&self) -> Vec<String> {
        let run = format!("szk run {} -- CMD", self.session.session);
        let mut values = vec![
            usable("szk mcp", "AI clients", width(&run)),
            usable(&run, "sets SZK_CDP_ENDPOINT", width(&run)),
        ];
        if self.endpoint.is_some() {
            values.push(String::from(
                "Playwright: chromium.connectOverCDP(process.env.SZK_CDP_ENDPOINT)",
            ));
        }
        rows("join", &values)
    }
}

/// Whether a value is this machine's own, or only a display name.
fn is_native(row: &IdentityRow) -> bool {
    let key = row.key.rsplit('.').next().unwrap_or_default();
    matches!(row.source.as_str(), "default" | "preset native")
        || key == "label"
        || (key == "preset" && row.value.trim_matches('"') == "native")
}

/// A command and what it is for; drops the remark before it truncates the command.
fn usable(command: &str, remark: &str, column: usize) -> String {
    if column + 2 + width(remark) > VALUE {
        return paint(USABLE, &clip(command, VALUE));
    }
    let gap = " ".repeat(column - width(command) + 2);
    format!("{}{gap}{}", paint(USABLE, command), paint(FAINT, remark))
}

fn identity_value(row: &IdentityRow, keys: usize) -> String {
    // Of a path and line number, the folder is what we can do without.
    let source = row.source.rsplit('/').next().unwrap_or_default();
    let source = format!("  ({})", printable(source));
    let key = format!("{} ", pad(&printable(&row.key), keys));
    let source = clip(&source, VALUE / 2);
    let room = VALUE.saturating_sub(width(&key) + width(&source));
    let value = clip(&printable(&row.value), room);
    format!("{key}{value}{}", paint(FAINT, &source))
}

/// Values under one label.
fn rows(label: &str, values: &[String]) -> Vec<String> {
    let labels = std::iter::once(label).chain(std::iter::repeat(""));
    labels
        .zip(values)
        .map(|(label, value)| row(label, value))
        .collect()
}

fn row(label: &str, value: &str) -> String {
    format!(
        "{} {} {value}",
        paint(FAINT, "│"),
        paint(FAINT, &pad(label, LABEL))
    )
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn endpoint() -> EndpointOutput {
        let token = "0123456789abcdef".repeat(4);
        serde_json::from_value(json!({
            "session": "work", "port": 23456, "env": {}, "snippets": [],
            "http_url": format!("http://127.0.0.1:23456/{token}"),
            "ws_url": format!("ws://127.0.0.1:23456/{token}/devtools/browser/1"),
        }))
        .unwrap()
    }

    fn session(change: impl FnOnce(&mut Value)) -> OpenOutput {
        let mut value = json!({
            "session": "work", "started": "started", "mode": "window",
            "browser": "Chromium 156.0.7632.5", "keeper_pid": 7,
            "tabs": [{"id": "t1", "url": "https://example.com/", "title": "Example Domain"}],
            "identity": [{"key": "locale", "value": "en-US", "source": "default"}],
        });
        change(&mut value);
        serde_json::from_value(value).unwrap()
    }

    fn plain(session: &OpenOutput, footer: &str) -> String {
        let endpoint = endpoint();
        let card = Card {
            session,
            endpoint: Some(&endpoint),
            footer,
        };
        let text = anstream::adapter::strip_str(&card.render()).to_string();
        assert!(text.lines().count() <= 12, "{text}");
        assert!(text.contains(&endpoint.http_url), "{text}");
        for line in text.lines().filter(|line| !line.contains("http://")) {
            assert!(width(line) <= WIDTH, "{line}");
        }
        text
    }

    #[test]
    fn a_profile_of_this_machine() {
        insta::assert_snapshot!(plain(&session(|_| {}), "Ctrl-C saves and closes"), @r"
        ╭─ work · started ──────────────────────────────────────────
        │ browser   Chromium 156.0.7632.5 · window
        │ identity  this machine's own
        │ tabs      1 tab · Example Domain
        │ endpoint  http://127.0.0.1:23456/0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef
        │ join      szk mcp              AI clients
        │           szk run work -- CMD  sets SZK_CDP_ENDPOINT
        │           Playwright: chromium.connectOverCDP(process.env.SZK_CDP_ENDPOINT)
        ╰─ Ctrl-C saves and closes
        ");
    }

    #[test]
    fn a_chosen_identity_says_who_chose() {
        let joined = session(|value| {
            value["started"] = "joined".into();
            value["mode"] = "headless".into();
            value["clone_of"] = "shop".into();
            value["tabs"].as_array_mut().unwrap().push(json!(
                {"id": "t2", "url": "https://example.com/日本", "title": ""}
            ));
            value["identity"] = json!([
                {"key": "timezone", "value": "Europe/Berlin", "source": "preset berlin"},
                {"key": "locale", "value": "de-DE", "source": "profile"},
                {"key": "screen", "value": "1920x1080", "source": "default"},
                {"key": "preset", "value": "native", "source": "profile"},
                {"key": "label", "value": "This machine as it is", "source": "profile"},
                {"key": "user_agent", "value": "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/156.0.0.0", "source": "project file /home/jane/shop/szk.config.toml:12"},
            ]);
        });
        insta::assert_snapshot!(plain(&joined, "joined: it stays open when you leave"), @r"
        ╭─ work · joined ───────────────────────────────────────────
        │ browser   Chromium 156.0.7632.5 · headless · copy of shop
        │ identity  timezone   Europe/Berlin  (preset berlin)
        │           locale     de-DE  (profile)
        │           user_agent Mozilla/5.0 (X11; Linux x86_64) Ap…  (szk.config.toml:12)
        │ tabs      2 tabs · https://example.com/日本
        │ endpoint  http://127.0.0.1:23456/0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef
        │ join      szk mcp              AI clients
        │           szk run work -- CMD  sets SZK_CDP_ENDPOINT
        │           Playwright: chromium.connectOverCDP(process.env.SZK_CDP_ENDPOINT)
        ╰─ joined: it stays open when you leave
        ");
    }

    #[test]
    fn too_much_is_counted_and_cut() {
        let row = |i| json!({"key": format!("key{i}"), "value": "v".repeat(200), "source": "call"});
        let crowded = session(|value| {
            value["session"] = "n".repeat(64).into();
            value["tabs"][0]["title"] = "\u{1b}]0;evil\u{7}".repeat(40).into();
            value["identity"] = (0..9).map(row).collect();
        });
        insta::assert_snapshot!(plain(&crowded, "Ctrl-C saves and closes"), @r"
        ╭─ nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn · started
        │ browser   Chromium 156.0.7632.5 · window
        │ identity  key0 vvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvv…  (call)
        │           key1 vvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvv…  (call)
        │           key2 vvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvv…  (call)
        │           and 6 more: szk config explain -p nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn…
        │ tabs      1 tab · ]0;evil]0;evil]0;evil]0;evil]0;evil]0;evil]0;evil]0;evil]0;…
        │ endpoint  http://127.0.0.1:23456/0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef
        │ join      szk mcp
        │           szk run nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn…
        │           Playwright: chromium.connectOverCDP(process.env.SZK_CDP_ENDPOINT)
        ╰─ Ctrl-C saves and closes
        ");
    }
}
