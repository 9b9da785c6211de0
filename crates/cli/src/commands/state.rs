//! `szk state`

use std::io::Read;
use std::path::{Path, PathBuf};

use clap::builder::ValueHint;
use clap::{Args, Subcommand};
use szk_client::BrowserCookies;
use szk_tools::session::{State, StateAction, StateInput, StateOutput};
use szk_tools::{Code, Failure};

use super::confirm;
use super::launch::absolute;
use crate::complete;
use crate::context::Context;
use crate::error::{CliError, Outcome};
use crate::exit::Exit;
use crate::render::text::printable;
use crate::ui::Ui;

/// Export or import logins
///
/// Cookies, localStorage and IndexedDB in Playwright's storage-state format.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  szk state export work work.json\n  szk state import shop cookies.txt"
)]
pub(crate) struct StateArgs {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    Export(ExportArgs),
    Import(ImportArgs),
}

/// Write a session's logins to a file
///
/// The file contains secrets.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  szk state export work work.json --domain example.com")]
struct ExportArgs {
    /// Session [default: the only open one, else `default`]
    #[arg(value_name = "PROFILE", add = complete::profiles())]
    session: Option<String>,
    /// File to write [default: a new one in the profile's `artifacts` folder]
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    path: Option<PathBuf>,
    /// Only this domain and its subdomains
    #[arg(long, value_name = "DOMAIN")]
    domain: Option<String>,
    /// Also print the state on stdout; it contains secrets
    #[arg(long)]
    values: bool,
}

/// Import logins into a session from a file or from a local browser
///
/// Reads Playwright's storage state, a JSON array of cookies, Netscape's cookies.txt, or a cURL
/// command as browsers copy it. Reads a browser's own files from a copy, and only with your consent.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  szk state import shop cookies.txt\n  szk state import shop - < copied-as-curl.txt\n  szk state import shop --from chrome --domain example.org",
    allow_missing_positional = true
)]
struct ImportArgs {
    /// Session [default: the only open one, else `default`]
    #[arg(value_name = "PROFILE", add = complete::profiles())]
    session: Option<String>,
    /// File to read; `-` is stdin
    #[arg(value_name = "FILE", required_unless_present = "from", value_hint = ValueHint::FilePath)]
    path: Option<PathBuf>,
    /// Browser to read instead of a file: chrome, chromium, brave, edge, arc, comet or firefox,
    /// optionally with a profile's name or folder after a colon
    #[arg(long, value_name = "BROWSER", requires = "domain")]
    from: Option<String>,
    /// Only this domain and its subdomains; `*` for all
    #[arg(long, value_name = "DOMAIN")]
    domain: Option<String>,
    /// Consent to reading the browser's cookies: do not ask
    #[arg(short, long, requires = "from")]
    yes: bool,
}

impl StateArgs {
    pub(super) async fn run(self, context: &Context) -> Outcome {
        let input = match self.action {
            Action::Export(args) => StateInput {
                session: args.session,
                action: StateAction::Export,
                path: args.path.as_deref().map(absolute).transpose()?,
                text: None,
                from: None,
                values: args.values.then_some(true),
                domain: args.domain,
            },
            Action::Import(args) => args.input(context.ui).await?,
        };
        let response = context.call::<State>(&input).await?;
        let moved = response.read::<State>()?;
        let ui = context.ui;
        for warning in &moved.warnings {
            ui.warn(warning);
        }
        ui.answer(&moved, |moved| human(input.action, moved))?;
        ui.talk(&printable(&response.summary));
        Ok(Exit::OK)
    }
}

impl ImportArgs {
    async fn input(self, ui: Ui) -> Result<StateInput, CliError> {
        let mut input = StateInput {
            session: self.session,
            action: StateAction::Import,
            path: None,
            text: None,
            from: None,
            values: None,
            domain: self.domain,
        };
        let Some(from) = self.from else {
            match self.path {
                Some(path) if path.as_os_str() == "-" => input.text = Some(stdin()?),
                path => input.path = path.as_deref().map(absolute).transpose()?,
            }
            return Ok(input);
        };
        // Given a single word, clap takes it for the file.
        if let Some(word) = self.path {
            if input.session.is_some() {
                let message = "either a file or `--from` a browser, not both";
                return Err(Failure::invalid(message).into());
            }
            input.session = Some(word.to_string_lossy().into_owned());
        }
        let domain = input.domain.clone().unwrap_or_default();
        let source = szk_client::cookies_source(&from)?;
        consent(&source.cookies, &domain, self.yes)?;
        let read = BrowserCookies::read(source, &domain).await?;
        for locked in &read.locked {
            ui.warn(locked);
        }
        input.text = Some(read.text);
        Ok(input)
    }
}

/// Asks the person for consent, after showing what will be read.
fn consent(file: &Path, domain: &str, yes: bool) -> Result<(), CliError> {
    if yes {
        return Ok(());
    }
    let whose = match domain {
        "*" => "ALL its cookies".to_owned(),
        domain => format!("its cookies for {domain} and what is below"),
    };
    let what = format!("`{}` and {whose}", printable(&file.display().to_string()));
    if !confirm::somebody() {
        let message = format!("reading {what} needs your consent, and nobody is there to ask");
        return Err(Failure::new(Code::PolicyDenied, message)
            .hint("say `--yes` if you agree")
            .into());
    }
    confirm::ask(
        &format!("read {what}, with the values?"),
        "nothing was read",
    )
}

fn stdin() -> Result<String, CliError> {
    std::io::read_to_string(std::io::stdin().lock().take(LONGEST))
        .map_err(|error| Failure::invalid(format!("cannot read stdin: {error}")).into())
}

/// Longest text to read from stdin, in bytes.
const LONGEST: u64 = 64 << 20;

/// The state if it was asked for, else the file it went to. An import prints no answer, only talk.
fn human(action: StateAction, moved: &StateOutput) -> String {
    match (action, &moved.state, &moved.path) {
        (StateAction::Export, Some(state), _) => format!("{state:#}"),
        (StateAction::Export, None, Some(path)) => path.display().to_string(),
        _ => String::new(),
    }
}
