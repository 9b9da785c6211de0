//! `recipe_run`.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::{BoxFuture, FutureExt};
use serde_json::Value;
use szk_page::snapshot::{Element, Elements};
use szk_recipes::{Do, Identity, Kind, Recipe, Step, Values};
use szk_tools::recipe::{Run as Operation, RunInput, RunOutput};
use szk_tools::{Code, Done, Failure, Progress, Response};
use tokio::time::Instant;

use super::files::Files;
use super::look;
use super::outcome::{Acted, left_open};
use super::resume::{owner, resumed};
use super::secrets::{self, AllowedSecrets};
use crate::context::Keeper;

/// What is left of a call's time for its answer.
const ANSWER: Duration = Duration::from_millis(500);

/// Ends the place of a step where the second end of a drag is meant.
pub(super) const TO: usize = usize::MAX;

/// A run.
pub(super) struct Run<'a> {
    pub(super) keeper: &'a Arc<Keeper>,
    pub(super) progress: &'a (dyn Fn(Progress) + Send + Sync),
    /// The recipe as its file has it.
    pub(super) file: Recipe,
    pub(super) recipe: Recipe,
    pub(super) values: Values,
    /// Names of secrets, by parameter.
    pub(super) secrets: Values,
    pub(super) tab: String,
    pub(super) records: Vec<Value>,
    /// Elements as the page has them now, by the places of their steps.
    pub(super) healed: BTreeMap<Vec<usize>, Identity>,
    /// The row that an `each` is at.
    pub(super) row: Option<String>,
    /// When the call's time is up.
    pub(super) whole: Instant,
    pub(super) steps: Vec<String>,
    pub(super) rows_done: BTreeSet<String>,
    /// The step that is being carried out.
    pub(super) at: Vec<usize>,
    pub(super) depth: usize,
    /// Which secrets the caller may have filled in.
    pub(super) allowed: AllowedSecrets,
    /// The run that stopped and goes on, until a step of it begins.
    pub(super) taken_up: Option<u64>,
    /// Whether it goes on where one stopped.
    pub(super) resumed: bool,
    /// Whether the step that is being carried out has done something.
    pub(super) has_done: bool,
    /// An expectation was not met, and the caller went on all the same.
    pub(super) unmet: bool,
    /// The controls of the page as it met the expectation of the step before, for the next one to find its
    /// element in: a look of its own would come at once, and costs a third of a step.
    pub(super) seen: Option<Elements>,
    /// The element that the next step probably means, as the page showed it to the step before.
    pub(super) likely: Option<Element>,
    /// What is known of the last act.
    pub(super) acted: Acted,
}

pub(crate) async fn run(
    keeper: &Arc<Keeper>,
    input: &RunInput,
    budget: Duration,
    progress: &(dyn Fn(Progress) + Send + Sync),
) -> Result<Response, Failure> {
    let whole = Instant::now() + budget.saturating_sub(ANSWER);
    let files = Files::of(keeper, input.dir.as_deref());
    let (run, first) = match input.resume == Some(true) || input.r#ref.is_some() {
        true => resumed(keeper, input, &files, whole, progress).await?,
        false => {
            let run = begun(keeper, input, &files, whole, progress).await?;
            // One that stopped before is over.
            keeper.recipes.paused().forget(&owner(keeper, &input.name));
            (run, 0)
        }
    };
    let run = go(run, first, &files, true).await?;
    answer(run, &files)
}

/// Runs a recipe for another operation: what was done, and what it read.
pub(crate) async fn run_to_end(
    keeper: &Arc<Keeper>,
    input: &RunInput,
    budget: Duration,
    progress: &(dyn Fn(Progress) + Send + Sync),
) -> Result<RunOutput, Failure> {
    let response = run(keeper, input, budget, progress).await?;
    response.read::<Operation>()
}

/// Runs a recipe in a tab of its own, beside other runs of it: its file stays as it is. With `there`, the
/// tab is where the recipe begins.
pub(crate) async fn run_apart(
    keeper: &Arc<Keeper>,
    input: &RunInput,
    budget: Duration,
    there: bool,
) -> Result<RunOutput, Failure> {
    let whole = Instant::now() + budget.saturating_sub(ANSWER);
    let files = Files::of(keeper, input.dir.as_deref());
    let run = begun(keeper, input, &files, whole, &|_| {}).await?;
    let goes = run.recipe.steps.first().map(|step| step.act) == Some(Do::Navigate);
    let run = go(run, usize::from(there && goes), &files, false).await?;
    Ok(output(run, None))
}

/// Whether a recipe may run for those that collect: it must read something.
pub(crate) fn reads(
    keeper: &Keeper,
    name: &str,
    dir: Option<&Path>,
    no_secrets: bool,
) -> Result<(), Failure> {
    fn extracts(steps: &[Step]) -> bool {
        let mut steps = steps.iter();
        steps.any(|step| matches!(step.act, Do::Extract | Do::Use) || extracts(&step.steps))
    }
    let (_, recipe) = Files::of(keeper, dir).load(name)?;
    if no_secrets {
        secrets::without(&recipe)?;
    }
    match extracts(&recipe.steps) {
        true => Ok(()),
        false => Err(
            Failure::invalid(format!("the recipe `{name}` reads nothing"))
                .hint("add a step with `do = \"extract\"` and a `schema`"),
        ),
    }
}

/// Carries out the steps from one on. A run that stops is remembered if it can be taken up again.
async fn go<'a>(
    mut run: Run<'a>,
    first: usize,
    files: &Files<'_>,
    resumes: bool,
) -> Result<Run<'a>, Failure> {
    let total = run.recipe.steps.len();
    let steps = run.recipe.steps.clone();
    let mut next = first;
    while next < total {
        (run.progress)(Progress {
            message: steps[next].words(),
            done: u32::try_from(next).unwrap_or(u32::MAX),
            total: u32::try_from(total).unwrap_or(u32::MAX),
        });
        let before = run.steps.len();
        run.has_done = false;
        match run.step(&steps[next], vec![next], files).await {
            Ok(()) => next += 1,
            Err(failure) if failure.code == Code::RecipeStale => {
                if let Some(later) = run.ahead(&steps, next).await? {
                    run.steps.truncate(before);
                    for step in &steps[next..=later] {
                        run.steps.push(format!("{}: not needed", step.words()));
                    }
                    next = later + 1;
                    continue;
                }
                // Where another recipe stopped is not a place of this one.
                return Err(match run.own_step() {
                    _ if !resumes => {
                        run.told(next, failure.hint("run it by itself there, which heals it"))
                    }
                    true => run.pause(next, failure),
                    false => run.told(
                        next,
                        failure.hint("run the recipe it uses by itself, which heals it"),
                    ),
                });
            }
            // Nothing was done since it was taken up: that was no step.
            Err(failure) if run.can_be_put_back(&failure) => return Err(run.pause(next, failure)),
            Err(failure) => return Err(run.told(next, failure)),
        }
    }
    run.ended();
    Ok(run)
}

async fn begun<'a>(
    keeper: &'a Arc<Keeper>,
    input: &RunInput,
    files: &Files<'_>,
    whole: Instant,
    progress: &'a (dyn Fn(Progress) + Send + Sync),
) -> Result<Run<'a>, Failure> {
    let (_, recipe) = files.load(&input.name)?;
    let (values, secrets) = values(&recipe, input.params.clone().unwrap_or_default())?;
    let allowed = AllowedSecrets::of(input);
    allowed.check(&recipe, &secrets)?;
    let (_, tab) = keeper.tab(input.tab.as_deref()).await?;
    Ok(Run {
        keeper,
        progress,
        file: recipe.clone(),
        recipe,
        values,
        secrets,
        tab: tab.id,
        records: Vec::new(),
        healed: BTreeMap::new(),
        row: None,
        whole,
        steps: Vec::new(),
        rows_done: BTreeSet::new(),
        at: Vec::new(),
        depth: 0,
        allowed,
        taken_up: None,
        resumed: false,
        has_done: false,
        unmet: false,
        seen: None,
        likely: None,
        acted: Acted::default(),
    })
}

/// The step after the one at this place, in the same list.
pub(super) fn step_after<'s>(steps: &'s [Step], path: &[usize]) -> Option<&'s Step> {
    match path {
        [last] => steps.get(last.checked_add(1)?),
        [first, rest @ ..] => step_after(&steps.get(*first)?.steps, rest),
        [] => None,
    }
}

fn step_at<'s>(steps: &'s mut [Step], path: &[usize]) -> Option<&'s mut Step> {
    let (first, rest) = path.split_first()?;
    let step = steps.get_mut(*first)?;
    match rest.is_empty() {
        true => Some(step),
        false => step_at(&mut step.steps, rest),
    }
}

/// The element of a step, or the other end of a drag.
pub(super) fn end_at<'s>(
    steps: &'s mut [Step],
    path: &[usize],
) -> Option<&'s mut Option<Identity>> {
    match path.strip_suffix(&[TO]) {
        Some(path) => Some(&mut step_at(steps, path)?.to),
        None => Some(&mut step_at(steps, path)?.on),
    }
}

/// Values by parameter, and apart from them the names of secrets.
pub(super) fn values(recipe: &Recipe, given: Values) -> Result<(Values, Values), Failure> {
    let known = || recipe.params.keys().cloned().collect::<Vec<_>>().join(", ");
    let takes = || match recipe.params.is_empty() {
        true => "it takes none".to_owned(),
        false => format!("its parameters: {}", known()),
    };
    if let Some(name) = given.keys().find(|name| !recipe.params.contains_key(*name)) {
        return Err(
            Failure::invalid(format!("`{}` has no parameter `{name}`", recipe.head.name))
                .hint(takes()),
        );
    }
    let (mut values, mut secrets) = (Values::new(), Values::new());
    for (name, param) in &recipe.params {
        let value = given.get(name).or(param.default.as_ref()).ok_or_else(|| {
            Failure::invalid(format!("the parameter `{name}` is missing"))
                .hint(format!("give `params`: {}", known()))
        })?;
        if param.kind == Kind::Number && value.trim().parse::<f64>().is_err() {
            return Err(Failure::invalid(format!("`{name}` is a number")));
        }
        match param.kind {
            Kind::Secret => secrets.insert(name.clone(), value.clone()),
            Kind::String | Kind::Number => values.insert(name.clone(), value.clone()),
        };
    }
    Ok((values, secrets))
}

impl Run<'_> {
    pub(super) fn step<'s>(
        &'s mut self,
        step: &'s Step,
        path: Vec<usize>,
        files: &'s Files<'_>,
    ) -> BoxFuture<'s, Result<(), Failure>> {
        async move {
            self.at.clone_from(&path);
            if step.on.is_none() || step.when.is_some() {
                self.seen = None;
            }
            if let Some(when) = &step.when {
                let when = look::condition(when, &self.values)?;
                if let Some(why) = look::unmet(self.keeper, &self.tab, &when).await? {
                    self.steps
                        .push(format!("{}: left out, {why}", step.words()));
                    return Ok(());
                }
            }
            let how = match step.act {
                Do::Navigate => self.navigate(step).await.map(|()| "done")?,
                Do::Wait => "done",
                Do::Extract => self.extract(step).await.map(|()| "done")?,
                Do::Repeat => self.repeat(step, &path, files).await.map(|()| "done")?,
                Do::Each => self.each(step, &path, files).await.map(|()| "done")?,
                Do::Use => self.call_recipe(step, files).await.map(|()| "done")?,
                _ => self.act(step, &path).await?,
            };
            self.expect(step).await?;
            self.steps.push(format!("{}: {how}", step.words()));
            Ok(())
        }
        .boxed()
    }

    /// The later step that has led to where the page is already: those before it are not needed.
    async fn ahead(&self, steps: &[Step], from: usize) -> Result<Option<usize>, Failure> {
        let (_, tab) = self.keeper.tab(Some(&self.tab)).await?;
        let url = &tab.page.url;
        let Some(at) = &steps[from].at else {
            return Ok(None);
        };
        let at = szk_recipes::fill(at, &self.values).map_err(|error| look::unknown(&error))?;
        if szk_recipes::matches(&at, url) {
            return Ok(None);
        }
        for (index, step) in steps.iter().enumerate().skip(from) {
            let Some(expect) = &step.expect else { continue };
            let expect = look::condition(expect, &self.values)?;
            let led = expect
                .navigates
                .as_deref()
                .is_some_and(|path| szk_recipes::matches(path, url));
            if led
                && look::unmet(self.keeper, &self.tab, &expect)
                    .await?
                    .is_none()
            {
                return Ok(Some(index));
            }
        }
        Ok(None)
    }

    /// Says which end of a drag is looked for.
    pub(super) fn end(&mut self, second: bool) {
        if second {
            self.at.push(TO);
        } else {
            self.at.pop();
        }
    }

    /// Whether the step that is being carried out is of this recipe, not of one that it uses.
    pub(super) fn own_step(&self) -> bool {
        let mut steps = self.recipe.steps.clone();
        let at = self.at.strip_suffix(&[TO]).unwrap_or(&self.at);
        step_at(&mut steps, at).is_some_and(|step| step.act != Do::Use)
    }

    /// A failure with what was done before it.
    pub(super) fn told(&self, next: usize, mut failure: Failure) -> Failure {
        let done = self.steps.len();
        failure.message = format!(
            "step {}: {}; steps done before: {done}",
            next + 1,
            failure.message
        );
        if done > 0 && failure.effect == Done::None {
            failure.effect = Done::Done;
        }
        failure
    }
}

fn answer(run: Run<'_>, files: &Files<'_>) -> Result<Response, Failure> {
    let mut lines = vec![format!("ran `{}`", run.recipe.head.name)];
    lines.extend(run.steps.iter().cloned());
    let mut healed = None;
    if run.unmet && !run.healed.is_empty() {
        lines.push("what has healed is not kept: not every expectation was met".to_owned());
    } else if !run.healed.is_empty() {
        let mut recipe = run.recipe.clone();
        for (path, identity) in &run.healed {
            if let Some(end) = end_at(&mut recipe.steps, path) {
                *end = Some(identity.clone());
            }
        }
        recipe.head.revision += 1;
        let diff = files.revise(&recipe)?;
        lines.push(format!(
            "healed, as revision {}:\n{diff}",
            recipe.head.revision
        ));
        healed = Some(diff);
    }
    if !run.records.is_empty() {
        lines.push(Value::from(run.records.clone()).to_string());
    }
    let output = output(run, healed);
    Response::of::<Operation>(lines.join("\n"), &output)
}

fn output(run: Run<'_>, healed: Option<String>) -> RunOutput {
    RunOutput {
        dialogs: left_open(&run),
        session: run.keeper.session.name().to_string(),
        tab: run.tab,
        name: run.recipe.head.name,
        steps: run.steps,
        records: run.records,
        healed,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RECIPE: &str = r#"
[recipe]
name = "nested"
site = "http://a.test"

[[step]]
do = "click"
on = { role = "button", name = "one" }

[[step]]
do = "repeat"
until = { text = "done" }
most = 3

  [[step.steps]]
  do = "click"
  on = { role = "button", name = "in" }

  [[step.steps]]
  do = "click"
  on = { role = "button", name = "side" }
"#;

    #[test]
    fn the_step_after_one_is_in_the_same_list() {
        let recipe = szk_recipes::parse(RECIPE, "nested.toml").unwrap();
        let name = |path: &[usize]| {
            let step = step_after(&recipe.steps, path)?;
            Some(
                step.on
                    .as_ref()
                    .map(|on| on.name.clone())
                    .unwrap_or_default(),
            )
        };
        assert_eq!(name(&[0]).as_deref(), Some(""), "the repetition");
        assert_eq!(name(&[1]), None);
        assert_eq!(name(&[1, 0]).as_deref(), Some("side"));
        assert_eq!(name(&[1, 1]), None);
        // The other end of a drag has none.
        assert_eq!(name(&[0, TO]), None);
        assert_eq!(name(&[TO]), None);
        assert_eq!(name(&[]), None);
    }
}
