//! `browser_find`.

use std::fmt::Write as _;
use std::sync::Arc;

use szk_page::snapshot::Pattern;
use szk_tools::browser::{Find, FindInput, FindOutput, Match};
use szk_tools::{Failure, Response};

use super::view;
use crate::context::Keeper;

/// Places shown, unless the caller says otherwise.
const PLACES: u32 = 20;

/// What is added if not all of the page could be searched.
const PARTLY: &str = "\n(the page has more than can be read at once: only its beginning was searched; search a part of it with `scope`)";

pub(crate) async fn find(keeper: &Arc<Keeper>, input: &FindInput) -> Result<Response, Failure> {
    let pattern = pattern(input)?;
    let (running, tab) = keeper.tab(input.tab.as_deref()).await?;
    let page = view::page(&running, &tab);
    let shared = keeper.views.of(&running, &tab);
    let mut view = shared.lock().await;
    let scope = input.scope.as_deref().map(view::scope);
    let limit = input.limit.unwrap_or(PLACES) as usize;
    let found = view
        .find(&page, &pattern, scope, limit, keeper.redactor())
        .await
        .map_err(|error| view::unread(&error))?;
    let matches: Vec<Match> = found
        .first
        .into_iter()
        .map(|found| Match {
            line: found.line,
            r#ref: found.reference,
            path: found.path,
        })
        .collect();
    let output = FindOutput {
        session: keeper.session.name().to_string(),
        tab: tab.id,
        total: u32::try_from(found.total).unwrap_or(u32::MAX),
        matches,
    };
    let mut summary = summary(&output);
    if found.partly {
        summary.push_str(PARTLY);
    }
    Response::of::<Find>(summary, &output)
}

fn pattern(input: &FindInput) -> Result<Pattern, Failure> {
    match (&input.text, &input.regex) {
        (Some(text), None) if text.trim().is_empty() => Err(Failure::invalid("`text` is empty")
            .about(["text"])
            .hint("give text of the page, or `regex`")),
        (None, Some(regex)) if regex.is_empty() => Err(Failure::invalid("`regex` is empty")
            .about(["regex"])
            .hint("give a regular expression, or `text`")),
        (Some(text), None) => Pattern::text(text)
            .ok_or_else(|| Failure::invalid("`text` is too long").about(["text"])),
        (None, Some(regex)) => Pattern::regex(regex, false).map_err(|error| {
            Failure::invalid(format!("`regex` is not a regular expression: {error}"))
                .about(["regex"])
        }),
        (Some(_), Some(_)) => {
            Err(Failure::invalid("give `text` or `regex`, not both").about(["text", "regex"]))
        }
        (None, None) => Err(Failure::invalid("`text` is missing")
            .about(["text"])
            .hint("or give `regex`")),
    }
}

fn summary(output: &FindOutput) -> String {
    let shown = output.matches.len();
    let mut text = match output.total {
        0 => return format!("nothing found in {}", output.tab),
        1 => format!("1 place in {}", output.tab),
        total if (total as usize) > shown => {
            format!(
                "{total} matches in {}, showing the first {shown}",
                output.tab
            )
        }
        total => format!("{total} matches in {}", output.tab),
    };
    for found in &output.matches {
        // Writing to a `String` cannot fail.
        let _ = write!(text, "\n- {}", found.line);
        if !found.line.contains(&format!("[{}]", found.r#ref)) {
            let _ = write!(text, " (in [{}])", found.r#ref);
        }
        if !found.path.is_empty() {
            let _ = write!(text, "\n  in {}", found.path.join(" > "));
        }
    }
    text
}
