//! Declares what each operation does, in terms of `[policy]`; [`szk_config::Bounds`] decides whether it
//! may. The supervisor checks requests of pages, and the endpoint checks its clients.

use std::path::Path;

use szk_config::{Action, Bounds};
use szk_tools::browser::{RunTestInput, Runner, World};
use szk_tools::session::{RunTestInInput, StateAction};
use szk_tools::{Call, Failure};
use szk_wire::failure;

use crate::context::Keeper;

/// Checks that a call may run at all.
pub(crate) fn check(keeper: &Keeper, call: &Call) -> Result<(), Failure> {
    may(keeper.bounds(), actions(call))
}

/// Checks that a page may navigate to an address.
pub(crate) fn visit(bounds: &Bounds, url: &str) -> Result<(), Failure> {
    may(bounds, [Action::Visit(url)])
}

/// Checks that anything may be done in a page at this address.
pub(crate) fn work(bounds: &Bounds, url: &str) -> Result<(), Failure> {
    may(bounds, [Action::Work(url)])
}

fn may<'a>(bounds: &Bounds, actions: impl IntoIterator<Item = Action<'a>>) -> Result<(), Failure> {
    let mut actions = actions.into_iter();
    actions
        .try_for_each(|action| bounds.check(action))
        .map_err(|denied| failure::policy(&denied))
}

/// What a call does besides working in pages, which [`Keeper::tab`] and `navigate` check.
///
/// Names all operations one by one, so that adding one requires a decision. Each step of a batch comes
/// here too.
fn actions(call: &Call) -> Vec<Action<'_>> {
    match call {
        Call::BrowserRunCode(input) => {
            let mut actions = vec![match input.world {
                Some(World::Main) => Action::RunInPage,
                _ => Action::RunCode,
            }];
            if input.runner == Some(Runner::Playwright) {
                actions.push(Action::RunProgram);
            }
            actions.extend(input.dir.as_deref().map(Action::Read));
            actions
        }
        Call::BrowserRunFile(input) => vec![Action::RunProgram, Action::Read(&input.path)],
        Call::BrowserRunTest(RunTestInput { tests, .. })
        | Call::SessionRunTest(RunTestInInput { tests, .. }) => {
            let folder = tests.dir.as_deref().map(Action::Read);
            [Action::RunProgram].into_iter().chain(folder).collect()
        }
        Call::SessionState(input) => match input.action {
            StateAction::Export => [Action::Export]
                .into_iter()
                .chain(write(&input.path))
                .collect(),
            StateAction::Import => input
                .path
                .as_deref()
                .map(Action::Read)
                .into_iter()
                .collect(),
        },
        Call::BrowserSnapshot(input) => write(&input.path).collect(),
        Call::BrowserScreenshot(input) => write(&input.path).collect(),
        Call::WorkflowCrawl(input) => write(&input.path).collect(),
        Call::BrowserPdf(input) => write(&input.path).collect(),
        Call::BrowserLogs(input) => write(&input.path).collect(),
        Call::BrowserAct(input) => read(input.paths.iter().flatten()).collect(),
        Call::WorkflowFillForm(input) => {
            let paths = input.fields.iter().flat_map(|field| &field.paths);
            read(paths.flatten()).collect()
        }
        Call::BrowserArm(input) => {
            let files = read(input.paths.iter().flatten());
            write(&input.path).chain(files).collect()
        }
        // Options of opening are checked before the browser starts; an open session already has them, or
        // refuses to differ.
        Call::SessionOpen(_)
        | Call::SessionClose(_)
        | Call::SessionList(_)
        | Call::SessionDelete(_)
        | Call::SessionEndpoint(_)
        | Call::SessionHandoff(_)
        | Call::WorkflowLogin(_)
        | Call::WorkflowScrape(_)
        | Call::BrowserNavigate(_)
        | Call::BrowserFind(_)
        | Call::BrowserExtract(_)
        | Call::BrowserTabs(_)
        | Call::BrowserEmulate(_)
        | Call::BrowserBatch(_)
        // Each of its acts is a call of its own.
        | Call::AgentRun(_)
        // Their steps come here, too; their folders are asked for where they are used.
        | Call::RecipeList(_)
        | Call::RecipeShow(_)
        | Call::RecipeRecord(_)
        | Call::RecipeSave(_)
        | Call::RecipeRun(_)
        | Call::RecipeCheck(_)
        | Call::RecipeExport(_)
        | Call::RecipeDelete(_) => Vec::new(),
    }
}

fn write(path: &Option<std::path::PathBuf>) -> impl Iterator<Item = Action<'_>> {
    path.as_deref().map(Action::Write).into_iter()
}

fn read<'a, P: AsRef<Path> + 'a>(
    paths: impl Iterator<Item = &'a P>,
) -> impl Iterator<Item = Action<'a>> {
    paths.map(|path| Action::Read(path.as_ref()))
}

#[cfg(test)]
mod tests {
    use serde_json::Value;
    use szk_tools::specs;

    use super::*;

    /// Inputs that name local files.
    const FILES: [&str; 6] = ["path", "paths", "dir", "folder", "file", "out"];

    /// Every operation with the inputs that `[policy]` is about, and its resulting actions. Where pages
    /// navigate is checked when they do, and how a browser starts when it does.
    const TABLE: &[(&str, &str, &[Action<'_>])] = {
        use Action::{Export, RunCode, RunInPage, RunProgram};
        &[
            (
                "session_open",
                r#"{"url":"file:///f","extensions":["/f"],"raw_port":9222}"#,
                &[],
            ),
            ("session_close", r#"{}"#, &[]),
            ("session_list", r#"{}"#, &[]),
            ("session_delete", r#"{"session":"a"}"#, &[]),
            ("session_endpoint", r#"{}"#, &[]),
            ("session_state", r#"{"action":"export"}"#, &[Export]),
            (
                "session_state",
                r#"{"action":"export","path":"/f"}"#,
                &[Export, WRITE],
            ),
            (
                "session_state",
                r#"{"action":"import","path":"/f"}"#,
                &[READ],
            ),
            ("session_handoff", r#"{"reason":"a"}"#, &[]),
            ("workflow_login", r#"{"url":"file:///f"}"#, &[]),
            (
                "workflow_fill_form",
                r#"{"fields":[{"field":"a","paths":["/f"]}]}"#,
                &[READ],
            ),
            ("workflow_scrape", r#"{"urls":["file:///f"]}"#, &[]),
            ("workflow_crawl", r#"{"url":"a","path":"/f"}"#, &[WRITE]),
            ("session_run_test", r#"{"dir":"/f"}"#, &[RunProgram, READ]),
            ("browser_navigate", r#"{"url":"file:///f"}"#, &[]),
            ("browser_snapshot", r#"{"path":"/f"}"#, &[WRITE]),
            ("browser_find", r#"{"text":"a"}"#, &[]),
            ("browser_extract", r#"{}"#, &[]),
            (
                "browser_act",
                r#"{"kind":"upload","paths":["/f","/f"]}"#,
                &[READ, READ],
            ),
            ("browser_run_code", r#"{"code":"1"}"#, &[RunCode]),
            (
                "browser_run_code",
                r#"{"code":"1","world":"main"}"#,
                &[RunInPage],
            ),
            (
                "browser_run_code",
                r#"{"code":"1","runner":"playwright","dir":"/f"}"#,
                &[RunCode, RunProgram, READ],
            ),
            ("browser_run_file", r#"{"path":"/f"}"#, &[RunProgram, READ]),
            ("browser_run_test", r#"{"dir":"/f"}"#, &[RunProgram, READ]),
            ("browser_screenshot", r#"{"path":"/f"}"#, &[WRITE]),
            ("browser_pdf", r#"{"path":"/f"}"#, &[WRITE]),
            (
                "browser_tabs",
                r#"{"action":"open","url":"file:///f"}"#,
                &[],
            ),
            ("browser_emulate", r#"{}"#, &[]),
            ("browser_logs", r#"{"path":"/f"}"#, &[WRITE]),
            (
                "browser_arm",
                r#"{"event":"download","path":"/f"}"#,
                &[WRITE],
            ),
            (
                "browser_arm",
                r#"{"event":"chooser","paths":["/f"]}"#,
                &[READ],
            ),
            ("browser_batch", r#"{"steps":[]}"#, &[]),
            ("recipe_list", r#"{}"#, &[]),
            ("recipe_show", r#"{"name":"a"}"#, &[]),
            ("recipe_record", r#"{"action":"start"}"#, &[]),
            ("recipe_save", r#"{"name":"a"}"#, &[]),
            ("recipe_run", r#"{"name":"a"}"#, &[]),
            ("recipe_check", r#"{"name":"a"}"#, &[]),
            ("recipe_export", r#"{"name":"a"}"#, &[]),
            ("recipe_delete", r#"{"name":"a"}"#, &[]),
            ("agent_run", r#"{"task":"a"}"#, &[]),
        ]
    };

    // Not `Path::new`, which is not const.
    const READ: Action<'_> = Action::Visit("read /f");
    const WRITE: Action<'_> = Action::Visit("write /f");

    fn told(action: Action<'_>) -> Action<'_> {
        match action {
            Action::Read(path) if path == Path::new("/f") => READ,
            Action::Write(path) if path == Path::new("/f") => WRITE,
            other => other,
        }
    }

    #[test]
    fn every_operation_declares_its_actions() {
        for (name, input, expected) in TABLE {
            let call = Call::decode(name, serde_json::from_str(input).unwrap());
            let call = call.unwrap_or_else(|failure| panic!("{name} {input}: {failure:?}"));
            let found: Vec<_> = actions(&call).into_iter().map(told).collect();
            assert_eq!(&found, expected, "{name} {input}");
        }
        for spec in specs() {
            let rows: Vec<_> = TABLE
                .iter()
                .filter(|(name, ..)| *name == spec.name)
                .collect();
            assert!(!rows.is_empty(), "`{}` is not in the table", spec.name);
            for file in FILES.iter().filter(|file| has(&(spec.input)(), file)) {
                let word = format!("\"{file}\":");
                let covered = rows.iter().any(|(_, input, _)| input.contains(&word));
                assert!(covered, "`{file}` of `{}` is not in the table", spec.name);
            }
        }
    }

    /// Whether a schema, or one inside it, has a property.
    fn has(schema: &Value, property: &str) -> bool {
        match schema {
            Value::Object(fields) => {
                let own = fields.get("properties").and_then(Value::as_object);
                own.is_some_and(|own| own.contains_key(property))
                    || fields.values().any(|value| has(value, property))
            }
            Value::Array(items) => items.iter().any(|item| has(item, property)),
            _ => false,
        }
    }
}
