//! How to open a profile, shared by `open` and `run`.

use clap::builder::ValueHint;
use clap::error::ErrorKind;
use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches};
use szk_tools::session::{Headless, Open, OpenInput};

use crate::operation::{self, Table};

/// The heading of these options.
const HEADING: &str = "Browser";

/// The fields of `session_open` that do not say how to open a profile.
const OTHERS: &[&str] = &["session", "url", "snapshot"];

/// What the types do not say about the others.
pub(super) fn how(table: Table) -> Table {
    table
        .heading(HEADING)
        .arg("preset", |arg| {
            arg.value_name("NAME")
                .help("Identity preset; see `szk config presets`")
                .conflicts_with_all(["viewport", "locale", "timezone", "user_agent"])
        })
        .arg("headless", |arg| {
            arg.value_name("WHEN")
                .num_args(0..=1)
                .require_equals(true)
                .default_missing_value("true")
        })
        .value("viewport", "WxH")
        .value("locale", "TAG")
        .value("timezone", "ZONE")
        .value("user_agent", "TEXT")
        .value("proxy", "URL")
        .arg("extensions", |arg| {
            arg.long("extension")
                .value_name("DIR")
                .value_hint(ValueHint::DirPath)
                .help("Folder of an unpacked extension; can be repeated")
        })
        .value("raw_port", "PORT")
}

/// Adds `--window`.
pub(super) fn window(command: Command) -> Command {
    let window = Arg::new("window").long("window").help_heading(HEADING);
    command.arg(
        window
            .help("With a window; same as `--headless=false`")
            .action(ArgAction::SetTrue)
            .conflicts_with("headless"),
    )
}

/// The input with a window, if `--window` was given.
pub(super) fn windowed(mut input: OpenInput, window: bool) -> OpenInput {
    if window {
        input.headless = Some(Headless::False);
    }
    input
}

/// These options as part of a command that is not the operation.
#[derive(Debug, Clone)]
pub(super) struct Launch(OpenInput);

impl Launch {
    /// The input of `session_open` for this profile.
    pub(super) fn input(self, session: String) -> OpenInput {
        OpenInput {
            session: Some(session),
            ..self.0
        }
    }

    fn table() -> Table {
        how(Table::new(&[])).without(OTHERS).own(window)
    }
}

impl Args for Launch {
    fn augment_args(command: Command) -> Command {
        operation::with_fields::<Open>(command, &Self::table())
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for Launch {
    fn from_arg_matches(args: &ArgMatches) -> Result<Self, clap::Error> {
        let input = operation::input_of::<Open>(&Self::table(), args)
            .map_err(|failure| clap::Error::raw(ErrorKind::InvalidValue, failure))?;
        Ok(Self(windowed(input, args.get_flag("window"))))
    }

    fn update_from_arg_matches(&mut self, args: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(args)?;
        Ok(())
    }
}
