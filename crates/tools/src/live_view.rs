//! The live view that an answer or a step of progress asks a person to open.
//!
//! Its link is good on this machine only. A front end whose clients are elsewhere gives it an address of its
//! own by `show_live_view_at`; nothing else has to know which operations hand off, or look for links in texts.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{Progress, Response};

/// The live view of a hand-off.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LiveView {
    /// The session that a person takes over.
    pub session: String,
    /// The token that lets them in.
    pub token: String,
    /// Its link, as the texts and the data beside it hold it. The token makes it unlike anything else in
    /// them, so it stands for itself where another link takes its place.
    pub link: String,
}

impl LiveView {
    fn replace(&mut self, link: String, put: impl FnOnce(&dyn Fn(&mut String))) {
        let before = std::mem::replace(&mut self.link, link);
        put(&|text| {
            if text.contains(&before) {
                *text = text.replace(&before, &self.link);
            }
        });
    }
}

impl Response {
    /// Gives the live view that the answer names another link, if it names one.
    pub fn show_live_view_at(&mut self, link: impl FnOnce(&LiveView) -> String) {
        let Some(view) = &mut self.live_view else {
            return;
        };
        let link = link(view);
        let (summary, parts, data) = (&mut self.summary, &mut self.parts, &mut self.data);
        view.replace(link, |put| {
            put(summary);
            parts.iter_mut().for_each(|part| put(&mut part.text));
            each_text(data, put);
        });
    }
}

impl Progress {
    /// The same for a step.
    pub fn show_live_view_at(&mut self, link: impl FnOnce(&LiveView) -> String) {
        let Some(view) = &mut self.live_view else {
            return;
        };
        let link = link(view);
        let message = &mut self.message;
        view.replace(link, |put| put(message));
    }
}

fn each_text(value: &mut Value, put: &dyn Fn(&mut String)) {
    match value {
        Value::String(text) => put(text),
        Value::Array(list) => list.iter_mut().for_each(|one| each_text(one, put)),
        Value::Object(fields) => fields.values_mut().for_each(|one| each_text(one, put)),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn view() -> LiveView {
        LiveView {
            session: "work".to_owned(),
            token: "ab".repeat(32),
            link: format!("http://127.0.0.1:4000/{}/", "ab".repeat(32)),
        }
    }

    fn elsewhere(view: &LiveView) -> String {
        format!("https://szk.example/{}/{}/", view.session, view.token)
    }

    #[test]
    fn an_answer_names_its_live_view_where_the_front_end_shows_it() {
        let link = view().link;
        let mut response = Response {
            summary: format!("Show {link}\nnot http://127.0.0.1:4000/page"),
            data: json!({"url": link, "steps": [format!("open {link}")], "n": 1}),
            live_view: Some(view()),
            ..Response::default()
        };
        response.show_live_view_at(elsewhere);
        let there = elsewhere(&view());
        let summary = format!("Show {there}\nnot http://127.0.0.1:4000/page");
        assert_eq!(response.summary, summary);
        let data = json!({"url": there, "steps": [format!("open {there}")], "n": 1});
        assert_eq!(response.data, data);
        assert_eq!(response.live_view.unwrap().link, there);
    }

    #[test]
    fn a_step_names_it_there_too() {
        let mut step = Progress {
            message: format!("waiting at {}", view().link),
            live_view: Some(view()),
            ..Progress::default()
        };
        step.show_live_view_at(elsewhere);
        assert_eq!(step.message, format!("waiting at {}", elsewhere(&view())));
    }

    #[test]
    fn what_names_no_live_view_stays_as_it_is() {
        let mut step = Progress {
            message: view().link,
            ..Progress::default()
        };
        step.show_live_view_at(elsewhere);
        assert_eq!(step.message, view().link);
    }
}
