//! `szk arm`

use std::path::PathBuf;

use clap::Args;
use clap::builder::ValueHint;
use szk_tools::browser::{Arm, ArmEvent, ArmInput};

use super::launch::absolute;
use super::pick::word;
use crate::complete;
use crate::context::Context;
use crate::error::Outcome;
use crate::exit::Exit;
use crate::render::text::printable_lines;

/// Answer what a page asks, now or next
///
/// Answers an open dialog or file chooser at once; otherwise keeps the answer ready for the next one.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  szk arm dialog --text Jane\n  szk arm chooser --file photo.png\n  szk arm dialog --refuse"
)]
pub(crate) struct ArmArgs {
    /// What to answer
    #[arg(
        value_name = "EVENT",
        value_parser = word::<ArmEvent>(&["dialog", "chooser", "download", "permission", "auth"])
    )]
    event: ArmEvent,
    /// Refuse instead of accepting
    #[arg(id = "accept", long = "refuse")]
    refuse: bool,
    /// Dialog: text for a prompt
    #[arg(long, value_name = "TEXT")]
    text: Option<String>,
    /// Chooser: file; can be repeated
    #[arg(id = "paths", long = "file", value_name = "FILE", value_hint = ValueHint::FilePath)]
    paths: Vec<PathBuf>,
    /// Download: file to save it as
    #[arg(id = "path", short = 'o', long = "out", value_name = "FILE", value_hint = ValueHint::FilePath)]
    path: Option<PathBuf>,
    /// Permission: name; can be repeated [default: everything a page may ask for]
    #[arg(id = "permissions", long = "permission", value_name = "NAME")]
    permissions: Vec<String>,
    /// Auth: user name
    #[arg(long, value_name = "USER")]
    username: Option<String>,
    /// Auth: password
    #[arg(
        long,
        value_name = "PASSWORD",
        env = "SZK_PASSWORD",
        hide_env_values = true
    )]
    password: Option<String>,
    /// How long the answer stays ready, 1 to 120 [default: 30]
    #[arg(long, value_name = "SECONDS")]
    seconds: Option<u64>,
    /// Session [default: the only open one, else `default`]
    #[arg(short = 's', long, value_name = "PROFILE", add = complete::profiles())]
    session: Option<String>,
    /// Tab id such as `t3` [default: the last one used]
    #[arg(short = 't', long, value_name = "TAB")]
    tab: Option<String>,
}

impl ArmArgs {
    pub(super) async fn run(self, context: &Context) -> Outcome {
        let paths: Result<Vec<PathBuf>, _> = self.paths.iter().map(|path| absolute(path)).collect();
        let paths = paths?;
        let input = ArmInput {
            session: self.session,
            tab: self.tab,
            event: self.event,
            accept: self.refuse.then_some(false),
            text: self.text,
            paths: (!paths.is_empty()).then_some(paths),
            path: self.path.as_deref().map(absolute).transpose()?,
            permissions: (!self.permissions.is_empty()).then_some(self.permissions),
            username: self.username,
            // Not for other events: the variable may be set permanently.
            password: self.password.filter(|_| self.event == ArmEvent::Auth),
            seconds: self.seconds,
        };
        let response = context.call::<Arm>(&input).await?;
        context
            .ui
            .answer(&response.data, |_| printable_lines(&response.summary))?;
        Ok(Exit::OK)
    }
}
