//! Makes a recipe of what was done.

use std::collections::BTreeMap;

use crate::acted::{Acted, Thing};
use crate::recipe::{Do, Expect, Head, Kind, Param, Recipe, Step};
use crate::{Identity, address};

/// Shortest value that is looked for in names and addresses.
const SHORTEST: usize = 3;
/// Roles of what appears that is worth waiting for, best first.
const TELLING: [&str; 12] = [
    "alertdialog",
    "dialog",
    "alert",
    "status",
    "heading",
    "row",
    "listitem",
    "link",
    "button",
    "textbox",
    "checkbox",
    "article",
];

/// Why no recipe comes of these acts.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DraftError {
    /// There is nothing to replay.
    #[error("nothing that can be replayed was done")]
    Nothing,
    /// They are of several sites.
    #[error("the acts are of several sites: {0} and {1}")]
    Sites(String, String),
}

/// A recipe of these acts, and notes on what was left out.
///
/// # Errors
/// [`DraftError`].
pub fn draft(name: &str, about: &str, acts: &[Acted]) -> Result<(Recipe, Vec<String>), DraftError> {
    drafted(name, about, acts, Draft::default())
}

/// A recipe whose parameters keep what was typed as their defaults; secrets have none.
///
/// # Errors
/// [`DraftError`].
pub fn draft_with_values(
    name: &str,
    about: &str,
    acts: &[Acted],
) -> Result<(Recipe, Vec<String>), DraftError> {
    let keeps = Draft {
        keeps: true,
        ..Draft::default()
    };
    drafted(name, about, acts, keeps)
}

fn drafted(
    name: &str,
    about: &str,
    acts: &[Acted],
    mut draft: Draft,
) -> Result<(Recipe, Vec<String>), DraftError> {
    for act in acts {
        draft.add(act)?;
    }
    let Some(site) = draft.site else {
        return Err(DraftError::Nothing);
    };
    if draft.steps.iter().all(|step| step.act == Do::Navigate) {
        return Err(DraftError::Nothing);
    }
    let recipe = Recipe {
        head: Head {
            name: name.to_owned(),
            site,
            about: about.to_owned(),
            revision: 0,
        },
        params: draft.params,
        steps: draft.steps,
    };
    Ok((recipe, draft.notes))
}

#[derive(Default)]
struct Draft {
    /// Whether values become defaults.
    keeps: bool,
    site: Option<String>,
    params: BTreeMap<String, Param>,
    /// Values that were typed, with the names of their parameters.
    typed: Vec<(String, String)>,
    steps: Vec<Step>,
    notes: Vec<String>,
}

impl Draft {
    fn add(&mut self, acted: &Acted) -> Result<(), DraftError> {
        let Some(act) = verb(&acted.act) else {
            if acted.act == "wait" {
                self.wait(acted);
            }
            return Ok(());
        };
        let page = match act {
            Do::Navigate => acted.value.clone().unwrap_or_default(),
            _ => acted.page.clone(),
        };
        let Some(origin) = address::origin(&page) else {
            return Ok(());
        };
        match &self.site {
            Some(site) if *site != origin => {
                return Err(DraftError::Sites(site.clone(), origin));
            }
            Some(_) => {}
            None => {
                self.site = Some(origin);
                if act != Do::Navigate {
                    let mut begin = Step::new(Do::Navigate);
                    begin.value = Some(address::path(&page));
                    self.steps.push(begin);
                }
            }
        }
        let idle = !acted.effect.changed && acted.effect.navigated.is_none();
        if act == Do::Click && idle {
            return Ok(());
        }
        if act.needs_element() && acted.on.is_none() {
            let note = format!("a {} at a point was left out: name the element", acted.act);
            self.notes.push(note);
            return Ok(());
        }
        if act == Do::Drag && acted.to.is_none() {
            let note = "a drag by a distance was left out: name where it ends";
            self.notes.push(note.to_owned());
            return Ok(());
        }
        if act == Do::Press && acted.value.is_none() {
            let note = "a key that may be part of a password was left out: fill the field instead";
            self.notes.push(note.to_owned());
            return Ok(());
        }
        let step = self.step(act, acted);
        self.push(step);
        Ok(())
    }

    fn step(&mut self, act: Do, acted: &Acted) -> Step {
        let mut step = Step::new(act);
        if act == Do::Navigate {
            step.value =
                Some(self.templated(&address::path(acted.value.as_deref().unwrap_or_default())));
            return step;
        }
        step.at = Some(self.templated(&bare(&acted.page)));
        step.on = acted.on.as_ref().map(|on| self.element(on));
        step.to = acted.to.as_ref().map(|to| self.element(to));
        let typed = matches!(act, Do::Fill | Do::Type | Do::Upload);
        step.value = match (&acted.value, typed) {
            (Some(value), true) => Some(self.parameter(acted, value)),
            (None, true) => Some(self.parameter(acted, "")),
            (value, false) => value.clone(),
        };
        let effect = &acted.effect;
        step.times = acted.times;
        step.accept = effect.accepted.then_some(true);
        let mut expect = Expect::default();
        if effect.holds && !acted.secret {
            expect.value = Some(true);
        }
        if let Some(url) = &effect.navigated {
            expect.navigates = Some(self.templated(&address::pattern(url)));
        } else if matches!(act, Do::Click | Do::Press | Do::Select | Do::Drag) {
            expect.appears = best(&effect.appeared).map(|thing| self.thing(thing));
            if expect.appears.is_none() {
                expect.gone = best(&effect.gone).map(|thing| self.thing(thing));
            }
        }
        step.expect = (!expect.is_empty()).then_some(expect);
        step
    }

    /// A field that is filled twice holds only the last value.
    fn push(&mut self, step: Step) {
        if let Some(last) = self.steps.last_mut()
            && step.act == Do::Fill
            && last.act == Do::Fill
            && last.on == step.on
        {
            *last = step;
            return;
        }
        // A click that only put the focus there: filling does that, too.
        if let Some(last) = self.steps.last_mut()
            && step.act == Do::Fill
            && last.act == Do::Click
            && last.on == step.on
            && last
                .expect
                .as_ref()
                .is_none_or(|expect| expect.navigates.is_none())
        {
            *last = step;
            return;
        }
        self.steps.push(step);
    }

    /// Waits become expectations of the step before.
    fn wait(&mut self, acted: &Acted) {
        let seen = acted.on.as_ref().map(|on| Thing {
            role: on.role.clone(),
            name: self.templated(if on.name.is_empty() {
                &on.text
            } else {
                &on.name
            }),
        });
        let (Some(last), Some(seen)) = (self.steps.last_mut(), seen) else {
            return;
        };
        let expect = last.expect.get_or_insert_with(Expect::default);
        expect.appears.get_or_insert(seen);
    }

    /// The parameter of a typed value, as a template.
    fn parameter(&mut self, acted: &Acted, value: &str) -> String {
        let on = acted.on.clone().unwrap_or_default();
        let secret = acted.secret || on.kind == "password";
        let names = [&on.field, &on.label, &on.name, &on.placeholder];
        let named = names
            .into_iter()
            .map(|text| slug(text))
            .find(|text| !text.is_empty());
        let stem = named.unwrap_or_else(|| "value".to_owned());
        let known = self
            .typed
            .iter()
            .find(|(typed, name)| !secret && typed == value && *name == stem);
        if known.is_none() {
            let mut numbered = (2..).map(|number| format!("{stem}_{number}"));
            let again = self
                .steps
                .last()
                .is_some_and(|last| last.on == acted.on && last.act == Do::Fill);
            let name = match self.params.contains_key(&stem) && !again {
                true => numbered
                    .find(|name| !self.params.contains_key(name))
                    .unwrap_or(stem),
                false => stem,
            };
            let param = Param {
                kind: if secret { Kind::Secret } else { Kind::String },
                default: (self.keeps && !secret).then(|| value.to_owned()),
                ..Param::default()
            };
            self.params.insert(name.clone(), param);
            if !secret {
                self.typed.push((value.to_owned(), name.clone()));
            }
            return format!("{{{{{name}}}}}");
        }
        format!("{{{{{stem}}}}}")
    }

    /// A text with typed values replaced by their parameters.
    fn templated(&self, text: &str) -> String {
        // A `{{` of the page's own is no parameter.
        let mut text = text.replace("{{", "{ {");
        for (value, name) in &self.typed {
            if value.chars().count() >= SHORTEST {
                text = text.replace(value.as_str(), &format!("{{{{{name}}}}}"));
            }
        }
        text
    }

    fn thing(&self, thing: &Thing) -> Thing {
        Thing {
            role: thing.role.clone(),
            name: self.templated(&thing.name),
        }
    }

    fn element(&self, on: &Identity) -> Identity {
        let mut element = on.clone();
        for (name, text) in element.texts_mut() {
            let templated = self.templated(text);
            if templated == *text {
                continue;
            }
            *text = match name {
                // The rest of a row is of that row only.
                "row" => templated
                    .split_inclusive("}}")
                    .filter_map(|part| part.find("{{").map(|at| part[at..].to_owned()))
                    .collect::<Vec<_>>()
                    .join(" "),
                "css" => String::new(),
                _ => templated,
            };
            if name == "row" && text.is_empty() {
                text.clone_from(&on.row.replace("{{", "{ {"));
            }
        }
        element
    }
}

fn verb(word: &str) -> Option<Do> {
    Some(match word {
        "navigate" => Do::Navigate,
        "click" => Do::Click,
        "fill" => Do::Fill,
        "type" => Do::Type,
        "select" => Do::Select,
        "press" => Do::Press,
        "check" => Do::Check,
        "uncheck" => Do::Uncheck,
        "upload" => Do::Upload,
        "drag" => Do::Drag,
        _ => return None,
    })
}

fn best(things: &[Thing]) -> Option<&Thing> {
    let mut roles = TELLING.iter();
    roles.find_map(|role| things.iter().find(|thing| thing.role == *role))
}

/// The path of an address without its query.
fn bare(url: &str) -> String {
    let path = address::path(url);
    path.split('?').next().unwrap_or_default().to_owned()
}

/// A text as the name of a parameter.
fn slug(text: &str) -> String {
    let words = text.split(|c: char| !c.is_ascii_alphanumeric());
    let words: Vec<String> = words
        .filter(|word| !word.is_empty())
        .take(3)
        .map(str::to_lowercase)
        .collect();
    words.join("_")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Effect, parse, write};

    fn acted(act: &str, on: Option<Identity>, value: Option<&str>, effect: Effect) -> Acted {
        Acted {
            act: act.into(),
            on,
            value: value.map(str::to_owned),
            page: "https://shop.example/orders?x=1".into(),
            effect,
            ..Acted::default()
        }
    }

    fn field(name: &str, kind: &str) -> Identity {
        Identity {
            role: "textbox".into(),
            name: name.into(),
            kind: kind.into(),
            ..Identity::default()
        }
    }

    fn changed() -> Effect {
        Effect {
            changed: true,
            ..Effect::default()
        }
    }

    #[test]
    fn a_drag_has_both_ends() {
        let ends = |to: Option<Identity>| Acted {
            to,
            ..acted("drag", Some(field("Card 1", "text")), None, changed())
        };
        let acts = [ends(Some(field("Bin", "text"))), ends(None)];
        let (recipe, notes) = draft("a", "", &acts).unwrap();
        assert_eq!(
            recipe.steps[1].words(),
            "drag textbox \"Card 1\" to textbox \"Bin\""
        );
        assert_eq!((recipe.steps.len(), notes.len()), (2, 1), "{notes:?}");
        assert_eq!(parse(&write(&recipe), "a").unwrap(), recipe);
    }

    #[test]
    fn a_click_into_a_field_that_is_filled_then_is_left_out() {
        let on = || Some(field("Order", "text"));
        let acts = [
            acted("click", on(), None, changed()),
            acted("fill", on(), Some("1001"), changed()),
            acted("click", Some(field("Code", "text")), None, changed()),
        ];
        let (recipe, _) = draft("a", "", &acts).unwrap();
        let steps: Vec<&str> = recipe.steps.iter().map(|step| step.act.word()).collect();
        assert_eq!(steps, ["navigate", "fill", "click"]);
    }

    #[test]
    fn acts_become_steps_and_typed_values_parameters() {
        let row = Identity {
            role: "button".into(),
            name: "Open 1001".into(),
            row: "1001 Ada 7 EUR".into(),
            ..Identity::default()
        };
        let went = Effect {
            navigated: Some("https://shop.example/orders/1001?tab=2".into()),
            ..changed()
        };
        let acts = [
            acted(
                "fill",
                Some(field("Order number", "text")),
                Some("1001"),
                Effect {
                    holds: true,
                    ..changed()
                },
            ),
            acted("click", Some(row.clone()), None, Effect::default()),
            acted("scroll", None, None, changed()),
            acted("click", Some(row), None, went),
        ];
        let (recipe, notes) = draft("a", "", &acts).unwrap();
        assert_eq!(notes, Vec::<String>::new());
        let steps: Vec<String> = recipe.steps.iter().map(Step::words).collect();
        assert_eq!(
            steps,
            [
                "navigate /orders?x=1",
                "fill textbox \"Order number\"",
                "click button \"Open {{order_number}}\""
            ]
        );
        assert_eq!(recipe.steps[2].on.as_ref().unwrap().row, "{{order_number}}");
        let expect = recipe.steps[2].expect.as_ref().unwrap();
        assert_eq!(
            expect.navigates.as_deref(),
            Some("/orders/{{order_number}}?tab=*")
        );
        assert_eq!(parse(&write(&recipe), "a").unwrap(), recipe);
    }

    #[test]
    fn nothing_secret_is_kept() {
        let mut password = acted("fill", Some(field("Password", "password")), None, changed());
        password.secret = true;
        let (kept, _) = draft_with_values("a", "", std::slice::from_ref(&password)).unwrap();
        assert!(kept.params.values().all(|param| param.default.is_none()));
        let (recipe, _) = draft("a", "", &[password]).unwrap();
        assert_eq!(recipe.params["password"].kind, Kind::Secret);
        assert_eq!(recipe.steps[1].value.as_deref(), Some("{{password}}"));
    }

    #[test]
    fn what_cannot_be_replayed_is_said() {
        assert_eq!(draft("a", "", &[]), Err(DraftError::Nothing));
        let (recipe, notes) = draft(
            "a",
            "",
            &[
                acted("click", None, None, changed()),
                acted("press", None, Some("Enter"), changed()),
            ],
        )
        .unwrap();
        assert_eq!((recipe.steps.len(), notes.len()), (2, 1));
        let mut other = acted("press", None, Some("Enter"), changed());
        other.page = "https://b.example/".into();
        let two = draft(
            "a",
            "",
            &[acted("press", None, Some("a"), changed()), other],
        );
        assert!(matches!(two, Err(DraftError::Sites(..))));
    }
}
