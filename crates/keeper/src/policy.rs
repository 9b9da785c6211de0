//! What each operation does, in the words of `[policy]`; [`szk_config::Bounds`] says whether it may.
//! Requests of pages are the supervisor's, and what clients of the endpoint do is the endpoint's.

use std::path::Path;

use szk_config::{Bounds, Deed};
use szk_tools::browser::{RunTestInput, Runner, World};
use szk_tools::session::{RunTestInInput, StateAction};
use szk_tools::{Call, Failure};
use szk_wire::failure;

use crate::context::Keeper;

/// Whether a call may be carried out at all.
pub(crate) fn check(keeper: &Keeper, call: &Call) -> Result<(), Failure> {
    may(keeper.bounds(), actions(call))
}

/// Whether a page may be sent to an address.
pub(crate) fn visit(bounds: &Bounds, url: &str) -> Result<(), Failure> {
    may(bounds, [Deed::Visit(url)])
}

/// Whether anything may be done in a page that is at an address.
pub(crate) fn work(bounds: &Bounds, url: &str) -> Result<(), Failure> {
    may(bounds, [Deed::Work(url)])
}

fn may<'a>(bounds: &Bounds, actions: impl IntoIterator<Item = Deed<'a>>) -> Result<(), Failure> {
    let mut actions = actions.into_iter();
    actions
        .try_for_each(|deed| bounds.check(deed))
        .map_err(|denied| failure::policy(&denied))
}

/// All that a call does beside working in pages, which [`Keeper::tab`] and `navigate` ask about.
///
/// Operations are named one by one, so that whoever adds one decides. Each step of a batch comes here.
fn actions(call: &Call) -> Vec<Deed<'_>> {
    match call {
        Call::BrowserRunCode(input) => {
            let mut actions = vec![match input.world {
                Some(World::Main) => Deed::RunInPage,
                _ => Deed::RunCode,
            }];
            if input.runner == Some(Runner::Playwright) {
                actions.push(Deed::RunProgram);
            }
            actions.extend(input.dir.as_deref().map(Deed::Read));
            actions
        }
        Call::BrowserRunFile(input) => vec![Deed::RunProgram, Deed::Read(&input.path)],
        Call::BrowserRunTest(RunTestInput { tests, .. })
        | Call::SessionRunTest(RunTestInInput { tests, .. }) => {
            let folder = tests.dir.as_deref().map(Deed::Read);
            [Deed::RunProgram].into_iter().chain(folder).collect()
        }
        Call::SessionState(input) => match input.action {
            StateAction::Export => [Deed::Export]
                .into_iter()
                .chain(write(&input.path))
                .collect(),
            StateAction::Import => input.path.as_deref().map(Deed::Read).into_iter().collect(),
        },
        Call::BrowserSnapshot(input) => write(&input.path).collect(),
        Call::BrowserScreenshot(input) => write(&input.path).collect(),
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
        // Options of opening are looked at before the browser starts; a session that is open has them, or
        // refuses to be another.
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
        | Call::BrowserBatch(_) => Vec::new(),
    }
}

fn write(path: &Option<std::path::PathBuf>) -> impl Iterator<Item = Deed<'_>> {
    path.as_deref().map(Deed::Write).into_iter()
}

fn read<'a, P: AsRef<Path> + 'a>(
    paths: impl Iterator<Item = &'a P>,
) -> impl Iterator<Item = Deed<'a>> {
    paths.map(|path| Deed::Read(path.as_ref()))
}

#[cfg(test)]
mod tests {
    use serde_json::Value;
    use szk_tools::specs;

    use super::*;

    /// Inputs that name files of this machine.
    const FILES: [&str; 6] = ["path", "paths", "dir", "folder", "file", "out"];

    /// Every operation, with the inputs that `[policy]` is about, and what it then does. Where pages go is
    /// asked about when they are sent there, and how a browser starts when it does.
    const TABLE: &[(&str, &str, &[Deed<'_>])] = {
        use Deed::{Export, RunCode, RunInPage, RunProgram};
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
        ]
    };

    // Not `Path::new`, which is no constant.
    const READ: Deed<'_> = Deed::Visit("read /f");
    const WRITE: Deed<'_> = Deed::Visit("write /f");

    fn told(deed: Deed<'_>) -> Deed<'_> {
        match deed {
            Deed::Read(path) if path == Path::new("/f") => READ,
            Deed::Write(path) if path == Path::new("/f") => WRITE,
            other => other,
        }
    }

    #[test]
    fn every_operation_says_what_it_does() {
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

    /// Whether a schema, or one in it, has a property.
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
