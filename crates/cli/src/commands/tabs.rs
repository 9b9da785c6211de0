//! `szk tabs`

use clap::{Args, Subcommand};
use szk_tools::browser::{Tabs, TabsAction, TabsInput};

use super::pick::Show;
use crate::complete;
use crate::context::Context;
use crate::error::Outcome;
use crate::exit::Exit;
use crate::render::text::printable_lines;

/// List, open, focus, close or label tabs
///
/// Lists them if you give no action. A label works wherever a tab id does.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  szk tabs\n  szk tabs open https://example.com --label shop\n  szk tabs close shop",
    args_conflicts_with_subcommands = true
)]
pub(crate) struct TabsArgs {
    #[command(subcommand)]
    action: Option<Action>,
    #[command(flatten)]
    session: SessionOf,
}

/// The session whose tabs to use.
#[derive(Debug, Clone, Args)]
struct SessionOf {
    /// Session [default: the only open one, else `default`]
    #[arg(short = 's', long, value_name = "PROFILE", add = complete::profiles())]
    session: Option<String>,
    /// Time budget in milliseconds [default: 30000]
    #[arg(long, value_name = "MS")]
    timeout_ms: Option<u64>,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Open a tab
    #[command(after_help = "Example:\n  szk tabs open https://example.com --label shop")]
    Open(OpenArgs),
    /// Bring a tab to the front
    #[command(after_help = "Example:\n  szk tabs focus t2")]
    Focus(FocusArgs),
    /// Close a tab
    #[command(after_help = "Example:\n  szk tabs close t2")]
    Close(OneArgs),
    /// Give a tab a name
    #[command(after_help = "Example:\n  szk tabs label t2 shop")]
    Label(LabelArgs),
}

#[derive(Debug, Args)]
struct OpenArgs {
    /// Where to go [default: a blank page]
    #[arg(value_name = "URL")]
    url: Option<String>,
    /// Name for the tab
    #[arg(long, value_name = "LABEL")]
    label: Option<String>,
    #[command(flatten)]
    show: Show,
    #[command(flatten)]
    session: SessionOf,
}

#[derive(Debug, Args)]
struct FocusArgs {
    /// Tab id such as `t3`, or label [default: the last one used]
    #[arg(value_name = "TAB")]
    tab: Option<String>,
    #[command(flatten)]
    show: Show,
    #[command(flatten)]
    session: SessionOf,
}

#[derive(Debug, Args)]
struct OneArgs {
    /// Tab id such as `t3`, or label [default: the last one used]
    #[arg(value_name = "TAB")]
    tab: Option<String>,
    #[command(flatten)]
    session: SessionOf,
}

#[derive(Debug, Args)]
struct LabelArgs {
    /// Tab id such as `t3`, or label
    #[arg(value_name = "TAB")]
    tab: String,
    /// Its label; empty removes it
    ///
    #[arg(value_name = "LABEL")]
    label: String,
    #[command(flatten)]
    session: SessionOf,
}

impl TabsArgs {
    pub(super) async fn run(self, context: &Context) -> Outcome {
        let with = |action, session: SessionOf| TabsInput {
            action: Some(action),
            session: session.session,
            timeout_ms: session.timeout_ms,
            ..TabsInput::default()
        };
        let input = match self.action {
            None => with(TabsAction::List, self.session),
            Some(Action::Open(args)) => TabsInput {
                url: args.url,
                label: args.label,
                snapshot: args.show.snapshot,
                ..with(TabsAction::Open, args.session)
            },
            Some(Action::Focus(args)) => TabsInput {
                tab: args.tab,
                snapshot: args.show.snapshot,
                ..with(TabsAction::Focus, args.session)
            },
            Some(Action::Close(args)) => TabsInput {
                tab: args.tab,
                ..with(TabsAction::Close, args.session)
            },
            Some(Action::Label(args)) => TabsInput {
                tab: Some(args.tab),
                label: Some(args.label),
                ..with(TabsAction::Label, args.session)
            },
        };
        let response = context.call::<Tabs>(&input).await?;
        context
            .ui
            .answer(&response.data, |_| printable_lines(&response.summary))?;
        Ok(Exit::OK)
    }
}
