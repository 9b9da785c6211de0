//! `szk keeper`: what clients start in the background. Not for people, so it is hidden.

use clap::Args;

use crate::command::{ByHand, Called};
use crate::error::Outcome;
use crate::exit::Exit;

/// Own a profile; other commands start this, with its launch options on stdin
#[derive(Debug, Args)]
pub(crate) struct KeeperArgs {}

impl ByHand for KeeperArgs {
    const NAME: &'static str = "keeper";
    const HIDDEN: bool = true;

    /// Its stderr is the profile's log, so failures end up there as well.
    async fn run(self, called: Called) -> Outcome {
        let host = called.host;
        (host.keeper_detached)().await?;
        Ok(Exit::OK)
    }
}
