//! What a call does that a person may have to approve, in words for that person.

use std::path::PathBuf;

use szk_config::{Address, Leads, NeedsApproval};
use szk_tools::Call;
use szk_tools::browser::{RunTestInput, Runner};
use szk_tools::session::RunTestInInput;

use crate::browser::told;

/// Most characters of code that a person is shown.
const CODE: usize = 4000;

/// What a call does, and each in words.
///
/// Names all operations one by one, so that adding one requires a decision. Each step of a batch comes
/// here too.
pub(super) fn needs(call: &Call) -> Vec<(NeedsApproval, String)> {
    use NeedsApproval::{Code, Login};
    let one = |need, what: String| vec![(need, what)];
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
            let fields = input.fields.iter().flat_map(|field| &field.paths);
            upload(fields.flatten())
        }
        Call::BrowserArm(input) => upload(input.paths.iter().flatten()),
        Call::WorkflowLogin(input) => {
            let at = input.url.as_deref().map(told::address);
            let at = at.map_or_else(|| "on the page".to_owned(), |at| format!("at `{at}`"));
            let user = input.username.as_ref().or(input.username_secret.as_ref());
            let user = user.map(|user| format!(" as `{}`", szk_text::line(user, 100)));
            let user = user.unwrap_or_default();
            let secret = input.secret.as_ref();
            let secret = secret.map(|name| format!(" with secret `{}`", szk_text::line(name, 100)));
            let secret = secret.unwrap_or_default();
            let mut all = one(Login, format!("sign in {at}{user}{secret}"));
            all.extend(script(input.url.iter()));
            all
        }
        // Its secrets are filled in without a call of their own.
        Call::RecipeRun(input) => {
            let name = szk_text::line(&input.name, 100);
            one(Login, format!("run the recipe `{name}`, which may sign in"))
        }
        Call::BrowserNavigate(input) => script(input.url.iter()),
        Call::BrowserTabs(input) => script(input.url.iter()),
        Call::SessionOpen(input) => script(input.url.iter()),
        Call::WorkflowScrape(input) => script(input.urls.iter().flatten()),
        Call::SessionClose(_)
        | Call::SessionList(_)
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
        | Call::RecipeSave(_)
        | Call::RecipeCheck(_)
        | Call::RecipeExport(_)
        | Call::RecipeDelete(_) => Vec::new(),
    }
}

fn upload<'a>(files: impl Iterator<Item = &'a PathBuf>) -> Vec<(NeedsApproval, String)> {
    let files: Vec<_> = files.collect();
    match files.is_empty() {
        true => Vec::new(),
        false => {
            let what = format!("give the page {}", paths(files));
            vec![(NeedsApproval::Upload, what)]
        }
    }
}

/// Addresses that are code.
fn script<'a>(urls: impl Iterator<Item = &'a String>) -> Vec<(NeedsApproval, String)> {
    urls.filter(|url| Address::read(url).leads == Leads::Code)
        .map(|url| (NeedsApproval::Code, format!("run `{}`", shown(url))))
        .collect()
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
