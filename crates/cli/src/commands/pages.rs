//! Commands that are one call of an operation on a page: only what its types do not say.

use clap::ArgGroup;
use szk_tools::browser::{Emulate, Extract, Find, Navigate, Pdf, RunFile, Snapshot, Tabs};

use super::run_code;
use crate::error::Outcome;
use crate::operation::{Form, Table, Terminal, Typed};
use crate::render::content::content;
use crate::render::spoken::Speech;

impl Terminal for Navigate {
    fn table() -> Table {
        Table::new(&[
            "szk navigate https://example.com",
            "szk navigate https://example.com --snapshot",
            "szk navigate --back -s work",
        ])
        .details("A page that fails to load is an error.")
        .positions(&["url"])
        .form(
            "history",
            Form::Flags(&[
                ("back", "back"),
                ("forward", "forward"),
                ("reload", "reload"),
            ]),
        )
        .help("back", "Go back in the tab's history")
        .help("forward", "Go forward")
        .help("reload", "Reload the page")
        .value("wait", "EVENT")
        .own(|command| {
            let places = ["url", "back", "forward", "reload"];
            command.group(ArgGroup::new("place").args(places).required(true))
        })
    }
}

impl Terminal for Snapshot {
    fn table() -> Table {
        Table::new(&[
            "szk snapshot",
            "szk snapshot --mode minimal",
            "szk snapshot --mode full --scope main",
            "szk snapshot --diff",
        ])
        .about("Read the page as text, with refs")
        .details(
            "One line per node of the accessibility tree. A ref such as e5 stays with its node.",
        )
        .help("mode", "What to list [default: interactive]")
        .value("depth", "LEVELS")
        .value("limit", "LINES")
    }
}

impl Terminal for Find {
    fn table() -> Table {
        Table::new(&[
            "szk find 'sign in'",
            "szk find --regex '[0-9]+ results' --scope main",
        ])
        .about("Find text on the page")
        .details("Prints each match with its ref and the elements around it.")
        .positions(&["text"])
        .value("limit", "MATCHES")
        .own(|command| command.group(ArgGroup::new("what").args(["text", "regex"]).required(true)))
    }
}

impl Terminal for Extract {
    fn table() -> Table {
        Table::new(&[
            "szk extract",
            "szk extract --form links --json",
            "szk extract --schema '{\"properties\": {\"title\": {\"type\": \"string\"}}}'",
        ])
        .about("Extract what the page shows")
        .details("Prints text as it is, and a list as one JSON object per line.")
        .arg("items", |arg| arg.requires("schema"))
        .value("limit", "ENTRIES")
    }

    async fn run(typed: Typed<Self>) -> Outcome {
        let output = typed.output().await?;
        typed.show(&output, |output| {
            content(
                output.content.as_deref(),
                output.entries.as_deref(),
                &output.notes,
                output.cursor.as_deref(),
                &Speech::running::<Self>(),
            )
        })
    }
}

impl Terminal for Pdf {
    fn table() -> Table {
        Table::new(&[
            "szk pdf --out page.pdf",
            "szk pdf --out page.pdf --paper a4 --margin 1cm",
        ])
        .about("Print the page to a PDF file")
        .details("Prints the name of the file.")
        .form("background", Form::No("no-background"))
        .help("background", "Leave out backgrounds")
        .value("margin", "LENGTH")
        .value("scale", "FACTOR")
    }

    async fn run(typed: Typed<Self>) -> Outcome {
        let output = typed.output().await?;
        typed.show(&output, |output| output.path.display().to_string())
    }
}

impl Terminal for Tabs {
    fn table() -> Table {
        let open = Table::new(&["szk tabs open https://example.com --label shop"])
            .about("Open a tab")
            .only(&["url", "label", "snapshot", "session", "timeout_ms"])
            .positions(&["url"]);
        let focus = Table::new(&["szk tabs focus t2", "szk tabs focus t2 --take"])
            .about("Bring a tab to the front")
            .only(&["tab", "take", "snapshot", "session", "timeout_ms"])
            .positions(&["tab"]);
        let close = Table::new(&["szk tabs close t2"])
            .about("Close a tab")
            .only(&["tab", "take", "session", "timeout_ms"])
            .positions(&["tab"]);
        let label = Table::new(&["szk tabs label t2 shop"])
            .about("Give a tab a name")
            .only(&["tab", "label", "session", "timeout_ms"])
            .positions(&["tab", "label"])
            .arg("tab", |arg| arg.required(true))
            .arg("label", |arg| arg.required(true));
        Table::new(&[
            "szk tabs",
            "szk tabs open https://example.com --label shop",
            "szk tabs close shop",
        ])
        .about("List, open, focus, close or label tabs")
        .details("Lists them if you give no action. A label works wherever a tab id does.")
        .only(&["session", "timeout_ms"])
        .action("action", "open", open)
        .action("action", "focus", focus)
        .action("action", "close", close)
        .action("action", "label", label)
        .own(|command| command.args_conflicts_with_subcommands(true))
    }
}

impl Terminal for Emulate {
    fn table() -> Table {
        Table::new(&[
            "szk emulate --color-scheme dark --viewport 1280x800",
            "szk emulate --permission geolocation=granted --geolocation 52.23,21.01",
            "szk emulate --reset",
        ])
        .about("Emulate another environment in a tab")
        .details(
            "Lasts until `--reset` or until the tab closes. Says what is changed, and what of it a page \
             can notice.",
        )
        .form("offline", Form::Switch)
        .form("headers", Form::Parted(':'))
        .help("offline", "Go offline; `--offline=false` goes back online")
        .value("viewport", "WIDTHxHEIGHT")
        .help("viewport", "Size of the page, by resizing the real window")
        .value("color_scheme", "SCHEME")
        .arg("geolocation", |arg| {
            arg.value_name("LAT,LONG[,ACCURACY]").allow_hyphen_values(true)
        })
        .arg("headers", |arg| {
            let help = "Extra request header; can be repeated, and replaces earlier ones";
            arg.long("header").value_name("NAME: VALUE").help(help)
        })
        .arg("permissions", |arg| {
            let help = "Permission for the page's origin; can be repeated";
            arg.long("permission").value_name("NAME=SETTING").help(help)
        })
    }
}

impl Terminal for RunFile {
    fn table() -> Table {
        Table::new(&[
            "szk run-file scrape.mjs --args '{\"pages\": 3}'",
            "szk run-file tools.py --export login -s work",
        ])
        .about("Run a function from a file with Playwright")
        .details(
            "The function gets `(page, args)`: the tab, and the value of `--args`. Prints its result: \
             text as it is, everything else as JSON; the file's own output goes to stderr. Uses the \
             project's own Playwright, joined to the session.",
        )
        .positions(&["path"])
        .value("export", "NAME")
        .help("args", "JSON to pass to the function")
    }

    async fn run(typed: Typed<Self>) -> Outcome {
        let mut response = typed.call().await?;
        run_code::made_whole(&mut response)?;
        run_code::told(&typed.context, &response.read::<Self>()?)
    }
}
