//! `szk leash`: the process guard that a keeper starts programs with. Not for people, so it is hidden.

use std::ffi::OsString;

use clap::Args;

use crate::Host;
use crate::error::Outcome;
use crate::exit::Exit;

/// Run a program until standard input ends, then kill everything it started
#[derive(Debug, Args)]
pub(crate) struct LeashArgs {
    #[arg(last = true, required = true)]
    command: Vec<OsString>,
}

impl LeashArgs {
    pub(super) async fn run(self, host: Host) -> Outcome {
        Ok(Exit((host.leash)(self.command).await))
    }
}
