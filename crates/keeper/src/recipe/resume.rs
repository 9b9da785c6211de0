//! Runs that stopped, and how they go on.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde_json::Value;
use szk_page::snapshot::Candidates;
use szk_recipes::{Identity, Recipe, Values};
use szk_tools::recipe::RunInput;
use szk_tools::{Code, Done, Failure, Progress};
use tokio::time::Instant;

use super::files::Files;
use super::look;
use super::outcome::Acted;
use super::run::{Run, TO, end_at, refuse};
use crate::context::Keeper;

/// A run that stopped, and where.
pub(super) struct Paused {
    /// The recipe as its file had it.
    file: Recipe,
    recipe: Recipe,
    values: Values,
    secrets: Values,
    tab: String,
    /// The step to go on with.
    next: usize,
    /// The step whose element was doubtful, by its places in the lists of steps.
    at: Vec<usize>,
    steps: Vec<String>,
    records: Vec<Value>,
    healed: BTreeMap<Vec<usize>, Identity>,
    rows_done: BTreeSet<String>,
    unmet: bool,
}

/// The run that stopped; the element that the caller names takes the place of the one not found.
pub(super) async fn resumed<'a>(
    keeper: &'a Arc<Keeper>,
    input: &RunInput,
    files: &Files<'_>,
    whole: Instant,
    progress: &'a (dyn Fn(Progress) + Send + Sync),
) -> Result<(Run<'a>, usize), Failure> {
    let paused = keeper.recipes.resume(&input.name).ok_or_else(|| {
        Failure::new(
            Code::NotFound,
            format!("no run of `{}` has stopped", input.name),
        )
        .hint("run it without `resume` and `ref`")
    })?;
    if files.load(&input.name)?.1 != paused.file {
        return Err(Failure::new(
            Code::NotFound,
            format!("`{}` has changed since its run stopped", input.name),
        )
        .hint("run it without `resume` and `ref`"));
    }
    let mut run = Run {
        keeper,
        progress,
        file: paused.file,
        recipe: paused.recipe,
        values: paused.values,
        secrets: paused.secrets,
        tab: paused.tab,
        records: paused.records,
        healed: paused.healed,
        row: None,
        whole,
        steps: paused.steps,
        rows_done: paused.rows_done,
        at: paused.at,
        depth: 0,
        no_secrets: input.no_secrets == Some(true),
        unmet: paused.unmet,
        seen: None,
        likely: None,
        acted: Acted::default(),
    };
    refuse(run.no_secrets, &run.recipe)?;
    if let Some(reference) = &input.r#ref {
        let (running, tab) = keeper.tab(Some(&run.tab)).await?;
        let anything = Identity::default();
        let asked = match run.at.ends_with(&[TO]) {
            true => Candidates::Place(&anything),
            false => Candidates::Working,
        };
        let page = look::read(keeper, &running, &tab, asked).await?;
        let wanted = reference.trim_start_matches('@');
        let known = page.all.iter().find(|known| known.reference == wanted);
        let Some(known) = known else {
            let name = input.name.clone();
            let failure = Failure::new(
                Code::NotFound,
                format!("`{wanted}` is not an element of the page that can be acted on"),
            );
            let next = paused.next;
            run.recipe.head.name = name;
            return Err(run.pause(next, failure));
        };
        let at = run.at.clone();
        if let Some(end) = end_at(&mut run.recipe.steps, &at) {
            let was = end.clone().unwrap_or_default();
            let now = szk_recipes::healed(&was, &known.identity);
            *end = Some(now.clone());
            run.healed.insert(at, now);
        }
    }
    Ok((run, paused.next))
}

impl Run<'_> {
    /// Remembers where the run stopped.
    pub(super) fn pause(self, stopped: usize, failure: Failure) -> Failure {
        let keeper = self.keeper;
        let name = self.recipe.head.name.clone();
        // A step that was done is not done again.
        let next = stopped + usize::from(failure.effect == Done::Done && self.at.len() == 1);
        let paused = Paused {
            file: self.file.clone(),
            unmet: self.unmet || failure.effect == Done::Done,
            recipe: self.recipe.clone(),
            values: self.values.clone(),
            secrets: self.secrets.clone(),
            tab: self.tab.clone(),
            next,
            at: self.at.clone(),
            steps: self.steps.clone(),
            records: self.records.clone(),
            healed: self.healed.clone(),
            rows_done: self.rows_done.clone(),
        };
        keeper.recipes.pause(&name, paused);
        self.told(stopped, failure)
    }
}
