//! `szk mcp install`

use std::env;
use std::io;
use std::path::{Path, PathBuf};

use clap::Args;
use serde_json::json;
use szk_tools::{Code, Failure};

use crate::args::Global;
use crate::clients::{self, AiClient, EditError, Entry};
use crate::error::Outcome;
use crate::exit::Exit;
use crate::ui::Ui;

/// Add szk to an AI client's configuration
///
/// Leaves everything else in the file alone and keeps the old file beside it. Does not touch a file
/// that it cannot parse.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  szk mcp install claude-desktop\n  szk mcp install cursor --project --dry-run"
)]
pub(crate) struct InstallArgs {
    /// The client
    #[arg(value_name = "CLIENT", value_enum)]
    client: AiClient,
    /// Use the project's file in this folder instead of your own
    #[arg(long)]
    project: bool,
    /// Name of the server
    #[arg(long, value_name = "NAME", default_value = "szk")]
    name: String,
    /// Replace another server with that name
    #[arg(long)]
    force: bool,
    /// Print the resulting file without writing it
    #[arg(short = 'n', long)]
    dry_run: bool,
}

impl InstallArgs {
    pub(super) fn run(self, global: &Global) -> Outcome {
        let here = env::current_dir().map_err(|error| failed(Path::new("."), &error))?;
        let home = env::home_dir().ok_or_else(|| Failure::invalid("you have no home folder"))?;
        let config = config_dir(&home);
        let place = clients::place(
            self.client,
            &home,
            &config,
            self.project.then_some(here.as_path()),
        )
        .ok_or_else(|| Failure::invalid("this client has no configuration for projects"))?;
        let path = &place.path;
        let old = match szk_files::text(path, 64 << 20) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
            Err(error) => return Err(failed(path, &error).into()),
        };
        let entry = self.entry(global, &here)?;
        let new = clients::edited(&old, place.format, &entry, self.force).map_err(|error| {
            let failure = Failure::invalid(format!("left `{}` unchanged: {error}", path.display()));
            match error {
                EditError::Taken(_) => {
                    failure.hint("`--force` replaces it, `--name` gives another name")
                }
                EditError::Unreadable(_) => failure.hint("fix the file first"),
            }
        })?;
        let ui = Ui::new(global);
        let changed = new.is_some();
        let mut backup = None;
        match new {
            Some(text) if self.dry_run && !ui.is_json() => ui.data(&text)?,
            Some(text) if !self.dry_run => {
                backup = clients::replace(path, &text).map_err(|error| failed(path, &error))?;
            }
            _ => {}
        }
        if ui.is_json() {
            ui.json(&json!({
                "path": path, "changed": changed, "dry_run": self.dry_run, "backup": backup,
            }))?;
        }
        let shown = path.display();
        ui.talk(&match (changed, self.dry_run) {
            (false, _) => format!("{shown} already has szk"),
            (true, true) => format!("{shown} would become this"),
            (true, false) => format!("added szk to {shown}; restart the client"),
        });
        if let Some(backup) = backup {
            ui.talk(&format!("the old file is kept as {}", backup.display()));
        }
        Ok(Exit::OK)
    }

    /// Uses the full path, since desktop programs have a short `PATH`; but a project's file is for
    /// everyone who works on the project.
    fn entry(&self, global: &Global, here: &Path) -> Result<Entry, Failure> {
        let command = if self.project {
            "szk".to_owned()
        } else {
            let own = env::current_exe().map_err(|error| failed(Path::new("szk"), &error))?;
            own.to_string_lossy().into_owned()
        };
        let mut args = vec!["mcp".to_owned()];
        if let Some(store) = &global.store {
            let store = here.join(store);
            args.extend(["--store".to_owned(), store.to_string_lossy().into_owned()]);
        }
        Ok(Entry {
            name: self.name.clone(),
            command,
            args,
        })
    }
}

/// Where desktop programs keep their settings.
fn config_dir(home: &Path) -> PathBuf {
    if cfg!(target_os = "macos") {
        return home.join("Library/Application Support");
    }
    let set = env::var_os("XDG_CONFIG_HOME").map(PathBuf::from);
    // The specification treats empty or relative values as unset.
    set.filter(|path| path.is_absolute())
        .unwrap_or_else(|| home.join(".config"))
}

fn failed(path: &Path, error: &io::Error) -> Failure {
    Failure::new(
        Code::Storage,
        format!("cannot use `{}`: {error}", path.display()),
    )
}
