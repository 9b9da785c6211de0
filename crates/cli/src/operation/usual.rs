//! What fields of the same name have in common in all commands.

use clap::Arg;
use clap::builder::ValueHint;

use crate::complete;

/// Fields that say where to do it and for how long: they come last, in this order.
pub(super) const WHERE: [&str; 3] = ["session", "tab", "timeout_ms"];

/// The argument as a field of this name is usually given.
pub(super) fn dressed(field: &str, arg: Arg) -> Arg {
    let arg = match placeholder(field) {
        Some(name) => arg.value_name(name),
        None => arg,
    };
    match field {
        "session" => arg.short('s').add(complete::profiles()),
        "tab" => arg.short('t'),
        "dry_run" => arg.short('n'),
        "path" => arg.long("out").short('o').value_hint(ValueHint::FilePath),
        "paths" | "config" => arg.value_hint(ValueHint::FilePath),
        "dir" => arg.value_hint(ValueHint::DirPath),
        "snapshot" => and(arg, "`interactive` if MODE is left out")
            .num_args(0..=1)
            .require_equals(true)
            .default_missing_value("interactive"),
        _ => arg,
    }
}

/// What stands for its value in the help; otherwise its name does.
fn placeholder(field: &str) -> Option<&'static str> {
    Some(match field {
        "session" => "PROFILE",
        "timeout_ms" | "time_ms" => "MS",
        "path" | "paths" | "config" => "FILE",
        "snapshot" => "MODE",
        "max_bytes" => "BYTES",
        "scope" => "REF|CSS",
        "selector" | "frame" | "items" | "next" => "CSS",
        "schema" | "args" => "JSON",
        "url" | "urls" => "URL",
        "x" | "y" | "dx" | "dy" | "width" | "height" => "PX",
        "username" => "NAME",
        _ => return None,
    })
}

/// The argument with more help.
fn and(arg: Arg, more: &str) -> Arg {
    match arg.get_help().map(ToString::to_string) {
        Some(help) => arg.help(format!("{help}; {more}")),
        None => arg,
    }
}
