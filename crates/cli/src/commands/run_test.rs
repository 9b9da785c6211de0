//! `szk run-test` and `szk test`

use clap::builder::ValueHint;
use szk_tools::browser::RunTest;
use szk_tools::session::RunTestIn;

use crate::operation::{Table, Terminal};

impl Terminal for RunTest {
    fn table() -> Table {
        let table = Table::new(&[
            "szk run-test",
            "szk run-test tests/cart.spec.mjs -s shop --grep checkout --param user=ada",
        ]);
        which(table)
            .about("Run a project's Playwright tests on a session")
            .details(
                "Opens the profile in the background or joins it, and leaves it open. `szk init` writes \
                 the fixture through which tests join. Ctrl-C ends the tests and everything they \
                 started. Exits with 1 if a test fails.",
            )
            .positions(&["files"])
    }
}

impl Terminal for RunTestIn {
    // `szk run-test` belongs to `browser_run_test`.
    const COMMAND: Option<&'static str> = Some("test");

    fn table() -> Table {
        let table = Table::new(&[
            "szk test work",
            "szk test work tests/cart.spec.mjs --clone --url https://shop.example",
        ]);
        which(table)
            .about("Run Playwright tests on a profile or a clone of it, then close it")
            .details(
                "Opens the profile first, and closes it again if it was closed before. Ctrl-C ends the \
                 tests, and the session as `--then` says. Exits with 1 if a test fails.",
            )
            .positions(&["session", "files"])
            .value("then", "WHAT")
    }
}

/// What the types do not say about which tests, and how.
fn which(table: Table) -> Table {
    table
        .arg("files", |arg| arg.value_hint(ValueHint::FilePath))
        .arg("grep", |arg| arg.short('g').value_name("REGEX"))
        .value("project", "NAME")
        .arg("params", |arg| {
            let help =
                "Test parameter: `user=ada` sets TEST_USER in the environment; can be repeated";
            arg.long("param").value_name("NAME=VALUE").help(help)
        })
        .value("workers", "COUNT")
}
