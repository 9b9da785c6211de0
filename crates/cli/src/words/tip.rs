//! The tip for a command that does not exist.

use std::ffi::OsString;

use clap::Command;
use clap::error::{ContextKind, ContextValue, Error, ErrorKind};

use super::{To, WORDS, command_at, elsewhere, nested};
use crate::args;

/// An unknown command's error with the command that does it elsewhere, or the nearest word that people use
/// there, in place of clap's tip, which also knows commands that only szk itself calls.
pub(crate) fn with_tip(mut error: Error, args: &[OsString]) -> Error {
    if error.kind() != ErrorKind::InvalidSubcommand {
        return error;
    }
    let word = match error.get(ContextKind::InvalidSubcommand) {
        Some(ContextValue::String(word)) => word.clone(),
        _ => return error,
    };
    // Keep only those of clap's tips that suggest listed commands.
    error.remove(ContextKind::SuggestedSubcommand);
    let parent = below(args);
    if let Some(tip) = parent.as_ref().and_then(|parent| done_by(parent, &word)) {
        let tip = ContextValue::StyledStrs(vec![tip.into()]);
        error.insert(ContextKind::Suggested, tip);
        return error;
    }
    let near = match parent {
        Some(parent) => nested::nearest(&parent, &word),
        None => nearest(&word),
    };
    if let Some(near) = near {
        let near = ContextValue::Strings(vec![near]);
        error.insert(ContextKind::SuggestedSubcommand, near);
    }
    error
}

/// The sentence that names a command elsewhere, unless the word stands for one below `parent`.
fn done_by(parent: &Command, word: &str) -> Option<String> {
    let noun = parent.get_name();
    elsewhere::known(noun, word).or_else(|| {
        let other = elsewhere::command(noun, word)?;
        (!nested::is_meant(parent, word)).then_some(other)
    })
}

/// The command that the words lead to before the one that is unknown; `None` for szk itself.
fn below(args: &[OsString]) -> Option<Command> {
    let (mut found, mut at) = (None::<Command>, 1);
    while let Some(next) = command_at(args, at) {
        let word = args[next].to_string_lossy();
        at = next + 1;
        if word == "help" && found.is_none() {
            continue;
        }
        let parent = found.take().unwrap_or_else(args::command);
        match parent.find_subcommand(&*word) {
            Some(command) => found = Some(command.clone()),
            None if parent.get_name() == "szk" => return None,
            None => return Some(parent),
        }
    }
    found
}

/// How alike two words are at least, of which one can be a slip for the other.
pub(super) const NEAR: f64 = 0.8;

/// The command with the nearest name or alias.
fn nearest(word: &str) -> Option<String> {
    let command = args::command();
    let own = command
        .get_subcommands()
        .filter(|command| !command.is_hide_set())
        .flat_map(|command| {
            let name = command.get_name().to_owned();
            let words = command.get_all_aliases().map(str::to_owned);
            let words: Vec<String> = words.chain([name.clone()]).collect();
            words.into_iter().map(move |word| (word, name.clone()))
        });
    let brought = WORDS.iter().filter_map(|(words, leads)| match leads {
        To(to) if !to[0].starts_with('-') => Some((words, to.join(" "))),
        _ => None,
    });
    let brought = brought.flat_map(|(words, to)| {
        words
            .iter()
            .map(move |word| ((*word).to_owned(), to.clone()))
    });
    own.chain(brought)
        .map(|(name, to)| (strsim::jaro_winkler(word, &name), to))
        .filter(|(nearness, _)| *nearness > NEAR)
        .max_by(|(a, _), (b, _)| a.total_cmp(b))
        .map(|(_, to)| to)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tips_never_name_a_command_of_szk_itself() {
        let tip = |word: &str| nearest(word).unwrap_or_default();
        assert_eq!(tip("keper"), "");
        assert_eq!(tip("opne"), "open");
        assert_eq!(tip("clik"), "act click");
        assert_eq!(tip("screnshot"), "screenshot");
        assert_eq!(tip("zzz"), "");
    }

    #[test]
    fn a_noun_of_other_tools_leads_to_the_command_that_does_it() {
        let told = |line: &str| {
            let args: Vec<OsString> = line.split(' ').map(OsString::from).collect();
            let error = args::command().try_get_matches_from(&args).unwrap_err();
            with_tip(error, &args).to_string()
        };
        for (line, expected) in [
            ("szk profile delete", "tip: `szk delete NAME`"),
            ("szk profile delete work", "tip: `szk delete NAME`"),
            ("szk tabs list", "tip: `szk tabs`"),
            ("szk tabs click", "tip: `szk act click`"),
            (
                "szk tabs select",
                "tip: a similar subcommand exists: 'focus'",
            ),
            (
                "szk secret delete",
                "tip: a similar subcommand exists: 'rm'",
            ),
        ] {
            let told = told(line);
            assert!(told.contains(expected), "{line}: {told}");
        }
        assert!(!told("szk runs delete").contains("tip:"));
    }
}
