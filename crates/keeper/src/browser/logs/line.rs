//! An entry on one line.

use szk_page::event_log::{Entry, What};
use szk_recipes::{Acted, Identity, Point};

use crate::browser::shown;

/// Longest text of a message on its line, in characters.
const LONGEST: usize = 500;

/// `#12 t1 GET 200 fetch https://… 12 ms 345 B`
pub(super) fn of(entry: &Entry) -> String {
    let tab = entry.tab.as_deref().unwrap_or("-");
    let what = match &entry.what {
        What::Console(one) => format!(
            "console {}: {} ({}:{})",
            one.level,
            cut(&one.text),
            shown(&one.url),
            one.line
        ),
        What::Network(one) => {
            let result = match (one.status, &one.failed, one.done) {
                (Some(status), Some(failed), _) => format!("{status} ({failed})"),
                (None, Some(failed), _) => failed.clone(),
                (Some(status), None, true) => status.to_string(),
                (Some(status), None, false) => format!("{status}…"),
                (None, None, _) => "…".to_owned(),
            };
            let mut line = format!("{} {result} {} {}", one.method, one.r#type, shown(&one.url));
            if let Some(ms) = one.ms {
                line.push_str(&format!(" {ms} ms"));
            }
            if one.cached {
                line.push_str(" (cached)");
            } else if one.bytes > 0 {
                line.push_str(&format!(" {} B", one.bytes));
            }
            line
        }
        What::Error(one) => {
            let mut place = shown(&one.url);
            for number in [one.line, one.column].into_iter().flatten() {
                place.push_str(&format!(":{number}"));
            }
            format!("{} {}: {} {place}", one.source, one.level, cut(&one.text))
        }
        What::Dialog(one) => {
            let state = match one.accepted {
                None => "open",
                Some(true) => "accepted",
                Some(false) if one.unanswered => "dismissed without an answer",
                Some(false) => "dismissed",
            };
            format!("{} ({state}): {}", one.r#type, cut(&one.message))
        }
        What::Download(one) => {
            let place = one.path.as_deref().unwrap_or(&one.url);
            format!(
                "download {} ({}, {} B): {}",
                cut(&one.name),
                one.state,
                one.bytes,
                cut(place)
            )
        }
        What::Act(one) => {
            let done = done_to(one);
            let value = match (&one.value, one.secret) {
                (_, true) => " = (secret)".to_owned(),
                (Some(value), false) => format!(" = {}", cut(value)),
                (None, false) => String::new(),
            };
            let text = one.awaited.as_ref().and_then(|awaited| {
                let away = if awaited.away { "the end of " } else { "" };
                Some(format!(" for {away}{:?}", cut(awaited.text.as_deref()?)))
            });
            let value = value + &text.unwrap_or_default();
            let went = one
                .effect
                .navigated
                .as_deref()
                .map(|url| format!(" → {}", shown(url)));
            let went = went.unwrap_or_default();
            format!("{}{done}{value}{went} {} ms", cut(&one.act), one.ms)
        }
    };
    // Methods, types and states are the page's words, too.
    szk_text::line(&format!("#{} {tab} {what}", entry.id), 2 * LONGEST)
}

/// What an act was done to, where, and with which button.
fn done_to(acted: &Acted) -> String {
    let of = |on: &Identity, point: Option<Point>| match point {
        Some(Point { x, y, .. }) => format!("{} at {x},{y}", on.words()),
        None => on.words(),
    };
    let on = acted.on.as_ref().map(|on| of(on, acted.point));
    let to = match (&acted.to, acted.by) {
        (Some(to), _) => Some(format!("to {}", of(to, acted.to_point))),
        (None, by) => by.map(|by| format!("by {},{}", by.x, by.y)),
    };
    let button = acted
        .button
        .map(|button| format!("with the {} button", button.word()));
    let parts = [on, to, button].into_iter().flatten();
    parts.map(|part| format!(" {part}")).collect()
}

/// Breaks are shown, because messages of several lines are common here.
fn cut(text: &str) -> String {
    let head = szk_text::head(text, LONGEST);
    szk_text::line(&head.replace('\n', "⏎"), LONGEST)
}
