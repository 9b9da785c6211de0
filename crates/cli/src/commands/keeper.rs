//! `szk keeper`: what clients start in the background. Not for people, so it is hidden.

use clap::Args;

use crate::Host;
use crate::error::Outcome;
use crate::exit::Exit;

/// Own a profile; other commands start this, with its launch options on stdin
#[derive(Debug, Args)]
pub(crate) struct KeeperArgs {}

impl KeeperArgs {
    /// Its stderr is the profile's log, so failures end up there as well.
    pub(super) async fn run(self, host: Host) -> Outcome {
        (host.keeper_detached)().await?;
        Ok(Exit::OK)
    }
}
