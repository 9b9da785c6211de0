//! `recipe_save`.

use std::path::Path;
use std::sync::Arc;

use szk_page::event_log::{Entry, Kind, Query, What};
use szk_recipes::{Acted, Recipe, draft, draft_with_values};
use szk_tools::recipe::{Save, SaveInput, SaveOutput};
use szk_tools::{Failure, Response};

use super::files::{Files, Saved, parsed};
use crate::context::Keeper;

pub(crate) async fn save(keeper: &Arc<Keeper>, input: &SaveInput) -> Result<Response, Failure> {
    let files = Files::of(keeper, input.dir.as_deref());
    let (recipe, mut notes) = match &input.text {
        Some(text) => (given(text, &input.name)?, Vec::new()),
        None => {
            let (_, tab) = keeper.tab(input.tab.as_deref()).await?;
            if input.whole == Some(true) {
                all_in(keeper, &tab.id, input)?;
            }
            let acts = acts(keeper, &tab.id, input);
            let about = input.about.as_deref().unwrap_or_default();
            let made = match input.values {
                Some(true) => draft_with_values(&input.name, about, &acts),
                _ => draft(&input.name, about, &acts),
            };
            made.map_err(|error| {
                Failure::invalid(error.to_string()).hint(
                    "see what was done with `browser_logs`, `kind` acts, and give `from` and `to`",
                )
            })?
        }
    };
    if let (Some(true), Some(note)) = (input.whole, notes.first()) {
        return Err(Failure::invalid(format!("it would lack an act: {note}")));
    }
    if input.text.is_none() && !szk_recipes::ends_checked(&recipe) {
        notes.push(UNCHECKED.to_owned());
    }
    let steps = recipe.steps.len() as u64;
    let saved = match &input.text {
        // With its comments, as its author wrote it.
        Some(text) => files.put(&input.name, text.clone())?,
        None => files.save(&about_as_before(&files, recipe))?,
    };
    notes.extend(saved.note());
    let Saved { path, text, .. } = saved;
    let mut lines = vec![format!(
        "saved {} as `{}`: {}",
        szk_text::counted(steps, "step"),
        input.name,
        path.display()
    )];
    lines.extend(notes.iter().cloned());
    lines.push(text.clone());
    let output = SaveOutput {
        session: keeper.session.name().to_string(),
        name: input.name.clone(),
        path,
        text,
        notes,
    };
    Response::of::<Save>(lines.join("\n"), &output)
}

/// A recipe that says what it does as the one that it replaces did, unless it was told.
pub(super) fn about_as_before(files: &Files<'_>, mut recipe: Recipe) -> Recipe {
    if recipe.head.about.is_empty()
        && let Ok((_, before)) = files.load(&recipe.head.name)
    {
        recipe.head.about = before.head.about;
    }
    recipe
}

/// What is said of a recipe whose end nothing is known by.
pub(super) const UNCHECKED: &str =
    "nothing shows at its end that it was done: give its last step an `expect`";

/// Checks that the acts of a client from one on are all in one tab, and that none of them is lost.
fn all_in(keeper: &Keeper, tab: &str, input: &SaveInput) -> Result<(), Failure> {
    let from = input.from.unwrap_or_default();
    let client = keeper.visit.client().map(|client| client.name.clone());
    let mut entries = logged(keeper, None);
    entries.sort_by_key(|entry| entry.id);
    if entries.len() >= super::record::MOST && entries.first().is_some_and(|first| first.id > from)
    {
        return Err(Failure::invalid(
            "more was done than the log of acts keeps, so its beginning is missing",
        ));
    }
    let other = entries.iter().find(|entry| {
        let own = matches!(&entry.what, What::Act(acted) if acted.client == client);
        own && entry.id >= from && entry.tab.as_deref() != Some(tab)
    });
    match other.and_then(|entry| entry.tab.as_deref()) {
        Some(other) => Err(Failure::invalid(format!(
            "something was done in the tab `{other}` as well, and a recipe is of one tab"
        ))),
        None => Ok(()),
    }
}

/// The log of acts, of one tab or of all.
fn logged(keeper: &Keeper, tab: Option<&str>) -> Vec<Entry> {
    let found = keeper.event_log.read(&Query {
        kind: Some(Kind::Acts),
        tab: tab.map(str::to_owned),
        since: None,
        r#type: None,
        text: None,
        statuses: None,
        limit: usize::MAX,
    });
    found.entries
}

/// An entry of the log of acts, by its number.
pub(crate) fn acted(keeper: &Keeper, tab: &str, id: u64) -> Option<Acted> {
    let entries = logged(keeper, Some(tab)).into_iter();
    let mut entries = entries.filter(|entry| entry.id == id);
    match entries.next()?.what {
        What::Act(acted) => Some(*acted),
        _ => None,
    }
}

/// The acts in a tab after an entry that were no waits, in their order, with their numbers.
pub(crate) fn since(keeper: &Keeper, tab: &str, after: u64) -> Vec<(u64, Acted)> {
    let entries = logged(keeper, Some(tab)).into_iter();
    let acts = entries.filter_map(|entry| match entry.what {
        What::Act(acted) if acted.act != "wait" && entry.id > after => Some((entry.id, *acted)),
        _ => None,
    });
    let mut acts: Vec<(u64, Acted)> = acts.collect();
    acts.sort_by_key(|(id, _)| *id);
    acts
}

/// A recipe that was given as text, checked.
fn given(text: &str, name: &str) -> Result<Recipe, Failure> {
    let recipe = parsed(text, Path::new(&format!("{name}.toml")))?;
    match recipe.head.name == name {
        true => Ok(recipe),
        false => Err(Failure::invalid(format!(
            "the recipe is called `{}`, not `{name}`",
            recipe.head.name
        ))),
    }
}

/// The acts of a tab that a call names; by default those since the last navigation by address.
fn acts(keeper: &Keeper, tab: &str, input: &SaveInput) -> Vec<Acted> {
    let mut entries = logged(keeper, Some(tab));
    entries.sort_by_key(|entry| entry.id);
    let acts: Vec<(u64, Acted)> = entries
        .into_iter()
        .filter_map(|entry| match entry.what {
            What::Act(acted) => Some((entry.id, *acted)),
            _ => None,
        })
        .filter(|(id, _)| input.to.is_none_or(|to| *id <= to))
        .collect();
    let last = acts.iter().rev().find(|(_, acted)| acted.act == "navigate");
    let from = input.from.or(last.map(|(id, _)| *id)).unwrap_or_default();
    let acts = acts.into_iter().filter(|(id, _)| *id >= from);
    acts.map(|(_, acted)| acted).collect()
}
