//! `szk recipe …`

use clap::Arg;
use szk_tools::recipe::{Check, Delete, Export, List, Record, Run, Save, Show};

use crate::error::Outcome;
use crate::operation::{Table, Terminal, Typed};

impl Terminal for List {
    fn table() -> Table {
        Table::new(&["szk recipe list -s work"]).details(
            "Those in `recipes` of the working directory come before those of the profile.",
        )
    }
}

impl Terminal for Show {
    fn table() -> Table {
        Table::new(&["szk recipe show search-orders -s work"])
            .details("Prints the file.")
            .positions(&["name"])
    }

    async fn run(typed: Typed<Self>) -> Outcome {
        let output = typed.output().await?;
        typed.show(&output, |output| output.text.trim_end().to_owned())
    }
}

impl Terminal for Save {
    fn table() -> Table {
        Table::new(&["szk recipe save search-orders --about 'Finds an order' -s work"])
            .details(
                "Takes the acts in the tab since the last navigation by address. Goes into `recipes` of the \
                 working directory if there is such a folder, else into the profile.",
            )
            .positions(&["name"])
            .value("from", "ID")
            .value("to", "ID")
    }
}

impl Terminal for Record {
    fn table() -> Table {
        Table::new(&[
            "szk recipe record start search-orders -s work",
            "szk recipe record stop -s work",
        ])
        .details(
            "Records what every client does in the session, and what a person does in the window or the \
             live view. Never records passwords.",
        )
        .only(&[])
        .action("action", "start", start())
        .action("action", "stop", stop())
        .action("action", "cancel", cancel())
        .own(|command| {
            command
                .subcommand_required(true)
                .arg_required_else_help(true)
        })
    }
}

fn start() -> Table {
    Table::new(&["szk recipe record start search-orders --about 'Finds an order' -s work"])
        .about("Record from now on")
        .only(&["session", "name", "about"])
        .positions(&["name"])
}

fn stop() -> Table {
    Table::new(&["szk recipe record stop search-orders -s work"])
        .about("End the recording and save the recipe")
        .only(&["session", "name", "about"])
        .positions(&["name"])
}

fn cancel() -> Table {
    Table::new(&["szk recipe record cancel -s work"])
        .about("End the recording without a recipe")
        .only(&["session"])
}

impl Terminal for Run {
    fn table() -> Table {
        Table::new(&[
            "szk recipe run search-orders --param order=1001 -s work",
            "szk recipe run search-orders --ref e12 -s work",
        ])
        .details(
            "Acts only on elements that are meant for certain; stops with exit code 4 at one that is \
             doubtful.",
        )
        .positions(&["name"])
        .arg("params", param)
    }
}

impl Terminal for Check {
    fn table() -> Table {
        Table::new(&["szk recipe check search-orders -s work"])
            .details("Finds the elements of all steps on the page as it is, and touches nothing.")
            .positions(&["name"])
            .arg("params", param)
    }
}

/// One parameter at a time, as other commands take them.
pub(super) fn param(arg: Arg) -> Arg {
    arg.long("param")
        .alias("params")
        .value_name("NAME=VALUE")
        .help("Value of a parameter, or the name of a secret; can be repeated")
}

impl Terminal for Export {
    fn table() -> Table {
        Table::new(&["szk recipe export search-orders --format python -s work"])
            .details("Prints it. Parameters are `TEST_…` in the environment.")
            .positions(&["name"])
    }

    async fn run(typed: Typed<Self>) -> Outcome {
        let output = typed.output().await?;
        typed.show(&output, |output| output.text.trim_end().to_owned())
    }
}

impl Terminal for Delete {
    fn table() -> Table {
        Table::new(&["szk recipe delete search-orders -s work"]).positions(&["name"])
    }
}
