//! Words that people bring from other tools.
//!
//! A word that means the same as one of our commands runs it (`szk goto` is `szk navigate`, `szk
//! click` is `szk act click`). A word that could mean several things is an error that names them. The
//! help lists neither kind: every command has one name.

mod elsewhere;
mod nested;
mod tip;

use std::ffi::OsString;

use clap::error::{Error, ErrorKind};

use crate::{args, commands};

pub(crate) use tip::with_tip;

/// What a word leads to.
#[derive(Debug, Clone, Copy)]
enum Leads {
    /// It stands for these words.
    To(&'static [&'static str]),
    /// It is ambiguous; this sentence explains the options.
    Unclear(&'static str),
}

use Leads::{To, Unclear};

const WORDS: &[(&[&str], Leads)] = &[
    (&["goto", "go", "nav", "visit", "browse"], To(&["navigate"])),
    (&["back", "go-back"], To(&["navigate", "--back"])),
    (&["forward", "go-forward"], To(&["navigate", "--forward"])),
    (&["reload", "refresh"], To(&["navigate", "--reload"])),
    (&["click", "tap"], To(&["act", "click"])),
    (&["dblclick"], To(&["act", "click", "--count", "2"])),
    (&["type"], To(&["act", "type"])),
    (&["fill"], To(&["act", "fill"])),
    (&["press", "key"], To(&["act", "press"])),
    (&["hover"], To(&["act", "hover"])),
    (&["drag"], To(&["act", "drag"])),
    (&["select"], To(&["act", "select"])),
    (&["check"], To(&["act", "check"])),
    (&["uncheck"], To(&["act", "uncheck"])),
    (&["scroll"], To(&["act", "scroll"])),
    (&["upload"], To(&["act", "upload"])),
    (&["wait", "waitfor", "wait-for"], To(&["act", "wait"])),
    (&["resize"], To(&["act", "resize"])),
    (&["focus"], To(&["act", "focus"])),
    (&["eval", "evaluate", "js", "execute"], To(&["run-code"])),
    (&["console"], To(&["logs", "--kind", "console"])),
    (&["network", "requests"], To(&["logs", "--kind", "network"])),
    (&["errors"], To(&["logs", "--kind", "errors"])),
    (&["log", "events"], To(&["logs"])),
    (&["shot", "snap-picture", "picture"], To(&["screenshot"])),
    (&["snap", "aria", "tree"], To(&["snapshot"])),
    (&["print"], To(&["pdf"])),
    (&["search", "grep"], To(&["find"])),
    (&["read", "get"], To(&["extract"])),
    (&["html"], To(&["extract", "--form", "html"])),
    (&["text"], To(&["extract", "--form", "text"])),
    (&["markdown"], To(&["extract", "--form", "markdown"])),
    (&["tab"], To(&["tabs"])),
    (&["tab-list"], To(&["tabs"])),
    (&["tab-new"], To(&["tabs", "open"])),
    (&["tab-select"], To(&["tabs", "focus"])),
    (&["tab-close"], To(&["tabs", "close"])),
    (&["launch", "start", "join"], To(&["open"])),
    (&["stop", "quit", "exit", "kill"], To(&["close"])),
    (&["ls", "sessions", "profiles", "status"], To(&["list"])),
    (&["rm", "remove"], To(&["delete"])),
    (
        &["cookies", "storage", "info", "show", "holds"],
        To(&["inspect"]),
    ),
    (&["secrets"], To(&["secret"])),
    (&["presets"], To(&["config", "presets"])),
    (&["prune", "cleanup"], To(&["gc"])),
    (&["tests"], To(&["test"])),
    (&["version"], To(&["--version"])),
    (
        &["connect", "attach", "cdp"],
        Unclear(
            "`szk open work` opens a session or joins it; `szk endpoint work` prints the address that \
             other programs connect to; `szk run work -- CMD` hands it to a program",
        ),
    ),
    (
        &["install", "setup", "add"],
        Unclear(
            "`szk mcp install` adds szk to an AI client; `szk doctor` says how to install a missing \
             browser; `szk init` prepares a project",
        ),
    ),
    (
        &["export", "import", "backup", "restore"],
        Unclear(
            "`szk state export` and `szk state import` move logins; `szk profile export` and \
             `szk profile import` move whole profiles",
        ),
    ),
    (
        &["create", "new"],
        Unclear(
            "`szk open NAME` opens a profile and makes it if it is new; `szk open NAME --clone` opens a copy; \
             `szk tabs open` opens a tab",
        ),
    ),
    (
        &["save", "clone", "copy"],
        Unclear(
            "a session saves itself; `szk open work --clone` opens a copy, and `szk close COPY --keep-as NAME` \
             keeps it; `szk profile export` writes an archive",
        ),
    ),
    (
        &["clear", "clean", "reset"],
        Unclear(
            "`szk delete NAME` deletes a profile with its logins; `szk gc` removes what is left over; \
             `szk emulate --reset` undoes what was emulated",
        ),
    ),
    (
        &[
            "dialog",
            "dialog-accept",
            "dialog-dismiss",
            "download",
            "permission",
        ],
        Unclear(
            "`szk arm` says how the next dialog, file chooser, download, permission or HTTP sign-in is answered",
        ),
    ),
    (
        &["viewport", "device", "geolocation", "offline", "headers"],
        Unclear(
            "`szk emulate` changes a tab's surroundings; `szk open NAME --preset PRESET` the whole profile's",
        ),
    ),
    (
        &["pause", "human", "takeover", "share"],
        Unclear("`szk handoff` gives the browser to a person and waits until they are done"),
    ),
    (
        &["exec", "script", "node", "python"],
        Unclear(
            "`szk run work -- CMD` runs a program on the browser; `szk run-file` a function of a file; `szk run-code` JavaScript in the page",
        ),
    ),
    (
        &["server", "daemon"],
        Unclear(
            "`szk mcp` serves AI clients, `szk serve` everything over HTTP, and `szk endpoint` shares a session with CDP tools; no daemon is needed",
        ),
    ),
    (
        &["url", "title"],
        Unclear(
            "`szk tabs` shows addresses and titles; `szk run-code 'document.title'` prints one",
        ),
    ),
    (
        &["logout", "signout"],
        Unclear(
            "sign out on the site itself, or delete the profile with its logins: `szk delete NAME`",
        ),
    ),
    (
        &["update", "upgrade", "uninstall"],
        Unclear("szk is one file: replace or remove it; `szk close --all` closes what still runs"),
    ),
    (
        &["record", "codegen", "trace", "video"],
        Unclear(
            "`szk recipe record start` records what is done as a recipe; `szk logs --out FILE.har` writes the requests, `szk screenshot` takes pictures; there is no video",
        ),
    ),
];

/// The command line with the command's word replaced by what it stands for.
///
/// # Errors
/// A usage error that names the commands, for an ambiguous word.
pub(crate) fn translated(args: Vec<OsString>) -> Result<Vec<OsString>, Error> {
    let mut args = with_modes(as_client(args));
    let Some(mut at) = command_at(&args, 1) else {
        return Ok(args);
    };
    let parent = args[at].to_str().map(str::to_owned);
    // The same words may follow these.
    let leads_on = |word: &str| word == "help" || commands::is_family(word);
    if parent.as_deref().is_some_and(leads_on) {
        match command_at(&args, at + 1) {
            Some(next) => at = next,
            None => return Ok(args),
        }
    }
    let word = args[at].to_str().unwrap_or_default();
    // `szk recipe show` is a command of its own.
    let own = |family: &str| commands::is_of_family(family, word);
    if parent.as_deref().is_some_and(own) {
        return Ok(args);
    }
    // Below a family there are its own commands only.
    let family = parent.as_deref().filter(|word| commands::is_family(word));
    let leads = match (leads(word), family) {
        (Some(To(words)), Some(family)) if commands::is_of_family(family, words[0]) => {
            Some(To(words))
        }
        (_, Some(_)) => None,
        (leads, None) => leads,
    };
    match leads {
        Some(To(words)) => {
            let of_help = parent.as_deref() == Some("help");
            let words = if of_help { &words[..1] } else { words };
            args.splice(at..=at, words.iter().map(OsString::from));
            Ok(args)
        }
        Some(Unclear(tip)) => Err(unclear(word, tip)),
        None if is_address(word) => Err(unclear(
            word,
            &format!(
                "`szk open work {word}` opens it in a profile; `szk navigate {word}` in the open one"
            ),
        )),
        None => Ok(args),
    }
}

/// `--snapshot full` is `--snapshot=full`: the mode may be left out, so clap takes no word of its own for it.
pub(crate) fn with_modes(mut words: Vec<OsString>) -> Vec<OsString> {
    const MODES: [&str; 3] = ["interactive", "full", "minimal"];
    let end = words.iter().position(|word| word == "--");
    let pairs = words[..end.unwrap_or(words.len())].windows(2);
    let found: Vec<usize> = pairs
        .enumerate()
        .filter(|(_, pair)| pair[0] == "--snapshot" && MODES.iter().any(|mode| pair[1] == *mode))
        .map(|(at, _)| at)
        .collect();
    for at in found.into_iter().rev() {
        let mode = words.remove(at + 1);
        words[at].push("=");
        words[at].push(mode);
    }
    words
}

/// `--as NAME` is `--client NAME`, except below `profile`, where an archive is imported as a name.
fn as_client(mut args: Vec<OsString>) -> Vec<OsString> {
    let own = command_at(&args, 1).filter(|at| args[*at] == "profile");
    let options = args.iter().position(|arg| arg == "--");
    let end = own.or(options).unwrap_or(args.len());
    for arg in args.iter_mut().take(end).skip(1) {
        let given = arg.to_str().and_then(|arg| arg.strip_prefix("--as"));
        if let Some(value) = given.filter(|rest| rest.is_empty() || rest.starts_with('=')) {
            *arg = format!("--client{value}").into();
        }
    }
    args
}

/// Position of the command's word: the first that is neither an option nor an option's value.
fn command_at(args: &[OsString], from: usize) -> Option<usize> {
    let mut at = from;
    while let Some(word) = args.get(at).map(|arg| arg.to_string_lossy()) {
        match &*word {
            "--" => return None,
            "--store" | "--color" | "--client" | "--as" => at += 2,
            option if option.starts_with('-') => at += 1,
            _ => return Some(at),
        }
    }
    None
}

fn leads(word: &str) -> Option<Leads> {
    let found = WORDS.iter().find(|(words, _)| words.contains(&word));
    found.map(|(_, leads)| *leads)
}

fn is_address(word: &str) -> bool {
    let scheme = word.split_once("://").is_some_and(|(scheme, rest)| {
        !rest.is_empty() && scheme.bytes().all(|byte| byte.is_ascii_alphabetic())
    });
    scheme || word.starts_with("www.") || word.starts_with("localhost:")
}

fn unclear(word: &str, tip: &str) -> Error {
    let message = format!("`szk {word}` is not a command\n\n  tip: {tip}");
    args::command().error(ErrorKind::InvalidSubcommand, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(line: &str, expected: &str) {
        let args = line.split(' ').map(OsString::from).collect();
        let words = translated(args).unwrap();
        let words: Vec<_> = words.iter().map(|word| word.to_string_lossy()).collect();
        assert_eq!(words.join(" "), expected);
    }

    #[test]
    fn words_of_other_tools_become_commands() {
        check("szk goto URL", "szk navigate URL");
        check("szk click e3 -s work", "szk act click e3 -s work");
        check("szk --json back", "szk --json navigate --back");
        check("szk --store goto eval 1", "szk --store goto run-code 1");
        check("szk browser click e3", "szk browser act click e3");
        check("szk help click", "szk help act");
        check("szk recipe show find", "szk recipe show find");
        check("szk recipe save find", "szk recipe save find");
        check("szk recipe rm find", "szk recipe delete find");
        check("szk recipe get find", "szk recipe get find");
        check("szk session create a", "szk session create a");
        check("szk version", "szk --version");
        check("szk", "szk");
        check("szk run work -- goto x", "szk run work -- goto x");
        check("szk -- goto", "szk -- goto");
    }

    #[test]
    fn a_client_is_named_in_two_ways() {
        check("szk --as ann tabs", "szk --client ann tabs");
        check("szk goto URL --as=ann", "szk navigate URL --client=ann");
        check("szk --client ann goto URL", "szk --client ann navigate URL");
        check("szk run work -- x --as ann", "szk run work -- x --as ann");
        let import = "profile import w.zst --as second";
        check(&format!("szk {import}"), &format!("szk {import}"));
        check(
            &format!("szk --as ann {import}"),
            &format!("szk --client ann {import}"),
        );
    }

    #[test]
    fn a_mode_belongs_to_the_option_before_it() {
        check(
            "szk goto URL --snapshot full",
            "szk navigate URL --snapshot=full",
        );
        check(
            "szk navigate --snapshot full",
            "szk navigate --snapshot=full",
        );
        check("szk navigate --snapshot URL", "szk navigate --snapshot URL");
        check(
            "szk act fill e1 -- --snapshot full",
            "szk act fill e1 -- --snapshot full",
        );
    }

    #[test]
    fn what_is_a_command_here_is_never_taken_for_another() {
        let command = args::command();
        for (words, _) in WORDS {
            for word in *words {
                let own = command.find_subcommand(word);
                assert!(own.is_none(), "{word}");
            }
        }
        let mut all: Vec<&str> = WORDS
            .iter()
            .flat_map(|(words, _)| words.iter().copied())
            .collect();
        all.sort_unstable();
        let count = all.len();
        all.dedup();
        assert_eq!(all.len(), count, "a word stands twice");
    }

    #[test]
    fn every_word_leads_to_something_that_parses_as_far_as_it_goes() {
        for (_, leads) in WORDS {
            let To(to) = leads else { continue };
            let line = std::iter::once("szk").chain(to.iter().copied());
            let missing = args::command().try_get_matches_from(line).err();
            let kind = missing.map(|error| error.kind());
            assert!(
                matches!(
                    kind,
                    None | Some(
                        ErrorKind::MissingRequiredArgument
                            | ErrorKind::DisplayVersion
                            | ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand
                    )
                ),
                "{to:?}: {kind:?}"
            );
        }
    }

    #[test]
    fn every_command_that_a_tip_names_is_one() {
        let command = args::command();
        for (words, leads) in WORDS {
            let Unclear(tip) = leads else { continue };
            let named = tip.split('`').skip(1).step_by(2);
            for line in named {
                let name = line
                    .strip_prefix("szk ")
                    .and_then(|rest| rest.split(' ').next());
                let name = name.unwrap_or_else(|| panic!("{words:?}: {line}"));
                assert!(command.find_subcommand(name).is_some(), "{words:?}: {line}");
            }
        }
    }
}
