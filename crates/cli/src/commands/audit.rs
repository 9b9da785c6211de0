//! `szk audit`

use std::time::Duration;

use clap::{Args, Subcommand};
use jiff::{Span, Timestamp, Zoned};
use serde_json::Value;
use szk_client::{AuditLine, AuditVerified};
use szk_text::counted;

use crate::command::{ByHand, Called};
use crate::context::Context;
use crate::error::{CliError, Outcome};
use crate::exit::Exit;
use crate::render::text::printable;

/// How often `--follow` looks for new lines.
const LOOK: Duration = Duration::from_millis(300);

/// Show who did what in all sessions, or check the record of it
///
/// Every keeper writes a line for each call, through whichever front end it came, without text of pages or
/// anything that was typed.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  szk audit show --session work --since 2h\n  szk audit verify")]
pub(crate) struct AuditArgs {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    Show(ShowArgs),
    Verify(VerifyArgs),
}

/// Show the audit log, oldest line first
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  szk audit show --session work\n  szk audit show --since 2026-11-24T08:00:00Z --json"
)]
struct ShowArgs {
    /// Only this session
    #[arg(short, long, value_name = "NAME")]
    session: Option<String>,
    /// Only what is newer: a time, or how long ago, such as `2h`
    #[arg(long, value_name = "TIME", value_parser = since)]
    since: Option<Timestamp>,
    /// Go on with new lines until Ctrl-C
    #[arg(short, long)]
    follow: bool,
}

/// Check that no line was changed, removed or moved; exits with 1 and says where if one was
///
/// Whoever can write the store can also make a whole new log. To find that out, keep the last hash that
/// this prints somewhere else: it stays the hash of that line.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  szk audit verify")]
struct VerifyArgs {}

impl ByHand for AuditArgs {
    const NAME: &'static str = "audit";

    async fn run(self, called: Called) -> Outcome {
        let context = &called.context()?;
        match self.action {
            Action::Show(args) => args.run(context).await,
            Action::Verify(VerifyArgs {}) => verify(context),
        }
    }
}

impl ShowArgs {
    async fn run(self, context: &Context) -> Outcome {
        let mut after = 0;
        loop {
            after = self.show(context, after)?;
            if !self.follow {
                return Ok(Exit::OK);
            }
            tokio::time::sleep(LOOK).await;
        }
    }

    /// Shows the lines after this number; returns the number of the last.
    fn show(&self, context: &Context, after: u64) -> Result<u64, CliError> {
        let ui = context.ui;
        let mut last = after;
        let mut shown = Ok(());
        context.client.audit_lines(after, &mut |line| {
            last = line.seq;
            let session = &line.entry.session;
            let fits = self.session.is_none() || self.session == *session;
            let new = self.since.is_none_or(|since| line.entry.time >= since);
            if fits && new && shown.is_ok() {
                shown = match ui.is_json() {
                    true => ui.json(&line),
                    false => ui.data(&text(&line)),
                };
            }
        })?;
        shown.map(|()| last)
    }
}

/// `2026-11-24 12:00:01Z #7 work: Claude Code (mcp) browser_act kind=click ref=e5: OK, 12 ms`.
fn text(line: &AuditLine) -> String {
    let entry = &line.entry;
    let mut text = entry.time.strftime("%Y-%m-%d %H:%M:%SZ").to_string();
    text.push_str(&format!(" #{}", line.seq));
    if let Some(session) = &entry.session {
        text.push_str(&format!(" {session}:"));
    }
    if let Some(client) = &entry.client {
        text.push_str(&format!(" {client}"));
    }
    if let Some(front) = &entry.front {
        text.push_str(&format!(" ({front})"));
    }
    text.push_str(&format!(" {}", entry.operation));
    for (name, value) in &entry.what {
        match value {
            Value::String(value) => text.push_str(&format!(" {name}={value}")),
            value => text.push_str(&format!(" {name}={value}")),
        }
    }
    text.push_str(&format!(": {}, {} ms", entry.code, entry.ms));
    if let Some(missed) = entry.missed {
        let missed = counted(missed, "line");
        text.push_str(&format!("; {missed} before it could not be written"));
    }
    printable(&text)
}

fn verify(context: &Context) -> Outcome {
    let found = context.client.verify_audit()?;
    context.ui.answer(&found, said)?;
    Ok(match found.broken {
        None => Exit::OK,
        Some(_) => Exit::UNMET,
    })
}

fn said(found: &AuditVerified) -> String {
    let file = found.file.as_ref();
    let file = file.map(|file| format!(", in {}", file.display()));
    let file = file.unwrap_or_default();
    let good = match found.lines {
        0 => "no line".to_owned(),
        1 => format!("1 line, number {}, hash {}{file}", found.first, found.hash),
        lines => format!(
            "{lines} lines, numbers {} to {}, last hash {}{file}",
            found.first, found.last, found.hash
        ),
    };
    match &found.broken {
        None => format!("good: {good}"),
        Some(place) => format!("broken: {place}\ngood before that: {good}"),
    }
}

/// A time, or a time before now.
fn since(text: &str) -> Result<Timestamp, String> {
    if let Ok(time) = text.parse() {
        return Ok(time);
    }
    let ago = text.parse::<Span>().ok();
    let then = ago.and_then(|ago| Zoned::now().checked_sub(ago.abs()).ok());
    then.map(|then| then.timestamp()).ok_or_else(|| {
        format!(
            "`{}` is neither a time such as `2026-11-24T08:00:00Z` nor how long ago, such as `2h`",
            text.escape_debug()
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_line_has_no_plural() {
        let found = |lines: u64| AuditVerified {
            lines,
            first: 1,
            last: lines,
            hash: "ab".to_owned(),
            ..AuditVerified::default()
        };
        assert_eq!(said(&found(0)), "good: no line");
        assert_eq!(said(&found(1)), "good: 1 line, number 1, hash ab");
        assert_eq!(
            said(&found(2)),
            "good: 2 lines, numbers 1 to 2, last hash ab"
        );
    }

    #[test]
    fn since_takes_times_and_how_long_ago() {
        for text in ["2026-11-24T08:00:00Z", "2h", "90 minutes", "30d"] {
            assert!(since(text).is_ok(), "{text}");
        }
        assert!(since("2h").unwrap() < Timestamp::now());
        for text in ["", "yesterday", "999999999y"] {
            assert!(since(text).is_err(), "{text}");
        }
    }
}
