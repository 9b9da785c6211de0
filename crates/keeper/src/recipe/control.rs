//! Steps that consist of steps: repetitions, rows, other recipes.

use szk_page::snapshot::{Candidates, Elements, KnownElement};
use szk_recipes::{Identity, Step, score};
use szk_tools::{Code, Done, Failure};

use super::files::Files;
use super::look;
use super::run::{Run, values};

/// Most repetitions and rows, unless the recipe says otherwise.
const MOST: u32 = 20;
/// Recipes that call each other go no deeper than this.
const DEEPEST: usize = 5;

/// The elements in rows that an element stands for, whatever row it was recorded in.
pub(super) fn in_rows(on: &mut Identity, page: &Elements) -> Vec<usize> {
    (on.row, on.nth, on.of, on.css) = Default::default();
    let fits = |known: &KnownElement| {
        let mut identity = known.identity.clone();
        (identity.nth, identity.of) = (0, 0);
        !identity.row.is_empty() && score(on, &identity) >= 0.6
    };
    (0..page.all.len())
        .filter(|at| fits(&page.all[*at]))
        .collect()
}

impl Run<'_> {
    async fn inner(
        &mut self,
        step: &Step,
        path: &[usize],
        files: &Files<'_>,
    ) -> Result<(), Failure> {
        for (at, inner) in step.steps.iter().enumerate() {
            let path = path.iter().copied().chain([at]).collect();
            self.step(inner, path, files).await?;
        }
        Ok(())
    }

    pub(super) async fn repeat(
        &mut self,
        step: &Step,
        path: &[usize],
        files: &Files<'_>,
    ) -> Result<(), Failure> {
        let until = step.until.clone().unwrap_or_default();
        let until = look::condition(&until, &self.values)?;
        for _ in 0..step.most.unwrap_or(MOST) {
            if look::unmet(self.keeper, &self.tab, &until).await?.is_none() {
                return Ok(());
            }
            self.inner(step, path, files).await?;
        }
        match look::unmet(self.keeper, &self.tab, &until).await? {
            None => Ok(()),
            Some(why) => Err(Failure::new(
                Code::RecipeStale,
                format!("`{}` was repeated, but {why}", step.words()),
            )
            .effect(Done::Done)),
        }
    }

    pub(super) async fn each(
        &mut self,
        step: &Step,
        path: &[usize],
        files: &Files<'_>,
    ) -> Result<(), Failure> {
        let on = step.steps.iter().find_map(|inner| inner.on.clone());
        let mut on = look::filled(&on.unwrap_or_default(), &self.values)?;
        let (running, tab) = self.keeper.tab(Some(&self.tab)).await?;
        let page = look::read(self.keeper, &running, &tab, Candidates::Working).await?;
        let found = in_rows(&mut on, &page).into_iter();
        let rows: Vec<String> = found.map(|at| page.all[at].identity.row.clone()).collect();
        let most = step.most.unwrap_or(MOST) as usize;
        for row in rows.into_iter().take(most) {
            if self.rows_done.contains(&row) {
                continue;
            }
            self.row = Some(row.clone());
            let done = self.inner(step, path, files).await;
            self.row = None;
            done?;
            self.rows_done.insert(row);
        }
        Ok(())
    }

    pub(super) async fn call_recipe(
        &mut self,
        step: &Step,
        files: &Files<'_>,
    ) -> Result<(), Failure> {
        let name = step.value.as_deref().unwrap_or_default();
        let (_, other) = files.load(name)?;
        if other.head.site != self.recipe.head.site {
            return Err(Failure::invalid(format!(
                "`{name}` is a recipe of another site"
            )));
        }
        if self.depth >= DEEPEST {
            return Err(Failure::invalid(format!(
                "recipes call each other: `{name}`"
            )));
        }
        let given = self.values.iter().chain(&self.secrets);
        let given = given.filter(|(name, _)| other.params.contains_key(*name));
        let given = given
            .map(|(name, value)| (name.clone(), value.clone()))
            .collect();
        let (values, secrets) = values(&other, given)?;
        self.allowed.check(&other, &secrets)?;
        // What heals in it is healed when it is run by itself.
        let healed = self.healed.clone();
        let (before, hidden) = (
            std::mem::replace(&mut self.values, values),
            std::mem::replace(&mut self.secrets, secrets),
        );
        self.depth += 1;
        let path = self.at.clone();
        let mut done = Ok(());
        for inner in &other.steps {
            done = self.step(inner, path.clone(), files).await;
            if done.is_err() {
                break;
            }
        }
        self.depth -= 1;
        (self.values, self.secrets, self.healed) = (before, hidden, healed);
        done
    }
}
