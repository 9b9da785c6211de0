//! Makes a recipe of what was done.

mod end;
mod wait;

use std::collections::BTreeMap;

use crate::acted::{Acted, Effect, Thing};
use crate::recipe::{Do, Expect, Head, Kind, Param, Recipe, Step};
use crate::{Identity, address};

/// Shortest value that is looked for in names and addresses.
const SHORTEST: usize = 3;
/// Longest text that a page is known by at the end.
const LONGEST_SAID: usize = 80;
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
    draft.end();
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
    /// Whether the last step is a click that nothing was seen to come of.
    idle: bool,
    /// What came of the last step.
    effect: Effect,
    notes: Vec<String>,
}

impl Draft {
    fn add(&mut self, acted: &Acted) -> Result<(), DraftError> {
        let Some(act) = verb(&acted.act) else {
            self.unknown(acted);
            return Ok(());
        };
        let page = match act {
            Do::Navigate => acted.value.clone().unwrap_or_default(),
            _ => acted.page.clone(),
        };
        let Some(origin) = address::origin(&page) else {
            let note = "an act on a page without a web address was left out";
            self.notes.push(note.to_owned());
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
        if act == Do::Wait {
            self.wait(acted);
            return Ok(());
        }
        if act == Do::Hover && !acted.effect.changed {
            return Ok(());
        }
        if act.needs_element() && acted.on.is_none() {
            let note = match act {
                Do::Type => "a text that was typed where the focus was is left out: name the field",
                _ => "an act at a point that is of no drawing was left out: name the element",
            };
            self.notes.push(note.to_owned());
            return Ok(());
        }
        if act == Do::Drag && acted.to.is_none() && acted.by.is_none() {
            let note = "a drag to a point that is of no drawing was left out: name where it ends";
            self.notes.push(note.to_owned());
            return Ok(());
        }
        if act == Do::Press && acted.value.is_none() {
            let note = "a key that may be part of a password was left out: fill the field instead";
            self.notes.push(note.to_owned());
            return Ok(());
        }
        let step = self.step(act, acted);
        // The click before was meant to do what this one does.
        let again = |last: &Step| {
            let same = last.on == step.on && last.point == step.point;
            same && last.button == step.button && last.modifiers == step.modifiers
        };
        if act == Do::Click && self.idle && self.steps.last().is_some_and(again) {
            self.steps.pop();
        }
        // What comes of it may be nothing that a page shows, and the next act may need it.
        self.idle = act == Do::Click && !acted.effect.changed && acted.effect.navigated.is_none();
        self.effect.clone_from(&acted.effect);
        self.push(step);
        Ok(())
    }

    /// Says what no step does. Scrolling comes by itself.
    fn unknown(&mut self, acted: &Acted) {
        if matches!(acted.act.as_str(), "down" | "move" | "up") {
            let note = "what was done with a button held down was left out: use `drag`";
            if !self.notes.iter().any(|known| known == note) {
                self.notes.push(note.to_owned());
            }
        }
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
        (step.point, step.to_point, step.by) = (acted.point, acted.to_point, acted.by);
        (step.button, step.modifiers) = (acted.button, acted.modifiers.clone());
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
            if expect.is_empty() {
                expect.state = end::state_of(effect, step.on.as_ref());
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
            && last.expect.as_ref().is_none_or(|expect| {
                expect.navigates.is_none() && expect.text.is_none() && expect.no_text.is_none()
            })
        {
            *last = step;
            return;
        }
        self.steps.push(step);
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
                text = replaced(&text, value, &format!("{{{{{name}}}}}"));
            }
        }
        text
    }

    fn thing(&self, thing: &Thing) -> Thing {
        Thing {
            role: thing.role.clone(),
            name: self.templated(&thing.name),
            state: self.state(&thing.state),
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
        "hover" => Do::Hover,
        "wait" => Do::Wait,
        _ => return None,
    })
}

fn best(things: &[Thing]) -> Option<&Thing> {
    let mut roles = TELLING.iter();
    roles.find_map(|role| things.iter().find(|thing| thing.role == *role))
}

/// A text with a value replaced where it stands for itself: not within another word or number.
fn replaced(text: &str, value: &str, by: &str) -> String {
    let (Some(first), Some(last)) = (value.chars().next(), value.chars().next_back()) else {
        return text.to_owned();
    };
    let goes_on = |edge: char, beside: Option<char>| {
        beside.is_some_and(|beside| {
            (edge.is_alphabetic() && beside.is_alphabetic())
                || (edge.is_numeric() && beside.is_numeric())
        })
    };
    let (mut out, mut done) = (String::new(), 0);
    for (at, _) in text.match_indices(value) {
        let end = at + value.len();
        let within = goes_on(first, text[..at].chars().next_back())
            || goes_on(last, text[end..].chars().next());
        if !within {
            out.push_str(&text[done..at]);
            out.push_str(by);
            done = end;
        }
    }
    out.push_str(&text[done..]);
    out
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
mod tests;
