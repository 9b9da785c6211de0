//! `szk state`

use std::path::Path;

use clap::{Arg, ArgAction};
use szk_client::BrowserCookies;
use szk_tools::session::{State, StateAction, StateInput, StateOutput};
use szk_tools::{Code, Failure};

use super::confirm;
use crate::error::{CliError, Outcome};
use crate::exit::Exit;
use crate::operation::{Table, Terminal, Typed};
use crate::render::text::printable;
use crate::ui::Ui;

impl Terminal for State {
    fn table() -> Table {
        Table::new(&[
            "szk state export work work.json",
            "szk state import shop cookies.txt",
        ])
        .details("Cookies, localStorage and IndexedDB in Playwright's storage-state format.")
        .only(&[])
        .action("action", "export", export())
        .action("action", "import", import())
        .own(|command| {
            command
                .subcommand_required(true)
                .arg_required_else_help(true)
        })
    }

    async fn run(typed: Typed<Self>) -> Outcome {
        let mut input = typed.input()?;
        let ui = typed.context.ui;
        if input.action == StateAction::Import {
            input = source(input, typed.flag("yes"), ui).await?;
        }
        let response = typed.context.call::<Self>(&input).await?;
        let moved = response.read::<Self>()?;
        for warning in &moved.warnings {
            ui.warn(warning);
        }
        ui.answer(&moved, |moved| human(input.action, moved))?;
        let said = Typed::<Self>::said(&response.summary);
        // The rest repeats the warnings.
        ui.talk(said.lines().next().unwrap_or_default());
        Ok(Exit::OK)
    }
}

fn export() -> Table {
    Table::new(&["szk state export work work.json --domain example.com"])
        .about("Write a session's logins to a file")
        .details("The file contains secrets.")
        .only(&["session", "path", "domain", "values"])
        .positions(&["session", "path"])
        .help(
            "path",
            "File to write [default: a new one in the profile's `artifacts` folder]",
        )
        .help(
            "values",
            "Also print the state on stdout; it contains secrets",
        )
        .help("domain", "Only this domain and its subdomains")
}

fn import() -> Table {
    Table::new(&[
        "szk state import shop cookies.txt",
        "szk state import shop - < copied-as-curl.txt",
        "szk state import shop --from chrome --domain example.org",
    ])
    .about("Import logins into a session from a file or from a local browser")
    .details(
        "Reads Playwright's storage state, a JSON array of cookies, Netscape's cookies.txt, or a cURL \
         command as browsers copy it. Reads a browser's own files from a copy, and only with your \
         consent.",
    )
    .only(&["session", "path", "from", "domain"])
    .positions(&["session", "path"])
    .arg("path", |arg| {
        arg.required_unless_present("from")
            .help("File to read; `-` is stdin")
    })
    .arg("from", |arg| {
        arg.value_name("BROWSER").requires("domain").help(
            "Browser to read instead of a file: chrome, chromium, brave, edge, arc, comet or firefox, \
             optionally with a profile's name or folder after a colon",
        )
    })
    .help("domain", "Only this domain and its subdomains; `*` for all")
    .made("text", "from stdin: an argument would be visible to every program")
    .own(|command| {
        let yes = Arg::new("yes").long("yes").short('y').requires("from");
        let help = "Consent to reading the browser's cookies: do not ask";
        command
            .arg(yes.help(help).action(ArgAction::SetTrue))
            .allow_missing_positional(true)
    })
}

/// The input with what is read here: stdin, or a browser's cookies, which need the person's consent.
async fn source(mut input: StateInput, yes: bool, ui: Ui) -> Result<StateInput, CliError> {
    let Some(from) = input.from.take() else {
        let stdin = input.path.take_if(|path| path.as_os_str() == "-");
        if let Some(stdin) = stdin {
            input.text = Some(Typed::<State>::text(&stdin)?);
        }
        return Ok(input);
    };
    // Given a single word, clap takes it for the file.
    if let Some(word) = input.path.take() {
        if input.session.is_some() {
            let message = "either a file or `--from` a browser, not both";
            return Err(Failure::invalid(message).into());
        }
        input.session = Some(word.to_string_lossy().into_owned());
    }
    let domain = input.domain.clone().unwrap_or_default();
    let source = szk_client::cookies_source(&from)?;
    consent(&source.cookies, &domain, yes)?;
    let read = BrowserCookies::read(source, &domain).await?;
    for locked in &read.locked {
        ui.warn(locked);
    }
    input.text = Some(read.text);
    Ok(input)
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
        let message =
            format!("reading {what} needs your consent, and szk cannot ask without a terminal");
        return Err(Failure::new(Code::PolicyDenied, message)
            .hint("pass `--yes` to consent")
            .into());
    }
    confirm::ask(
        &format!("read {what}, with the values?"),
        "nothing was read",
    )
}

/// The state if it was asked for, else the file it went to. An import prints no answer, only talk.
fn human(action: StateAction, moved: &StateOutput) -> String {
    match (action, &moved.state, &moved.path) {
        (StateAction::Export, Some(state), _) => format!("{state:#}"),
        (StateAction::Export, None, Some(path)) => path.display().to_string(),
        _ => String::new(),
    }
}
