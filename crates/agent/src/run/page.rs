//! The page of a run, for people.

use serde_json::Value;

use super::{Event, pictures};

/// The page of a run. It loads nothing but the pictures beside it, and runs nothing.
pub(super) fn of(events: &[Event]) -> String {
    let mut html = String::from(
        "<!doctype html><meta charset=\"utf-8\"><meta http-equiv=\"Content-Security-Policy\" \
         content=\"default-src 'none'; style-src 'unsafe-inline'; img-src 'self' file:\"><title>szk run</title><style>body{font:15px \
         system-ui;max-width:60em;margin:2em auto;padding:0 1em}pre{white-space:pre-wrap;background:#8881;\
         padding:.7em;overflow-wrap:anywhere}h2{font-size:1em}img{max-width:100%;border:1px solid \
         #8884}</style><h1>szk run</h1>\n",
    );
    for event in events {
        let mut shown: &[String] = &[];
        let (title, text) = match event {
            Event::Began { task, model, .. } => (format!("Task, with {model}"), task.clone()),
            Event::Resumed { model } => (format!("It goes on, with {model}"), String::new()),
            Event::Replayed {
                recipe,
                steps,
                stopped,
            } => (
                format!("The recipe {recipe}, without the model"),
                stopped.clone().unwrap_or_else(|| steps.join("\n")),
            ),
            // Most models say nothing beside what they call.
            Event::Answer { answer, .. } if answer.text.trim().is_empty() => continue,
            Event::Answer { step, answer, .. } => {
                (format!("{step}. The model says"), answer.text.clone())
            }
            Event::Acted {
                step,
                tool,
                arguments,
                outcome,
                pictures,
                ..
            } => {
                shown = pictures;
                (format!("{step}. {tool} {arguments}"), outcome.clone())
            }
            Event::Planned { plan, .. } => (
                "It went round in circles, so the model planned anew".to_owned(),
                plan.clone()
                    .unwrap_or_else(|| "It knows no other way.".to_owned()),
            ),
            Event::Judged { done, why, .. } => {
                let done = match done {
                    Some(true) => "done",
                    Some(false) => "not done",
                    None => "no verdict",
                };
                (format!("The judge: {done}"), why.clone())
            }
            Event::Ended { outcome } => {
                let title = if outcome.done { "Done" } else { "Not done" };
                let cost = outcome
                    .cost
                    .map_or_else(String::new, |cost| format!(", ${cost:.4}"));
                let title = format!(
                    "{title}, after {}, {}{cost}",
                    szk_text::counted(outcome.steps, "step"),
                    szk_text::counted(outcome.tokens.total(), "token")
                );
                let result = outcome
                    .result
                    .as_ref()
                    .map_or_else(String::new, Value::to_string);
                let held: String = outcome
                    .unapproved
                    .iter()
                    .map(|held| format!("\nNot approved: {held}"))
                    .collect();
                (title, format!("{}\n{result}{held}", outcome.text))
            }
        };
        html.push_str(&format!("<h2>{}</h2>", escaped(&title)));
        let text = unmarked(&text);
        if !text.trim().is_empty() {
            html.push_str(&format!("<pre>{}</pre>\n", escaped(&text)));
        }
        // What an event of a copied folder names is a file beside the page, or nothing.
        for name in shown.iter().filter(|name| pictures::is_name(name)) {
            html.push_str(&format!(
                "<img src=\"{name}\" alt=\"What the model was shown\">\n"
            ));
        }
    }
    html
}

/// The text without the lines that mark what pages say, which are for models.
fn unmarked(text: &str) -> String {
    let is_mark = |line: &str| {
        let name = line.trim().trim_start_matches("</").trim_start_matches('<');
        name.strip_prefix("page-")
            .and_then(|word| word.strip_suffix('>'))
            .is_some_and(|word| word.len() == 24 && word.bytes().all(|b| b.is_ascii_hexdigit()))
    };
    let lines = text.lines().filter(|line| !is_mark(line));
    lines.collect::<Vec<_>>().join("\n")
}

fn escaped(text: &str) -> String {
    let text = szk_text::visible(text);
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn people_see_no_marks() {
        let word = "0123456789abcdef01234567";
        let text = format!("szk went back\n<page-{word}>\nHello <page-x>\n</page-{word}>");
        assert_eq!(unmarked(&text), "szk went back\nHello <page-x>");
    }
}
