//! `szk recipe edit`

use std::ffi::OsString;
use std::fs::{self, Permissions};
use std::io::ErrorKind;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use clap::Args;
use clap::builder::ValueHint;
use serde_json::json;
use szk_tools::recipe::{Save, SaveInput, Show, ShowInput};
use szk_tools::{Code, Failure};

use super::{confirm, run};
use crate::command::{ByHand, Called};
use crate::complete;
use crate::context::Context;
use crate::error::{CliError, Outcome};
use crate::exit::Exit;
use crate::render::spoken::Speech;

/// Edit a recipe in your editor
///
/// Opens a copy in $VISUAL, $EDITOR or vi, and saves it if it is a recipe. If it is not, shows the line
/// that is wrong and asks whether to go on editing; what you wrote is kept.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  szk recipe edit search-orders -s work")]
pub(crate) struct EditArgs {
    /// Its name
    #[arg(value_name = "NAME", value_hint = ValueHint::Other)]
    name: String,
    /// Session [default: the only open one, else `default`]
    #[arg(short, long, value_name = "PROFILE", add = complete::profiles())]
    session: Option<String>,
}

impl ByHand for EditArgs {
    const NAME: &'static str = "edit";

    async fn run(self, called: Called) -> Outcome {
        let context = called.context()?;
        let before = self.text(&context).await?;
        let copy = Copy::of(&self.name, &before)?;
        loop {
            let text = copy.edit(&before).await?;
            if text == before {
                copy.remove();
                let told = json!({"name": self.name, "changed": false});
                context
                    .ui
                    .answer(&told, |_| "nothing was changed".to_owned())?;
                return Ok(Exit::OK);
            }
            match self.save(&context, &before, text).await {
                Ok(path) => {
                    copy.remove();
                    let told = json!({"name": self.name, "changed": true, "path": path});
                    let words = format!("saved {}", path.display());
                    context.ui.answer(&told, |_| words)?;
                    return Ok(Exit::OK);
                }
                Err(failure) if confirm::somebody() => {
                    context.ui.failure(&failure, &Speech::default());
                    confirm::ask("Go on editing?", &copy.kept())?;
                }
                Err(failure) => return Err(copy.keeps(failure).into()),
            }
        }
    }
}

impl EditArgs {
    async fn text(&self, context: &Context) -> Result<String, CliError> {
        let input = ShowInput {
            session: self.session.clone(),
            name: self.name.clone(),
            dir: None,
        };
        Ok(context.output::<Show>(&input).await?.text)
    }

    /// Saves it, unless somebody else changed it meanwhile.
    async fn save(
        &self,
        context: &Context,
        before: &str,
        text: String,
    ) -> Result<PathBuf, Failure> {
        let input = ShowInput {
            session: self.session.clone(),
            name: self.name.clone(),
            dir: None,
        };
        let now = context.call::<Show>(&input).await?.read::<Show>()?.text;
        if now != before {
            return Err(Failure::invalid(format!(
                "`{}` was changed meanwhile, such as by a run that healed it",
                self.name
            ))
            .hint("edit it again, and take over what you need from your copy"));
        }
        let input = SaveInput {
            session: self.session.clone(),
            name: self.name.clone(),
            text: Some(text),
            ..SaveInput::default()
        };
        Ok(context.call::<Save>(&input).await?.read::<Save>()?.path)
    }
}

/// The copy that is edited, in a folder that only this user can read.
struct Copy {
    folder: PathBuf,
    file: PathBuf,
}

impl Copy {
    fn of(name: &str, text: &str) -> Result<Self, Failure> {
        let made = tempfile::Builder::new()
            .prefix("szk-recipe-")
            .permissions(Permissions::from_mode(0o700))
            .tempdir();
        let folder = made.map_err(|error| {
            cannot("make a folder for the copy", &error)
                .hint("name a folder for temporary files with $TMPDIR")
        })?;
        // Not removed by itself: it may hold what is not saved.
        let folder = folder.keep();
        let file = folder.join(format!("{name}.toml"));
        fs::write(&file, text).map_err(|error| cannot("write the copy", &error))?;
        Ok(Self { folder, file })
    }

    /// What it holds after the editor.
    async fn edit(&self, before: &str) -> Result<String, Failure> {
        let ended = run::foreground(&editor(&self.file)).await;
        let text = match szk_files::text(&self.file, 1 << 20) {
            Ok(text) => text,
            Err(error) if error.kind() == ErrorKind::NotFound => {
                self.remove();
                return Err(Failure::invalid("the editor left no file behind")
                    .hint("set $EDITOR to an editor that writes the file it is given"));
            }
            Err(error) => return Err(self.keeps(cannot("read the copy", &error))),
        };
        let failed = match ended {
            Ok(status) if status.success() => return Ok(text),
            Ok(status) => Failure::invalid(format!("the editor ended with {status}")),
            Err(failure) => failure.hint("set $EDITOR to the editor to use"),
        };
        if text == before {
            self.remove();
            return Err(failed);
        }
        Err(self.keeps(failed))
    }

    fn kept(&self) -> String {
        format!("it is not saved; your text is in {}", self.file.display())
    }

    fn keeps(&self, failure: Failure) -> Failure {
        let message = format!("{}\n{}", failure.message, self.kept());
        Failure { message, ..failure }
    }

    fn remove(&self) {
        // Err: it stays in the folder for temporary files.
        drop(fs::remove_dir_all(&self.folder));
    }
}

fn cannot(what: &str, error: &std::io::Error) -> Failure {
    Failure::new(Code::Storage, format!("cannot {what}: {error}"))
}

/// The command of the editor. It may have arguments of its own, so a shell splits it.
fn editor(file: &Path) -> Vec<OsString> {
    let named = ["VISUAL", "EDITOR"].iter().filter_map(std::env::var_os);
    let named = { named }.find(|editor| !editor.is_empty());
    let mut line = named.unwrap_or_else(|| "vi".into());
    line.push(" \"$1\"");
    vec!["sh".into(), "-c".into(), line, "sh".into(), file.into()]
}
