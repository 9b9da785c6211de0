//! What a call does that a person may have to approve, in words for that person.

use std::path::PathBuf;

use szk_config::{Address, Bounds, Leads, NeedsApproval};
use szk_tools::Call;
use szk_tools::browser::{RunTestInput, Runner, TabsAction};
use szk_tools::session::{CloseInput, RunTestInInput};

use super::Step;
use crate::browser::{complete, page_text};

/// Most characters of code that a person is shown.
const CODE: usize = 4000;

impl Step {
    fn new(kind: NeedsApproval, what: String) -> Self {
        let to = None;
        Self { kind, what, to }
    }

    /// Going to another origin.
    pub(super) fn origin(to: &str) -> Self {
        Self {
            kind: NeedsApproval::Origin,
            what: format!("go to `{}`", page_text::address(to)),
            to: Some(to.to_owned()),
        }
    }
}

/// What a call does from a page at this address, and each in words.
///
/// Names all operations one by one, so that adding one requires a decision. Each step of a batch comes
/// here too.
pub(super) fn steps(call: &Call, from: &str, bounds: &Bounds) -> Vec<Step> {
    use NeedsApproval::{Close, Code, Login, Submit};
    let one = |kind, what: String| vec![Step::new(kind, what)];
    let going = |url: &Option<String>| going(url.iter(), from, bounds);
    match call {
        Call::BrowserRunCode(input) => {
            let what = match input.runner {
                Some(Runner::Playwright) => "run this program with Playwright",
                Some(Runner::Page) | None => "run this JavaScript",
            };
            let args = input.args.as_ref().map(|args| format!(" with {args}"));
            let code = shown(&format!("{}{}", input.code, args.unwrap_or_default()));
            one(Code, format!("{what}: `{code}`"))
        }
        Call::BrowserRunFile(input) => {
            one(Code, format!("run the program {}", paths([&input.path])))
        }
        Call::BrowserRunTest(RunTestInput { tests, .. })
        | Call::SessionRunTest(RunTestInInput { tests, .. }) => {
            one(Code, format!("run the tests in {}", paths(&tests.dir)))
        }
        Call::BrowserAct(input) => upload(input.paths.iter().flatten()),
        Call::WorkflowFillForm(input) => {
            let files = input.fields.iter().flat_map(|field| &field.paths);
            let mut all = upload(files.flatten());
            if input.submit == Some(true) || input.button.is_some() {
                let fields = input.fields.iter();
                let fields = fields.map(|one| format!("`{}`", szk_text::line(&one.field, 60)));
                let fields = fields.collect::<Vec<_>>().join(", ");
                all.push(Step::new(
                    Submit,
                    format!("fill {fields} and submit the form"),
                ));
            }
            all
        }
        Call::BrowserArm(input) => upload(input.paths.iter().flatten()),
        Call::WorkflowLogin(input) => {
            let at = input.url.as_deref().map(page_text::address);
            let at = at.map_or_else(|| "on the page".to_owned(), |at| format!("at `{at}`"));
            let user = input.username.as_ref().or(input.username_secret.as_ref());
            let user = user.map(|user| format!(" as `{}`", szk_text::line(user, 100)));
            let user = user.unwrap_or_default();
            let secret = input.secret.as_ref();
            let secret = secret.map(|name| format!(" with secret `{}`", szk_text::line(name, 100)));
            let secret = secret.unwrap_or_default();
            let recipe = input.recipe.as_ref();
            let recipe =
                recipe.map(|name| format!(" by the recipe `{}`", szk_text::line(name, 100)));
            let recipe = recipe.unwrap_or_default();
            let what = format!("sign in {at}{user}{secret}{recipe}");
            let mut all = one(Login, what.clone());
            all.push(Step::new(Submit, what));
            all.extend(going(&input.url));
            all
        }
        // Its secrets are filled in without a call of their own.
        Call::RecipeRun(input) => {
            let name = szk_text::line(&input.name, 100);
            one(Login, format!("run the recipe `{name}`, which may sign in"))
        }
        Call::BrowserNavigate(input) => going(&input.url),
        Call::BrowserTabs(input) if input.action == Some(TabsAction::Close) => {
            let tab = input.tab.as_deref().unwrap_or("its own");
            one(
                Close,
                format!("close the tab `{}`", szk_text::line(tab, 60)),
            )
        }
        Call::BrowserTabs(input) => going(&input.url),
        Call::SessionOpen(input) => going(&input.url),
        Call::WorkflowScrape(input) => {
            let urls = input.urls.iter().flatten();
            let mut all = self::going(urls, from, bounds);
            if let Some(name) = &input.recipe {
                let name = szk_text::line(name, 100);
                let what = format!("run the recipe `{name}` on many pages, which may sign in");
                all.extend(one(Login, what));
            }
            all
        }
        Call::WorkflowCrawl(input) => self::going(std::iter::once(&input.url), from, bounds),
        Call::SessionClose(input) => one(Close, closing(input)),
        // Deleting has no session: the client asks.
        Call::SessionList(_)
        | Call::SessionDelete(_)
        | Call::SessionEndpoint(_)
        | Call::SessionState(_)
        | Call::SessionHandoff(_)
        | Call::BrowserSnapshot(_)
        | Call::BrowserFind(_)
        | Call::BrowserExtract(_)
        | Call::BrowserScreenshot(_)
        | Call::BrowserPdf(_)
        | Call::BrowserEmulate(_)
        | Call::BrowserLogs(_)
        | Call::BrowserBatch(_)
        | Call::RecipeList(_)
        | Call::RecipeShow(_)
        | Call::RecipeRecord(_)
        | Call::RecipeSave(_)
        | Call::RecipeCheck(_)
        | Call::RecipeExport(_)
        | Call::RecipeDelete(_)
        | Call::AgentRun(_) => Vec::new(),
    }
}

fn closing(input: &CloseInput) -> String {
    let unsaved = match input.save {
        Some(false) => " without saving it",
        _ => "",
    };
    let kept = input
        .keep_as
        .as_ref()
        .map(|name| format!(" and keep it as `{}`", szk_text::line(name, 100)));
    format!("close the session{unsaved}{}", kept.unwrap_or_default())
}

fn upload<'a>(files: impl Iterator<Item = &'a PathBuf>) -> Vec<Step> {
    let files: Vec<_> = files.collect();
    match files.is_empty() {
        true => Vec::new(),
        false => {
            let what = format!("give the page {}", paths(files));
            vec![Step::new(NeedsApproval::Upload, what)]
        }
    }
}

/// Addresses: those that are code, and those of other origins.
fn going<'a>(urls: impl Iterator<Item = &'a String>, from: &str, bounds: &Bounds) -> Vec<Step> {
    let mut all = Vec::new();
    for url in urls {
        if Address::read(url).leads == Leads::Code {
            let what = format!("run `{}`", shown(url));
            all.push(Step::new(NeedsApproval::Code, what));
        } else if let Ok(url) = complete(url)
            && bounds.leaves(from, &url)
        {
            all.push(Step::origin(&url));
        }
    }
    all
}

fn paths<'a>(paths: impl IntoIterator<Item = &'a PathBuf>) -> String {
    let shown = paths
        .into_iter()
        .map(|path| format!("`{}`", szk_text::line(&path.display().to_string(), 400)));
    shown.collect::<Vec<_>>().join(", ")
}

/// The beginning of some code, and how much of it is not shown.
fn shown(code: &str) -> String {
    let more = code.chars().count().saturating_sub(CODE);
    let head: String = code.chars().take(CODE).collect();
    match more {
        0 => head,
        more => format!("{head}… ({more} more characters)"),
    }
}
