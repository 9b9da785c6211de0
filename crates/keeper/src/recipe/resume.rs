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
use super::run::{Run, TO, end_at};
use super::secrets::AllowedSecrets;
use crate::context::Keeper;

/// Most runs that stopped, of all clients.
const MOST: usize = 50;

/// Whose run it is, by the client's id, and of which recipe.
pub(super) type Owner = (Option<String>, String);

/// A run of the caller.
pub(super) fn owner(keeper: &Keeper, recipe: &str) -> Owner {
    let client = keeper.visit.client().map(|client| client.id.clone());
    (client, recipe.to_owned())
}

/// Runs that stopped: at most one of a recipe for each client.
#[derive(Default)]
pub(super) struct PausedRuns {
    /// The number of the last one.
    last: u64,
    /// The oldest first.
    all: Vec<(u64, Owner, Paused)>,
}

impl PausedRuns {
    /// Keeps a run, in place of an earlier one.
    pub(super) fn keep(&mut self, owner: Owner, paused: Paused) {
        self.forget(&owner);
        if self.all.len() >= MOST {
            self.all.remove(0);
        }
        self.last += 1;
        self.all.push((self.last, owner, paused));
    }

    /// A client's run, which stays, and its number.
    pub(super) fn find(&self, owner: &Owner) -> Option<(u64, Paused)> {
        let mut all = self.all.iter();
        let (number, _, paused) = all.find(|(_, of, _)| of == owner)?;
        Some((*number, paused.clone()))
    }

    /// Takes the run with this number; returns whether it was still there.
    fn take(&mut self, number: u64) -> bool {
        let before = self.all.len();
        self.all.retain(|(other, ..)| *other != number);
        self.all.len() < before
    }

    /// A client's run is over.
    pub(super) fn forget(&mut self, owner: &Owner) {
        self.all.retain(|(_, of, _)| of != owner);
    }
}

/// A run that stopped, and where.
#[derive(Clone)]
pub(super) struct Paused {
    /// The recipe as its file had it.
    pub(super) file: Recipe,
    pub(super) recipe: Recipe,
    pub(super) values: Values,
    pub(super) secrets: Values,
    pub(super) tab: String,
    /// The step to go on with.
    pub(super) next: usize,
    /// The step whose element was doubtful, by its places in the lists of steps.
    pub(super) at: Vec<usize>,
    pub(super) steps: Vec<String>,
    pub(super) records: Vec<Value>,
    pub(super) healed: BTreeMap<Vec<usize>, Identity>,
    pub(super) rows_done: BTreeSet<String>,
    pub(super) unmet: bool,
}

/// The run that stopped; the element that the caller names takes the place of the one not found. It is still
/// there to be taken up until a step of it begins: until then this may fail, and its caller may go away.
pub(super) async fn resumed<'a>(
    keeper: &'a Arc<Keeper>,
    input: &RunInput,
    files: &Files<'_>,
    whole: Instant,
    progress: &'a (dyn Fn(Progress) + Send + Sync),
) -> Result<(Run<'a>, usize), Failure> {
    let found = keeper.recipes.paused().find(&owner(keeper, &input.name));
    let (number, paused) = found.ok_or_else(|| none(&input.name))?;
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
        allowed: AllowedSecrets::of(input),
        taken_up: Some(number),
        resumed: true,
        has_done: false,
        unmet: paused.unmet,
        seen: None,
        likely: None,
        acted: Acted::default(),
    };
    run.allowed.check(&run.recipe, &run.secrets)?;
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
            let failure = Failure::new(
                Code::NotFound,
                format!("`{wanted}` is not an element of the page that can be acted on"),
            );
            return Err(run.told(paused.next, failure));
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

fn none(name: &str) -> Failure {
    let message = format!("no run of `{name}` has stopped");
    Failure::new(Code::NotFound, message).hint("run it without `resume` and `ref`")
}

impl Run<'_> {
    /// Remembers where the run stopped.
    pub(super) fn pause(self, stopped: usize, failure: Failure) -> Failure {
        let owner = owner(self.keeper, &self.recipe.head.name);
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
        self.keeper.recipes.paused().keep(owner, paused);
        self.told(stopped, failure)
    }

    /// A step is about to do something: what it does must not be done a second time.
    ///
    /// # Errors
    /// `NOT_FOUND` if another call has taken the run up meanwhile.
    pub(super) fn begins(&mut self) -> Result<(), Failure> {
        match self.taken_up.take() {
            Some(number) if !self.keeper.recipes.paused().take(number) => {
                Err(none(&self.recipe.head.name))
            }
            _ => Ok(()),
        }
    }

    /// It came to its end, perhaps without a step that did something.
    pub(super) fn ended(&mut self) {
        if let Some(number) = self.taken_up.take() {
            self.keeper.recipes.paused().take(number);
        }
    }

    /// Whether a run that was taken up failed before its step did anything: it can be taken up again. One
    /// of which no step has begun has not been taken.
    pub(super) fn can_be_put_back(&self, failure: &Failure) -> bool {
        let nothing = !self.has_done && failure.effect == Done::None;
        self.resumed && nothing && self.taken_up.is_none() && self.own_step()
    }
}
