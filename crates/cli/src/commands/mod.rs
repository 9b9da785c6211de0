//! The commands: one file each, with its arguments (whose doc comments are its help) and what it does.
//! Long forms (`szk session open`) are the short commands under the catalogue's names.

use clap::Subcommand;

use crate::Host;
use crate::args::Global;
use crate::context::{Context, Presence};
use crate::error::Outcome;

mod act;
mod arm;
mod batch;
mod close;
mod completions;
mod config;
mod confirm;
mod delete;
mod doctor;
mod emulate;
mod endpoint;
mod extract;
mod fill;
mod find;
mod foreground;
mod gc;
mod handoff;
mod init;
mod inspect;
mod keeper;
mod launch;
mod leash;
mod list;
mod login;
mod logs;
mod man;
mod mcp;
mod mcp_install;
mod navigate;
mod open;
mod pdf;
mod pick;
mod profile;
mod run;
mod run_code;
mod run_file;
mod run_test;
mod scrape;
mod screenshot;
mod secret;
mod signals;
mod skill;
mod snapshot;
mod state;
mod tabs;

/// The commands of szk. A variant has no comment of its own: that would replace its arguments'
/// comment, which is the help.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Open(open::OpenArgs),
    Close(close::CloseArgs),
    #[command(visible_alias = "ps")]
    List(list::ListArgs),
    Inspect(inspect::InspectArgs),
    Delete(delete::DeleteArgs),
    Endpoint(endpoint::EndpointArgs),
    State(state::StateArgs),
    Handoff(handoff::HandoffArgs),
    Login(Box<login::LoginArgs>),
    FillForm(fill::FillFormArgs),
    Scrape(scrape::ScrapeArgs),
    Profile(profile::ProfileArgs),
    Secret(secret::SecretArgs),
    Gc(gc::GcArgs),
    Run(run::RunArgs),
    Test(run_test::TestArgs),
    Navigate(navigate::NavigateArgs),
    Snapshot(snapshot::SnapshotArgs),
    Find(find::FindArgs),
    Extract(extract::ExtractArgs),
    Act(Box<act::ActArgs>),
    RunCode(run_code::RunCodeArgs),
    RunFile(run_file::RunFileArgs),
    RunTest(run_test::RunTestArgs),
    Screenshot(screenshot::ScreenshotArgs),
    Pdf(pdf::PdfArgs),
    Tabs(tabs::TabsArgs),
    Emulate(emulate::EmulateArgs),
    Logs(logs::LogsArgs),
    Arm(arm::ArmArgs),
    Batch(batch::BatchArgs),
    Mcp(mcp::McpArgs),
    Init(init::InitArgs),
    Skill(skill::SkillArgs),
    Config(config::ConfigArgs),
    Doctor(doctor::DoctorArgs),
    Completions(completions::CompletionsArgs),
    Man(man::ManArgs),
    /// Session commands by their long names
    #[command(subcommand, after_help = "Example:\n  szk session open work")]
    Session(Session),
    /// Page commands by their long names
    #[command(
        subcommand,
        after_help = "Example:\n  szk browser navigate https://example.com"
    )]
    Browser(Browser),
    /// Workflow commands by their long names
    #[command(
        subcommand,
        after_help = "Example:\n  szk workflow login https://example.com/login --username jane --secret shop"
    )]
    Workflow(Workflow),
    /// Own a profile; other commands start this
    #[command(hide = true)]
    Keeper(keeper::KeeperArgs),
    /// Run a program and kill everything it started; keepers start this
    #[command(hide = true)]
    Leash(leash::LeashArgs),
}

/// The operations `session_*`.
#[derive(Debug, Subcommand)]
pub(crate) enum Session {
    Open(open::OpenArgs),
    Close(close::CloseArgs),
    List(list::ListArgs),
    Delete(delete::DeleteArgs),
    Endpoint(endpoint::EndpointArgs),
    State(state::StateArgs),
    Handoff(handoff::HandoffArgs),
    // Its short form is `szk test`: `szk run-test` belongs to `browser_run_test`.
    RunTest(run_test::TestArgs),
}

/// The operations `browser_*`.
#[derive(Debug, Subcommand)]
pub(crate) enum Browser {
    Navigate(navigate::NavigateArgs),
    Snapshot(snapshot::SnapshotArgs),
    Find(find::FindArgs),
    Extract(extract::ExtractArgs),
    Act(Box<act::ActArgs>),
    RunCode(run_code::RunCodeArgs),
    RunFile(run_file::RunFileArgs),
    RunTest(run_test::RunTestArgs),
    Screenshot(screenshot::ScreenshotArgs),
    Pdf(pdf::PdfArgs),
    Tabs(tabs::TabsArgs),
    Emulate(emulate::EmulateArgs),
    Logs(logs::LogsArgs),
    Arm(arm::ArmArgs),
    Batch(batch::BatchArgs),
}

/// The operations `workflow_*`.
#[derive(Debug, Subcommand)]
pub(crate) enum Workflow {
    Login(Box<login::LoginArgs>),
    FillForm(fill::FillFormArgs),
    Scrape(scrape::ScrapeArgs),
}

impl Command {
    /// Runs the command.
    pub(crate) async fn run(self, global: Global, host: Host) -> Outcome {
        let visit = || Context::new(&global, Presence::Visit);
        match self {
            Self::Open(args) => args.run(&global, host).await,
            Self::Close(args) => args.run(&visit()?).await,
            Self::List(args) => args.run(&visit()?).await,
            Self::Inspect(args) => args.run(&visit()?).await,
            Self::Delete(args) => args.run(&visit()?).await,
            Self::Endpoint(args) => args.run(&visit()?).await,
            Self::State(args) => args.run(&visit()?).await,
            Self::Handoff(args) => args.run(&Context::new(&global, Presence::Stay)?).await,
            Self::Login(args) => args.run(&Context::new(&global, Presence::Stay)?).await,
            Self::FillForm(args) => args.run(&visit()?).await,
            Self::Scrape(args) => args.run(&visit()?).await,
            Self::Profile(args) => args.run(&visit()?).await,
            Self::Secret(args) => args.run(&visit()?).await,
            Self::Gc(args) => args.run(&visit()?).await,
            Self::Run(args) => args.run(&Context::sharing(&global, Presence::Stay)?).await,
            Self::Test(args) => args.run(&visit()?).await,
            Self::Navigate(args) => args.run(&visit()?).await,
            Self::Snapshot(args) => args.run(&visit()?).await,
            Self::Find(args) => args.run(&visit()?).await,
            Self::Extract(args) => args.run(&visit()?).await,
            Self::Act(args) => args.run(&visit()?).await,
            Self::RunCode(args) => args.run(&visit()?).await,
            Self::RunFile(args) => args.run(&visit()?).await,
            Self::RunTest(args) => args.run(&visit()?).await,
            Self::Screenshot(args) => args.run(&visit()?).await,
            Self::Pdf(args) => args.run(&visit()?).await,
            Self::Tabs(args) => args.run(&visit()?).await,
            Self::Emulate(args) => args.run(&visit()?).await,
            Self::Logs(args) => args.run(&visit()?).await,
            Self::Arm(args) => args.run(&visit()?).await,
            Self::Batch(args) => args.run(&visit()?).await,
            Self::Mcp(args) => args.run(&global, host).await,
            Self::Init(args) => args.run(&global),
            Self::Skill(args) => args.run(&global),
            Self::Config(args) => args.run(&visit()?),
            Self::Doctor(args) => args.run(&global, host).await,
            Self::Completions(args) => args.run(&global),
            Self::Man(args) => args.run(&global),
            Self::Session(session) => Box::pin(session.short().run(global, host)).await,
            Self::Browser(browser) => Box::pin(browser.short().run(global, host)).await,
            Self::Workflow(workflow) => Box::pin(workflow.short().run(global, host)).await,
            Self::Keeper(args) => args.run(host).await,
            Self::Leash(args) => args.run(host).await,
        }
    }
}

impl Session {
    fn short(self) -> Command {
        match self {
            Self::Open(args) => Command::Open(args),
            Self::Close(args) => Command::Close(args),
            Self::List(args) => Command::List(args),
            Self::Delete(args) => Command::Delete(args),
            Self::Endpoint(args) => Command::Endpoint(args),
            Self::State(args) => Command::State(args),
            Self::Handoff(args) => Command::Handoff(args),
            Self::RunTest(args) => Command::Test(args),
        }
    }
}

impl Workflow {
    fn short(self) -> Command {
        match self {
            Self::Login(args) => Command::Login(args),
            Self::FillForm(args) => Command::FillForm(args),
            Self::Scrape(args) => Command::Scrape(args),
        }
    }
}

impl Browser {
    fn short(self) -> Command {
        match self {
            Self::Navigate(args) => Command::Navigate(args),
            Self::Snapshot(args) => Command::Snapshot(args),
            Self::Find(args) => Command::Find(args),
            Self::Extract(args) => Command::Extract(args),
            Self::Act(args) => Command::Act(args),
            Self::RunCode(args) => Command::RunCode(args),
            Self::RunFile(args) => Command::RunFile(args),
            Self::RunTest(args) => Command::RunTest(args),
            Self::Screenshot(args) => Command::Screenshot(args),
            Self::Pdf(args) => Command::Pdf(args),
            Self::Tabs(args) => Command::Tabs(args),
            Self::Emulate(args) => Command::Emulate(args),
            Self::Logs(args) => Command::Logs(args),
            Self::Arm(args) => Command::Arm(args),
            Self::Batch(args) => Command::Batch(args),
        }
    }
}
