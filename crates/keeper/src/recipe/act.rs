//! Carries out one step on a page.

use szk_page::snapshot::{Candidates, Element, Elements, KnownElement, is_control};
use szk_recipes::{Choice, Do, Identity, OtherButton, Point, Step, healed, moved};
use szk_runtime::session::Running;
use szk_runtime::supervisor::Tab;
use szk_tools::browser::{
    ActInput, ActKind, ActOutput, DialogAnswer, Extract, ExtractInput, MouseButton, NavigateInput,
};
use szk_tools::{Call, Code, Done, Failure, Response};
use szk_wire::Found;
use tokio::time::{Duration, Instant};

use super::look;
use super::outcome::Acted;
use super::patience::Patience;
use super::run::{Run, TO, step_after};
use crate::browser::{self, Known};
use crate::handle;
use crate::workflow::secret_of_name;

/// How often an element is looked for anew that was another one when it was to be acted on.
const AGAIN: u32 = 3;
/// How long an expectation may take to come true if it does not say so itself.
const COMES_TRUE: Duration = Duration::from_secs(10);

impl Run<'_> {
    /// Carries out a step that acts on the page. Answers how it went.
    pub(super) async fn act(
        &mut self,
        step: &Step,
        path: &[usize],
    ) -> Result<&'static str, Failure> {
        for _ in 0..AGAIN {
            match self.try_act(step, path).await {
                // It became something else before anything was done.
                Err(failure) if failure.code == Code::RefStale && failure.effect == Done::None => {}
                done => return done,
            }
        }
        self.try_act(step, path).await
    }

    async fn try_act(&mut self, step: &Step, path: &[usize]) -> Result<&'static str, Failure> {
        let (value, secret) = self.value(step).await?;
        self.acted = Acted::default();
        let mut input = ActInput {
            tab: Some(self.tab.clone()),
            kind: kind(step.act),
            x: step.point.map(|point| point.x),
            y: step.point.map(|point| point.y),
            dx: step.by.map(|by| by.x),
            dy: step.by.map(|by| by.y),
            button: step.button.map(button),
            modifiers: (!step.modifiers.is_empty()).then(|| step.modifiers.clone()),
            count: step.times,
            dialog: step.accept.map(|accept| match accept {
                true => DialogAnswer::Accept,
                false => DialogAnswer::Dismiss,
            }),
            deferred: true,
            ..ActInput::default()
        };
        let mut found = Known::default();
        if let Some(on) = &step.on {
            let mut wanted = look::filled(on, &self.values)?;
            if let Some(row) = &self.row {
                wanted.row.clone_from(row);
            }
            let (known, element) = self.find(step, &wanted, step.point.is_some()).await?;
            self.has_point(step, &element, step.point).await?;
            self.acts_on(step, &known.reference, &wanted).await;
            if secret && !known.identity.frame.is_empty() {
                return Err(Failure::new(
                    Code::PolicyDenied,
                    "a secret goes only into fields of the page itself, and this one is in a frame",
                ));
            }
            if let Some(now) = self.now(on, &wanted, &known.identity) {
                self.healed.insert(path.to_vec(), now);
            }
            if step.act == Do::Fill && !secret && !value.is_empty() && known.value == value {
                return Ok("holds it already");
            }
            input.r#ref = Some(known.reference);
            found.on = Some(browser::KnownElement {
                element,
                identity: known.identity,
            });
        }
        if let Some(to) = &step.to {
            let wanted = look::filled(to, &self.values)?;
            self.end(true);
            let (known, element) = self.find(step, &wanted, true).await?;
            self.end(false);
            if moved(&wanted, &known.identity) {
                let end = path.iter().copied().chain([TO]).collect();
                self.healed.insert(end, healed(to, &known.identity));
            }
            self.has_point(step, &element, step.to_point).await?;
            input.to = Some(known.reference);
            found.to = Some(element);
            found.to_point = step.to_point.map(|point| (point.x, point.y));
        }
        match step.act {
            Do::Fill | Do::Type => input.text = Some(value.clone()),
            // One option a line.
            Do::Select => input.values = Some(value.lines().map(str::to_owned).collect()),
            Do::Press => input.key = Some(value.clone()),
            Do::Upload => input.paths = Some(vec![value.clone().into()]),
            _ => {}
        }
        self.keeper.recipes.found(&self.tab, &input, found);
        let response = self.call(Call::BrowserAct(input)).await?;
        self.has_acted(step);
        let output: ActOutput = serde_json::from_value(response.data)
            .map_err(|error| Failure::internal(error.to_string()))?;
        let holds = step
            .expect
            .as_ref()
            .is_some_and(|expect| expect.value == Some(true));
        // `select` fails by itself if the list does not take the option, and answers with labels even if values were given.
        let reads = step.act != Do::Select && !secret;
        if holds && reads && output.value.as_deref() != Some(value.as_str()) {
            return Err(self.unmet(step, "the field holds something else"));
        }
        Ok("done")
    }

    /// Refuses a point of an element that has another size than it had: something else would be there.
    async fn has_point(
        &self,
        step: &Step,
        element: &Element,
        point: Option<Point>,
    ) -> Result<(), Failure> {
        let Some(point) = point else {
            return Ok(());
        };
        let (running, tab) = self.keeper.tab(Some(&self.tab)).await?;
        let (width, height) = browser::size(self.keeper, &running, &tab, element).await?;
        if point.fits(width, height) {
            return Ok(());
        }
        let (words, was) = (step.words(), format!("{}x{}", point.width, point.height));
        let message =
            format!("`{words}`: the element it points into was {was} and is now {width}x{height}");
        Err(Failure::new(Code::RecipeStale, message).hint(
            "restore the page's size with `browser_act`, kind resize, or redo the step and save the recipe again",
        ))
    }

    /// The element as the page has it now, if it has moved. What is in one of many rows is of no one's place.
    fn now(&self, on: &Identity, wanted: &Identity, found: &Identity) -> Option<Identity> {
        let mut found = found.clone();
        if self.row.is_some() {
            found.row.clone_from(&wanted.row);
            found.css.clone_from(&wanted.css);
            (found.nth, found.of) = (on.nth, on.of);
        }
        let mut now = moved(wanted, &found).then(|| healed(on, &found))?;
        if self.row.is_some() {
            now.row.clone_from(&on.row);
            now.css.clone_from(&on.css);
        }
        Some(now)
    }

    /// Goes to the address of a step.
    pub(super) async fn navigate(&mut self, step: &Step) -> Result<(), Failure> {
        let (value, _) = self.value(step).await?;
        let site = &self.recipe.head.site;
        let url = match value.starts_with('/') {
            true => format!("{site}{value}"),
            false => value,
        };
        self.stays_on_site(&url)?;
        let input = NavigateInput {
            tab: Some(self.tab.clone()),
            url: Some(url),
            ..NavigateInput::default()
        };
        self.call(Call::BrowserNavigate(input)).await.map(drop)
    }

    /// Reads records.
    pub(super) async fn extract(&mut self, step: &Step) -> Result<(), Failure> {
        let fields = step.schema.clone().unwrap_or_default();
        let fields = fields
            .into_iter()
            .map(|(name, kind)| (name, serde_json::json!({"type": kind})));
        let fields: serde_json::Map<_, _> = fields.collect();
        let input = ExtractInput {
            tab: Some(self.tab.clone()),
            schema: Some(serde_json::json!({"properties": fields})),
            ..ExtractInput::default()
        };
        let response = self.call(Call::BrowserExtract(input)).await?;
        let output = response.read::<Extract>()?;
        self.records.extend(output.entries.unwrap_or_default());
        Ok(())
    }

    /// Calls an operation as the run's client would, with its policy and its approval.
    async fn call(&self, call: Call) -> Result<Response, Failure> {
        Box::pin(handle::call(
            &self.keeper.for_steps(),
            call,
            Found::Open,
            self.progress,
        ))
        .await
    }

    /// The value of a step, and whether it is a secret.
    async fn value(&self, step: &Step) -> Result<(String, bool), Failure> {
        let template = step.value.as_deref().unwrap_or_default();
        let names = szk_recipes::names(template).map_err(|error| look::unknown(&error))?;
        let secret = names.iter().find_map(|name| self.secrets.get(*name));
        let Some(secret) = secret else {
            let value = szk_recipes::fill(template, &self.values);
            return Ok((value.map_err(|error| look::unknown(&error))?, false));
        };
        let bound = secret_of_name(self.keeper, secret).await?;
        let value = bound.for_origin(&self.recipe.head.site)?;
        Ok((value.to_owned(), true))
    }

    /// The element that a step means. Waits a little for it to appear; longer while the page still changes,
    /// as it does while an application starts.
    async fn find(
        &mut self,
        step: &Step,
        wanted: &Identity,
        place: bool,
    ) -> Result<(KnownElement, Element), Failure> {
        // Controls are found at a quick look; before it is said that there is none, at a thorough one.
        let mut quick = !place && is_control(&wanted.role);
        let mut seen = self.seen.take().filter(|_| quick);
        let likely = self.likely.take();
        let mut patience = Patience::new(Instant::now());
        let mut looks = 0;
        loop {
            let (running, tab) = self.keeper.tab(Some(&self.tab)).await?;
            self.on_site(&tab.page.url)?;
            let known = seen.take();
            let fresh = known.is_none();
            let asked = match place {
                true => Candidates::Place(wanted),
                false if quick => Candidates::Controls,
                false => Candidates::Working,
            };
            let page = match known {
                Some(page) => page,
                None => look::read_for(self.keeper, &running, &tab, asked, likely.as_ref()).await?,
            };
            let candidates = match look::choose(wanted, &page) {
                Choice::Found(at) => {
                    let known = page.all[at].clone();
                    match look::element(self.keeper, &running, &tab, &known).await {
                        Some(element) => {
                            self.likely = self.next_in(&page, &running, &tab).await;
                            return Ok((known, element));
                        }
                        None => Vec::new(),
                    }
                }
                _ if !fresh => continue,
                _ if std::mem::take(&mut quick) => continue,
                Choice::Doubtful(doubtful) => look::candidates(&page, &doubtful),
                Choice::Nothing => Vec::new(),
            };
            patience.saw(page, Instant::now());
            let until = patience.ends(!candidates.is_empty());
            if Instant::now() >= until.min(self.whole) {
                return Err(stale(step, &candidates));
            }
            look::change(self.keeper, &running, &tab, looks).await;
            looks += 1;
        }
    }

    /// What the next step is meant for, if this page shows it already.
    async fn next_in(&self, page: &Elements, running: &Running, tab: &Tab) -> Option<Element> {
        // In the next row it is another one.
        let next = step_after(&self.recipe.steps, &self.at).filter(|_| self.row.is_none())?;
        let wanted = look::filled(next.on.as_ref()?, &self.values).ok()?;
        let Choice::Found(at) = look::choose(&wanted, page) else {
            return None;
        };
        look::element(self.keeper, running, tab, &page.all[at]).await
    }

    /// Waits until what a step should lead to is so.
    pub(super) async fn expect(&mut self, step: &Step) -> Result<(), Failure> {
        let Some(expect) = &step.expect else {
            return Ok(());
        };
        let expect = look::condition(expect, &self.values)?;
        let seconds = expect
            .seconds
            .map(|seconds| Duration::from_secs(seconds.into()));
        let until = (Instant::now() + seconds.unwrap_or(COMES_TRUE)).min(self.whole);
        for looks in 0.. {
            let mut seen = None;
            let met = match look::unmet_in(self.keeper, &self.tab, &expect, &mut seen).await {
                Ok(None) => self.undone(&expect).await,
                other => other,
            };
            let why = match met {
                // A page that is new may still be building itself.
                Ok(None) => {
                    self.seen = seen.filter(|_| expect.navigates.is_none());
                    return Ok(());
                }
                Ok(Some(why)) => why,
                // The page is on its way.
                Err(failure) if failure.retryable => failure.message,
                Err(failure) => return Err(failure),
            };
            if Instant::now() >= until {
                return Err(self.unmet(step, &why));
            }
            let (running, tab) = self.keeper.tab(Some(&self.tab)).await?;
            look::change(self.keeper, &running, &tab, looks).await;
        }
        Ok(())
    }

    /// Refuses a step that would go to another site.
    fn stays_on_site(&self, url: &str) -> Result<(), Failure> {
        let (name, site) = (&self.recipe.head.name, &self.recipe.head.site);
        if szk_recipes::origin(url).as_deref() == Some(site) {
            return Ok(());
        }
        Err(Failure::invalid(format!(
            "the recipe `{name}` is for {site}, and this step would go to {}",
            browser::shown(url)
        ))
        .hint(format!(
            "give the step an address of {site}; what is done elsewhere is a recipe of its own"
        )))
    }

    /// Refuses a page of another site.
    pub(super) fn on_site(&self, url: &str) -> Result<(), Failure> {
        let site = &self.recipe.head.site;
        if szk_recipes::origin(url).as_deref() == Some(site) {
            return Ok(());
        }
        let at = browser::shown(url);
        Err(Failure::invalid(format!(
            "`{}` runs only at {site}, and the page is at {at}",
            self.recipe.head.name
        ))
        .hint("go to the recipe's site first, or run it in another tab"))
    }

    fn unmet(&self, step: &Step, why: &str) -> Failure {
        let message = format!("`{}` was done, but {why}", step.words());
        Failure::new(Code::RecipeStale, message)
            .hint("look at the page with `browser_snapshot`; `recipe_run` with `resume` continues after this step")
            .effect(Done::Done)
    }
}

fn stale(step: &Step, candidates: &[String]) -> Failure {
    let words = step.words();
    match candidates.is_empty() {
        true => Failure::new(
            Code::RecipeStale,
            format!("`{words}`: nothing on the page matches its element"),
        )
        .hint("look at the page with `browser_snapshot`, and call `recipe_run` again with the `ref` of the element"),
        false => Failure::new(
            Code::RecipeStale,
            format!("`{words}`: no element is a certain match; candidates: {}", candidates.join(", ")),
        )
        .hint("call `recipe_run` again with the `ref` of the right one"),
    }
}

fn button(button: OtherButton) -> MouseButton {
    match button {
        OtherButton::Middle => MouseButton::Middle,
        OtherButton::Right => MouseButton::Right,
    }
}

fn kind(act: Do) -> ActKind {
    match act {
        Do::Fill => ActKind::Fill,
        Do::Type => ActKind::Type,
        Do::Select => ActKind::Select,
        Do::Press => ActKind::Press,
        Do::Check => ActKind::Check,
        Do::Uncheck => ActKind::Uncheck,
        Do::Hover => ActKind::Hover,
        Do::Drag => ActKind::Drag,
        Do::Upload => ActKind::Upload,
        _ => ActKind::Click,
    }
}
