//! Handlers of `recipe_*`: what was done once, replayed.
//!
//! `record` records what is done, `files` finds and writes the files of recipes (`known` remembers which site each is for), `look` reads a page as recipes see it, `run` replays
//! a recipe step by step (`resume` goes on where one stopped), `act` carries out one of its steps (with as much `patience` as a page needs), `outcome`
//! looks at what it did to its element, and `control` carries out one that consists of others. `secrets` says what a run may fill in. The format and every decision are in
//! `szk_recipes`; every step is a call of the operation it stands for, with its policy and approval.

mod act;
mod control;
mod files;
mod known;
mod look;
mod outcome;
mod patience;
mod record;
mod resume;
mod run;
mod save;
mod secrets;
#[cfg(test)]
mod tests;

use std::collections::{BTreeSet, HashMap};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use szk_page::snapshot::{Candidates, Handle};
use szk_recipes::{Choice, Do, Identity, Kind, Param, Recipe, Step, Values};
use szk_runtime::session::Running;
use szk_runtime::supervisor::Tab;
use szk_tools::browser::ActInput;
use szk_tools::recipe::{
    Check, CheckInput, CheckOutput, CheckRow, Delete, DeleteInput, DeleteOutput, Export,
    ExportFormat, ExportInput, ExportOutput, List, ListInput, ListOutput, RecipeRow, Show,
    ShowInput, ShowOutput,
};
use szk_tools::{Failure, Response};

use crate::browser::Known;
use crate::context::Keeper;
use files::Files;
use known::KnownFiles;
use resume::PausedRuns;

pub(crate) use record::{Recorder, record};
pub(crate) use run::{reads, run, run_apart, run_to_end};
pub(crate) use save::{acted, save, since};

/// Most recipes to name in an answer.
const NAMED: usize = 5;

/// The refs that an act is given.
type Refs = (Option<String>, Option<String>);

fn refs(act: &ActInput) -> Refs {
    (act.r#ref.clone(), act.to.clone())
}

/// What a session knows of its recipes.
#[derive(Default)]
pub(crate) struct Recipes {
    // Std mutexes: nothing awaits under them.
    /// Runs that stopped.
    paused: Mutex<PausedRuns>,
    /// Which recipes there are for which site.
    known: KnownFiles,
    /// Projects whose recipes were asked for.
    projects: Mutex<BTreeSet<PathBuf>>,
    /// By tab, what a run has just found for its next act, with the refs that the act is given.
    found: Mutex<HashMap<String, (Refs, Known)>>,
    /// What is being recorded.
    pub(crate) recorder: Arc<Recorder>,
}

impl Recipes {
    /// Notes what a run has found, for the act that follows at once.
    fn found(&self, tab: &str, act: &ActInput, known: Known) {
        let mut found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
        found.insert(tab.to_owned(), (refs(act), known));
    }

    /// What a run has just found for this act; asked once.
    pub(crate) fn known(&self, tab: &str, act: &ActInput) -> Known {
        let mut found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
        let known = found.remove(tab).filter(|(its, _)| *its == refs(act));
        known.map(|(_, known)| known).unwrap_or_default()
    }

    /// Runs that stopped.
    fn paused(&self) -> MutexGuard<'_, PausedRuns> {
        self.paused.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The element of a page that a recipe would mean by this, among those that the page shows now.
pub(crate) async fn again(
    keeper: &Keeper,
    running: &Running,
    tab: &Tab,
    wanted: &Identity,
) -> Option<Handle> {
    look::again(keeper, running, tab, wanted).await
}

/// The recipes of a page's site, in one line for an answer; empty if there are none.
pub(crate) async fn named(keeper: &Keeper, url: &str) -> String {
    let Some(site) = szk_recipes::origin(url) else {
        return String::new();
    };
    let paths = Files::known(keeper).paths();
    let mut names = keeper.recipes.known.of_site(paths, &site).await;
    let more = names.len().saturating_sub(NAMED);
    names.truncate(NAMED);
    match (names.is_empty(), more) {
        (true, _) => String::new(),
        (_, 0) => format!(
            "\nrecipes of this site: {} (`recipe_run`)",
            names.join(", ")
        ),
        (_, more) => format!(
            "\nrecipes of this site: {} and {more} more (`recipe_list`)",
            names.join(", ")
        ),
    }
}

pub(crate) fn list(keeper: &Arc<Keeper>, input: &ListInput) -> Result<Response, Failure> {
    let (found, notes) = Files::of(keeper, input.dir.as_deref()).all();
    let recipes: Vec<RecipeRow> = found
        .into_iter()
        .map(|(path, recipe)| row(path, recipe))
        .collect();
    let mut lines: Vec<String> = recipes.iter().map(line).collect();
    if lines.is_empty() {
        lines.push("no recipes; make one of what was done with `recipe_save`".to_owned());
    }
    lines.extend(notes.iter().cloned());
    let output = ListOutput {
        session: keeper.session.name().to_string(),
        recipes,
        notes,
    };
    Response::of::<List>(lines.join("\n"), &output)
}

fn row(path: PathBuf, recipe: Recipe) -> RecipeRow {
    let named = |fits: &dyn Fn(&Param) -> bool| -> Vec<String> {
        let params = recipe.params.iter().filter(|(_, param)| fits(param));
        params.map(|(name, _)| name.clone()).collect()
    };
    RecipeRow {
        params: named(&|_| true),
        optional: named(&|param| param.default.is_some()),
        secrets: named(&|param| param.kind == Kind::Secret),
        checked: szk_recipes::ends_checked(&recipe),
        name: recipe.head.name,
        site: recipe.head.site,
        about: recipe.head.about,
        path,
    }
}

fn line(row: &RecipeRow) -> String {
    let params = match row.params.is_empty() {
        true => String::new(),
        false => format!(" ({})", row.params.join(", ")),
    };
    let about = match row.about.is_empty() {
        true => String::new(),
        false => format!(": {}", szk_text::line(&row.about, 200)),
    };
    format!("{}{params} at {}{about}", row.name, row.site)
}

pub(crate) fn show(keeper: &Arc<Keeper>, input: &ShowInput) -> Result<Response, Failure> {
    let (path, text) = Files::of(keeper, input.dir.as_deref()).text(&input.name)?;
    let output = ShowOutput {
        session: keeper.session.name().to_string(),
        name: input.name.clone(),
        path,
        text,
    };
    Response::of::<Show>(
        format!("{}\n{}", output.path.display(), output.text),
        &output,
    )
}

pub(crate) fn delete(keeper: &Arc<Keeper>, input: &DeleteInput) -> Result<Response, Failure> {
    let path = Files::of(keeper, input.dir.as_deref()).delete(&input.name)?;
    let output = DeleteOutput {
        session: keeper.session.name().to_string(),
        name: input.name.clone(),
        path,
    };
    Response::of::<Delete>(format!("deleted {}", output.path.display()), &output)
}

pub(crate) fn export(keeper: &Arc<Keeper>, input: &ExportInput) -> Result<Response, Failure> {
    let (_, recipe) = Files::of(keeper, input.dir.as_deref()).load(&input.name)?;
    let format = match input.format.unwrap_or_default() {
        ExportFormat::Typescript => szk_recipes::Format::Typescript,
        ExportFormat::Python => szk_recipes::Format::Python,
        ExportFormat::Batch => szk_recipes::Format::Batch,
    };
    let text = szk_recipes::export(&recipe, format).map_err(|step| {
        Failure::invalid(format!("the step `{step}` has no counterpart there"))
            .hint("leave it out of a copy of the recipe, and export that")
    })?;
    let output = ExportOutput {
        session: keeper.session.name().to_string(),
        name: input.name.clone(),
        text,
    };
    Response::of::<Export>(output.text.clone(), &output)
}

/// Steps with those in them, and whether they are done for each row.
fn all(steps: &[Step], of_rows: bool) -> Vec<(&Step, bool)> {
    let mut found = Vec::new();
    for step in steps {
        found.push((step, of_rows));
        found.extend(all(&step.steps, of_rows || step.act == Do::Each));
    }
    found
}

pub(crate) async fn check(keeper: &Arc<Keeper>, input: &CheckInput) -> Result<Response, Failure> {
    let (_, recipe) = Files::of(keeper, input.dir.as_deref()).load(&input.name)?;
    let mut values: Values = input.params.clone().unwrap_or_default();
    for (name, param) in &recipe.params {
        let default = param.default.clone().unwrap_or_default();
        values.entry(name.clone()).or_insert(default);
    }
    let (running, tab) = keeper.tab(input.tab.as_deref()).await?;
    let page = look::read(keeper, &running, &tab, Candidates::Working).await?;
    let mut elements = Vec::new();
    for (step, of_rows) in all(&recipe.steps, false) {
        let Some(on) = &step.on else { continue };
        let mut on = look::filled(on, &values)?;
        let mut row = CheckRow {
            step: step.words(),
            r#ref: None,
            candidates: Vec::new(),
        };
        let placed;
        let page = match step.point {
            // A drawing need not be a control.
            Some(_) => {
                placed = look::read(keeper, &running, &tab, Candidates::Place(&on)).await?;
                &placed
            }
            None => &page,
        };
        let choice = match of_rows {
            // Any row will do.
            true => control::in_rows(&mut on, page)
                .first()
                .map_or(Choice::Nothing, |at| Choice::Found(*at)),
            false => look::choose(&on, page),
        };
        match choice {
            Choice::Found(at) => row.r#ref = Some(page.all[at].reference.clone()),
            Choice::Doubtful(doubtful) => row.candidates = look::candidates(page, &doubtful),
            Choice::Nothing => {}
        }
        elements.push(row);
    }
    let said = |row: &CheckRow| match (&row.r#ref, row.candidates.is_empty()) {
        (Some(found), _) => format!("{}: {found}", row.step),
        (None, true) => format!("{}: not on this page", row.step),
        (None, false) => format!("{}: doubtful: {}", row.step, row.candidates.join(", ")),
    };
    let lines: Vec<String> = elements.iter().map(said).collect();
    let output = CheckOutput {
        session: keeper.session.name().to_string(),
        tab: tab.id,
        elements,
    };
    Response::of::<Check>(lines.join("\n"), &output)
}
