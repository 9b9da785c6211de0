//! `szk leash`: the process guard that a keeper starts programs with. Not for people, so it is hidden.

use std::ffi::OsString;

use clap::Args;

use crate::command::{ByHand, Called};
use crate::error::Outcome;
use crate::exit::Exit;

/// Run a program until standard input ends, then kill everything it started
#[derive(Debug, Args)]
pub(crate) struct LeashArgs {
    #[arg(last = true, required = true)]
    command: Vec<OsString>,
}

impl ByHand for LeashArgs {
    const NAME: &'static str = "leash";
    const HIDDEN: bool = true;

    async fn run(self, called: Called) -> Outcome {
        let host = called.host;
        Ok(Exit((host.leash)(self.command).await))
    }
}
