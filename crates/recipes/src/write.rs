//! Writes a recipe as people would: a line for each thing, elements on one line.

use std::fmt::Write as _;

use toml::{Table, Value};

use crate::Recipe;

/// Keys of a step in the order of its file.
const KEYS: [&str; 18] = [
    "do",
    "if",
    "at",
    "value",
    "on",
    "point",
    "to",
    "to_point",
    "by",
    "button",
    "modifiers",
    "times",
    "accept",
    "schema",
    "expect",
    "until",
    "most",
    "steps",
];

/// The recipe as a file.
#[must_use]
pub fn write(recipe: &Recipe) -> String {
    let mut text = String::from("[recipe]\n");
    let head = table(&recipe.head);
    for key in ["name", "site", "about", "revision"] {
        line(&mut text, key, head.get(key));
    }
    for (name, param) in &recipe.params {
        let _ = writeln!(text, "\n[params.{}]", key_of(name));
        let param = table(param);
        for key in ["type", "about", "default"] {
            line(&mut text, key, param.get(key));
        }
    }
    for step in &recipe.steps {
        text.push_str("\n[[step]]\n");
        let step = table(step);
        for key in KEYS {
            line(&mut text, key, step.get(key));
        }
    }
    text
}

/// A value as a table; what cannot be one is none of ours.
fn table(value: &impl serde::Serialize) -> Table {
    Table::try_from(value).unwrap_or_default()
}

fn key_of(name: &str) -> String {
    let bare = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    if !name.is_empty() && name.chars().all(bare) {
        name.to_owned()
    } else {
        Value::String(name.to_owned()).to_string()
    }
}

fn line(text: &mut String, key: &str, value: Option<&Value>) {
    if let Some(value) = value {
        let _ = writeln!(text, "{key} = {value}");
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{
        Distance, Do, Expect, Head, Identity, OtherButton, Point, Position, State, Step, Thing,
        parse,
    };

    fn recipe(name: &str, value: &str) -> Recipe {
        let on = Identity {
            role: "button".into(),
            name: name.into(),
            nth: 2,
            of: 3,
            ..Identity::default()
        };
        let point = Point {
            x: 20,
            y: -1,
            width: 300,
            height: 150,
        };
        let drag = Step {
            on: Some(on.clone()),
            point: Some(point),
            by: Some(Distance { x: 120, y: 0 }),
            ..Step::new(Do::Drag)
        };
        let inner = Step {
            on: Some(on.clone()),
            button: Some(OtherButton::Right),
            modifiers: vec!["Shift".into()],
            ..Step::new(Do::Click)
        };
        Recipe {
            head: Head {
                name: "a".into(),
                site: "https://shop.example".into(),
                about: value.into(),
                revision: 3,
            },
            params: [("order".to_owned(), crate::Param::default())].into(),
            steps: vec![
                Step {
                    value: Some("{{order}}".into()),
                    on: Some(on),
                    expect: Some(Expect {
                        value: Some(true),
                        appears: Some(Thing {
                            role: "row".into(),
                            name: name.into(),
                            state: State::of_words("expanded", value),
                        }),
                        state: State::of_words("checked", name),
                        place: Position {
                            before: Some(name.into()),
                            ..Position::default()
                        },
                        changes: Some(true),
                        ..Expect::default()
                    }),
                    ..Step::new(Do::Fill)
                },
                Step {
                    until: Some(Expect {
                        navigates: Some("/done".into()),
                        ..Expect::default()
                    }),
                    steps: vec![inner, drag],
                    ..Step::new(Do::Repeat)
                },
            ],
        }
    }

    #[test]
    fn a_recipe_reads_like_one_written_by_hand() {
        let text = write(&recipe("Search", "Finds it"));
        assert!(
            text.contains("[[step]]\ndo = \"fill\"\nvalue = \"{{order}}\"\non = { "),
            "{text}"
        );
        assert!(
            text.contains("[params.order]\ntype = \"string\"\n"),
            "{text}"
        );
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_again(name in "[^{}]{0,20}", value in "[^{}]{0,20}") {
            let written = recipe(&name, &value);
            let text = write(&written);
            prop_assert_eq!(parse(&text, "a.toml").map_err(|error| error.to_string()), Ok(written), "{}", text);
        }
    }
}
