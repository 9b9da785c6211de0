//! An entry of the log of acts.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Distance, Identity, OtherButton, Point, Position, State};

/// An act that succeeded: what it was done to, and what came of it. Nothing secret is in it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Acted {
    /// What was done, such as `click`.
    pub act: String,
    /// The element.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub on: Option<Identity>,
    /// Where a drag ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to: Option<Identity>,
    /// Point of the element, if one was meant.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub point: Option<Point>,
    /// The same of where a drag ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to_point: Option<Point>,
    /// How far it was dragged, if that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by: Option<Distance>,
    /// Button of a click, if it was not the left one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub button: Option<OtherButton>,
    /// Keys held down during a click.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub modifiers: Vec<String>,
    /// Text, key, option or address.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
    /// How often a key was pressed or an element clicked, if more than once.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub times: Option<u32>,
    /// Whether the value was a secret and is left out.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub secret: bool,
    /// What was waited for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub awaited: Option<Awaited>,
    /// Address of the page where it was done.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub page: String,
    /// Who did it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub client: Option<String>,
    /// What came of it.
    pub effect: Effect,
    /// Milliseconds it took.
    pub ms: u64,
}

/// What an act of waiting waited for. An element is in the [`Effect`]: it appeared, or is gone.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Awaited {
    /// Text of the page, or a regular expression between slashes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Whether the text was to go away.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub away: bool,
}

/// What came of an act.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Effect {
    /// Whether anything came of it.
    pub changed: bool,
    /// Whether that was more than the focus and a selection.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub visible: bool,
    /// What is different of the element.
    #[serde(skip_serializing_if = "State::is_empty")]
    pub state: State,
    /// Where the element stands now, if it was moved.
    #[serde(skip_serializing_if = "Position::is_empty")]
    pub place: Position,
    /// What other elements became, with what is different of them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub became: Vec<Thing>,
    /// Where the page went.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub navigated: Option<String>,
    /// Whether the field holds what was asked for.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub holds: bool,
    /// What appeared.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub appeared: Vec<Thing>,
    /// What went away.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub gone: Vec<Thing>,
    /// Tabs that opened.
    #[serde(skip_serializing_if = "is_zero")]
    pub tabs: usize,
    /// Dialogs that opened.
    #[serde(skip_serializing_if = "is_zero")]
    pub dialogs: usize,
    /// Whether one of them was accepted.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub accepted: bool,
    /// Downloads that began.
    #[serde(skip_serializing_if = "is_zero")]
    pub downloads: usize,
}

fn is_zero(number: &usize) -> bool {
    *number == 0
}

impl Effect {
    /// Hides what is secret in the texts of the page. What was held, or where something stood, is no longer known
    /// with a part of it hidden.
    pub fn cover(&mut self, hide: &mut dyn FnMut(&mut String)) {
        let Self {
            appeared,
            gone,
            became,
            state,
            place,
            ..
        } = self;
        let mut texts: Vec<&mut Option<String>> = place.texts_mut().into();
        texts.push(&mut state.value);
        for thing in appeared.iter_mut().chain(gone).chain(became) {
            hide(&mut thing.name);
            texts.push(&mut thing.state.value);
        }
        for text in texts {
            let known = text.take_if(|text| {
                let before = text.clone();
                hide(text);
                *text != before
            });
            drop(known);
        }
    }
}

/// Something that a page shows.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Thing {
    /// Role, such as `row`.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub role: String,
    /// Accessible name or text; a part of it is enough.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// State that it is in.
    #[serde(skip_serializing_if = "State::is_empty")]
    pub state: State,
}

impl Thing {
    /// Whether something that a page shows is it.
    #[must_use]
    pub fn is(&self, shown: &Self) -> bool {
        let part = |whole: &str, part: &str| whole.to_lowercase().contains(&part.to_lowercase());
        (self.role.is_empty() || self.role == shown.role)
            && part(&shown.name, self.name.trim())
            && self.state.unmet(&shown.state).is_none()
    }

    /// It in a few words.
    #[must_use]
    pub fn words(&self) -> String {
        let words = match (self.role.as_str(), self.name.as_str()) {
            (role, "") => role.to_owned(),
            ("", name) => format!("{name:?}"),
            (role, name) => format!("{role} {name:?}"),
        };
        match self.state.is_empty() {
            true => words,
            false => format!("{words}, {}", self.state.words()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Format, draft, export, parse, write};

    #[test]
    fn how_often_and_what_was_accepted_is_replayed_and_exported() {
        let acted = |act: &str, times, accepted| Acted {
            act: act.to_owned(),
            times,
            value: (act == "press").then(|| "ArrowRight".to_owned()),
            on: Some(Identity {
                role: "button".to_owned(),
                name: "Go".to_owned(),
                ..Identity::default()
            }),
            page: "https://a.example/x".to_owned(),
            effect: Effect {
                changed: true,
                accepted,
                ..Effect::default()
            },
            ..Acted::default()
        };
        let acts = [
            acted("click", Some(2), false),
            acted("press", Some(3), false),
            acted("click", None, true),
        ];
        let (recipe, _) = draft("r", "", &acts).unwrap();
        let text = write(&recipe);
        assert!(
            text.contains("times = 2") && text.contains("accept = true"),
            "{text}"
        );
        assert_eq!(parse(&text, "r.toml").unwrap(), recipe);
        let script = |format| export(&recipe, format).unwrap();
        let typescript = script(Format::Typescript);
        assert!(
            typescript.contains("click({ clickCount: 2 });"),
            "{typescript}"
        );
        assert_eq!(
            typescript.matches("press(\"ArrowRight\")").count(),
            3,
            "{typescript}"
        );
        let accepted = typescript.find("page.once('dialog'").unwrap();
        assert!(typescript[accepted..].contains("click();"), "{typescript}");
        let python = script(Format::Python);
        assert!(python.contains("click(click_count=2)"), "{python}");
        assert!(
            python.contains("lambda dialog: dialog.accept()"),
            "{python}"
        );
        let batch = script(Format::Batch);
        assert!(
            batch.contains("\"count\":3") && batch.contains("\"dialog\":\"accept\""),
            "{batch}"
        );
    }
}
