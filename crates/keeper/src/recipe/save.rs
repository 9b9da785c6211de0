//! `recipe_save`.

use std::path::Path;
use std::sync::Arc;

use szk_page::event_log::{Entry, Kind, Query, What};
use szk_recipes::{Acted, Recipe, draft, draft_with_values};
use szk_tools::recipe::{Save, SaveInput, SaveOutput};
use szk_tools::{Failure, Response};

use super::files::{Files, parsed};
use crate::context::Keeper;

pub(crate) async fn save(keeper: &Arc<Keeper>, input: &SaveInput) -> Result<Response, Failure> {
    let files = Files::of(keeper, input.dir.as_deref());
    let (recipe, notes) = match &input.text {
        Some(text) => (given(text, &input.name)?, Vec::new()),
        None => {
            let (_, tab) = keeper.tab(input.tab.as_deref()).await?;
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
    let (path, text) = match &input.text {
        // With its comments, as its author wrote it.
        Some(text) => files.put(&input.name, text.clone())?,
        None => files.save(&recipe)?,
    };
    let mut lines = vec![format!(
        "saved {} steps as `{}`: {}",
        recipe.steps.len(),
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
    let found = keeper.event_log.read(&Query {
        kind: Some(Kind::Acts),
        tab: Some(tab.to_owned()),
        since: None,
        r#type: None,
        text: None,
        statuses: None,
        limit: usize::MAX,
    });
    let mut entries: Vec<Entry> = found.entries;
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
