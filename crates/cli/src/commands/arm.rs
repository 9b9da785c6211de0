//! `szk arm`

use szk_tools::browser::{Arm, ArmEvent};

use crate::error::Outcome;
use crate::operation::{Form, Table, Terminal, Typed};

impl Terminal for Arm {
    fn table() -> Table {
        Table::new(&[
            "szk arm dialog --text Jane",
            "szk arm chooser --file photo.png",
            "szk arm dialog --refuse",
        ])
        .about("Answer what a page asks, now or next")
        .details(
            "Answers an open dialog or file chooser at once; otherwise keeps the answer ready for the \
             next one.",
        )
        .positions(&["event"])
        .form("accept", Form::No("refuse"))
        .help("accept", "Refuse instead of accepting")
        .arg("paths", |arg| arg.long("file"))
        .arg("permissions", |arg| arg.long("permission").value_name("NAME"))
        .value("username", "USER")
        .arg("password", |arg| {
            arg.env("SZK_PASSWORD").hide_env_values(true)
        })
    }

    async fn run(typed: Typed<Self>) -> Outcome {
        let mut input = typed.input()?;
        // Not for other events: the variable may be set permanently.
        input.password.take_if(|_| input.event != ArmEvent::Auth);
        typed.summary(&typed.context.call::<Self>(&input).await?)
    }
}
