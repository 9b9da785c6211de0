//! `szk list`

use jiff::Timestamp;
use szk_tools::session::List;

use crate::error::Outcome;
use crate::exit::Exit;
use crate::operation::{Table, Terminal, Typed};
use crate::render::sessions;

impl Terminal for List {
    fn table() -> Table {
        Table::new(&["szk list", "szk ps --open --json"])
            .about("List open and stored profiles")
            .details("")
            .alias("ps")
            .positions(&["session"])
            .help(
                "session",
                "Only this profile; `szk inspect` shows what it holds",
            )
            .arg("open_only", |arg| arg.long("open"))
    }

    async fn run(typed: Typed<Self>) -> Outcome {
        let list = typed.output().await?;
        let ui = typed.context.ui;
        ui.answer(&list, |list| sessions::table(list, Timestamp::now()))?;
        for note in sessions::notes(&list) {
            ui.warn(&note);
        }
        if list.sessions.is_empty() {
            let what = match typed.input()?.open_only {
                Some(true) => "is open",
                _ => "is stored",
            };
            ui.talk(&format!("nothing {what} in `{}`", list.store));
            ui.talk("  hint: `szk open work` opens a profile, creating it if it is new");
        }
        Ok(Exit::OK)
    }
}
