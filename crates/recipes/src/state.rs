//! What an element is like: the states it is in, what it holds, and where it stands.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// States of an element. A recipe gives those that matter; what an element does not say of itself counts as off.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct State {
    /// Whether it is turned on, as checkboxes and switches are.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub checked: Option<bool>,
    /// Whether it is the selected one, as tabs and options are.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub selected: Option<bool>,
    /// Whether it is open, as menus and sections are.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expanded: Option<bool>,
    /// Whether it is pressed in, as the buttons of a toolbar are.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pressed: Option<bool>,
    /// What it holds, whatever the case.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
}

/// Where an element stands.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Position {
    /// Label or heading of what it is in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub within: Option<String>,
    /// Text of something that comes before it there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
    /// Text of something that comes after it there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<String>,
}

impl State {
    /// Reads the words of a snapshot, such as `checked` and `collapsed`, and what the element holds. Dots in
    /// place of a password are no value.
    #[must_use]
    pub fn of_words(words: &str, value: &str) -> Self {
        let mut state = Self::default();
        for word in words.split(' ') {
            match word {
                "checked" => state.checked = Some(true),
                "selected" => state.selected = Some(true),
                "expanded" => state.expanded = Some(true),
                "collapsed" => state.expanded = Some(false),
                "pressed" => state.pressed = Some(true),
                _ => {}
            }
        }
        let hidden = words.split(' ').any(|word| word == "type=password");
        state.value = (!hidden && !value.starts_with('•')).then(|| value.to_owned());
        state
    }

    /// Whether it says nothing.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// What is different in this state from one before.
    #[must_use]
    pub fn since(&self, before: &Self) -> Self {
        let turned = |now: Option<bool>, was: Option<bool>| {
            let now = now.unwrap_or_default();
            (now != was.unwrap_or_default()).then_some(now)
        };
        Self {
            checked: turned(self.checked, before.checked),
            selected: turned(self.selected, before.selected),
            expanded: turned(self.expanded, before.expanded),
            pressed: turned(self.pressed, before.pressed),
            value: self.value.clone().filter(|value| {
                before.value.as_ref().is_some_and(|was| was != value) && !value.trim().is_empty()
            }),
        }
    }

    /// The states without what is held.
    #[must_use]
    pub fn flags(&self) -> Self {
        Self {
            value: None,
            ..self.clone()
        }
    }

    /// What of this is not so of an element in the state `now`.
    #[must_use]
    pub fn unmet(&self, now: &Self) -> Option<String> {
        for ((name, wanted), (_, is)) in self.named().into_iter().zip(now.named()) {
            if let Some(wanted) = wanted
                && wanted != is.unwrap_or_default()
            {
                let not = if wanted { "not " } else { "" };
                return Some(format!("{not}{name}"));
            }
        }
        let wanted = self.value.as_deref()?;
        match &now.value {
            Some(is) if plain(is) == plain(wanted) => None,
            Some(is) => Some(format!("holding {is:?}, not {wanted:?}")),
            None => Some(format!("not holding {wanted:?}")),
        }
    }

    /// The states with their names, in the order of a file.
    #[must_use]
    pub fn named(&self) -> [(&'static str, Option<bool>); 4] {
        [
            ("checked", self.checked),
            ("selected", self.selected),
            ("expanded", self.expanded),
            ("pressed", self.pressed),
        ]
    }

    /// It in a few words.
    #[must_use]
    pub fn words(&self) -> String {
        let flags = self.named().into_iter().filter_map(|(name, is)| {
            let not = if is? { "" } else { "not " };
            Some(format!("{not}{name}"))
        });
        let value = self.value.iter().map(|value| format!("holding {value:?}"));
        flags.chain(value).collect::<Vec<_>>().join(", ")
    }
}

impl Position {
    /// Whether it says nothing.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// What is different in this place from one before.
    #[must_use]
    pub fn since(&self, before: &Self) -> Self {
        let other = |now: &Option<String>, was: &Option<String>| now.clone().filter(|_| now != was);
        Self {
            within: other(&self.within, &before.within),
            after: other(&self.after, &before.after),
            before: other(&self.before, &before.before),
        }
    }

    /// Its texts, with what they say of an element.
    pub fn texts(&self) -> impl Iterator<Item = (&'static str, &String)> {
        let texts = [
            ("within", &self.within),
            ("after", &self.after),
            ("before", &self.before),
        ];
        texts
            .into_iter()
            .filter_map(|(name, text)| Some((name, text.as_ref()?)))
    }

    /// The same, to be changed.
    pub fn texts_mut(&mut self) -> [&mut Option<String>; 3] {
        [&mut self.within, &mut self.after, &mut self.before]
    }
}

/// A text as it is compared: case and spaces do not matter.
fn plain(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ").to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_became_different_is_told_and_checked() {
        let check = |before: (&str, &str), now: (&str, &str), expected: &str| {
            let [before, now] = [before, now].map(|(words, value)| State::of_words(words, value));
            let since = now.since(&before);
            assert_eq!(since.words(), expected);
            assert_eq!(since.unmet(&now), None, "{now:?}");
            assert_eq!(
                since.unmet(&before).is_none(),
                expected.is_empty(),
                "{before:?}"
            );
        };
        check(("", ""), ("checked", ""), "checked");
        check(("checked required", ""), ("required", ""), "not checked");
        check(("collapsed", ""), ("expanded", ""), "expanded");
        check(("expanded", ""), ("collapsed", ""), "not expanded");
        check(("", "20"), ("", "30"), "holding \"30\"");
        check(("selected", "x"), ("selected", "x"), "");
        // Nobody may read what a password field holds, and an empty field says little.
        check(("type=password", ""), ("type=password", "x"), "");
        check(("", ""), ("", "••••"), "");
        check(("", "20"), ("", ""), "");
        let wanted = State::of_words("", "New  York");
        assert_eq!(wanted.unmet(&State::of_words("", "NEW YORK ")), None);
        assert_eq!(
            State::of_words("pressed", "").unmet(&State::default()),
            Some("not pressed".to_owned())
        );
    }
}
