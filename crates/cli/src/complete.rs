//! Completion: the shell asks this very binary, so profile names complete too.

use std::ffi::OsStr;

use clap_complete::CompleteEnv;
use clap_complete::engine::{ArgValueCompleter, CompletionCandidate};
use szk_client::Identity;

use crate::args::{self, Global};
use crate::context::{self, Presence};
use crate::exit::Exit;

/// The script of `szk completions` sets this when the shell asks; a name of its own keeps a foreign
/// `COMPLETE` from turning a command into a completion request.
pub(crate) const VARIABLE: &str = "SZK_COMPLETE";

/// Answers the shell if the shell called; must run while there is only one thread.
pub(crate) fn answer_shell() -> Option<Exit> {
    let env = CompleteEnv::with_factory(args::command).var(VARIABLE);
    let cwd = std::env::current_dir().ok();
    match env.try_complete(std::env::args_os(), cwd.as_deref()) {
        Ok(false) => None,
        Ok(true) => Some(Exit::OK),
        Err(error) => {
            // The shell shows none of this in the middle of a line.
            let _ = error.print();
            Some(Exit::USAGE)
        }
    }
}

/// Completes the names of stored profiles.
pub(crate) fn profiles() -> ArgValueCompleter {
    ArgValueCompleter::new(candidates)
}

fn candidates(current: &OsStr) -> Vec<CompletionCandidate> {
    let Some(start) = current.to_str() else {
        return Vec::new();
    };
    // The command reports a broken configuration or store; completion does not.
    let Ok(client) = context::client(&Global::default(), Identity::of_terminal(), Presence::Visit)
    else {
        return Vec::new();
    };
    let names = client.profile_names().into_iter();
    names
        .filter(|name| name.starts_with(start))
        .map(CompletionCandidate::new)
        .collect()
}
