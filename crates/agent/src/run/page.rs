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
                let result = outcome
                    .result
                    .as_ref()
                    .map_or_else(String::new, Value::to_string);
                (title.to_owned(), format!("{}\n{result}", outcome.text))
            }
        };
        html.push_str(&format!("<h2>{}</h2>", escaped(&title)));
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

fn escaped(text: &str) -> String {
    let text = szk_text::visible(text);
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('"', "&quot;")
}
