//! Which process of a profile is which.

use crate::harness::TestEnv;
use crate::harness::process::Process;

use super::lists::Target;

/// The processes that a target names, as far as they exist.
pub(super) fn of(target: Target, env: &TestEnv, front: u32) -> Vec<Process> {
    let mut all = env.processes();
    all.retain(|process| is(target, process, front));
    all
}

/// How many processes a present target has: one, except for those that have several.
pub(super) fn complete(target: Target, found: &[Process]) -> bool {
    let one = |which| found.iter().any(|process| is(which, process, 0));
    match target {
        Target::KeeperAndBrowser | Target::Everything => {
            one(Target::Keeper) && one(Target::Browser)
        }
        _ => !found.is_empty(),
    }
}

fn is(target: Target, process: &Process, front: u32) -> bool {
    let flag = |wanted: &str| process.is_chromium() && process.flags().any(|flag| flag == wanted);
    match target {
        Target::Browser => process.is_browser(),
        Target::Network => flag("--utility-sub-type=network.mojom.NetworkService"),
        Target::Gpu => flag("--type=gpu-process"),
        Target::Renderer => flag("--type=renderer"),
        Target::Storage => flag("--utility-sub-type=storage.mojom.StorageService"),
        Target::Keeper => process.is_szk() && process.flags().next() == Some("keeper"),
        Target::Front => u32::try_from(process.pid) == Ok(front),
        Target::KeeperAndBrowser => is(Target::Keeper, process, front) || process.is_browser(),
        Target::Everything => {
            is(Target::Keeper, process, front)
                || is(Target::Front, process, front)
                || process.is_chromium()
        }
    }
}

/// Whatever runs besides one keeper, one Chromium and one front end; nothing, if all is well.
pub(super) fn left_over(env: &TestEnv, front: u32) -> Vec<Process> {
    let mut all = env.processes();
    let browser = all.iter().find(|process| process.is_browser()).cloned();
    let keeper = all
        .iter()
        .find(|process| is(Target::Keeper, process, front))
        .cloned();
    all.retain(|process| {
        let ours = browser
            .as_ref()
            .is_some_and(|browser| belongs(process, browser));
        !ours && !is(Target::Front, process, front) && Some(process) != keeper.as_ref()
    });
    all
}

/// Whether a process belongs to this browser. Its crash handler has a group of its own, and exits on
/// its own some time after a killed browser.
fn belongs(process: &Process, browser: &Process) -> bool {
    let group = process.group() == browser.group();
    process.is_chromium() && (group || process.program().is_some_and(|name| name == HANDLER))
}

/// Chromium's crash handler.
const HANDLER: &str = "chrome_crashpad_handler";
