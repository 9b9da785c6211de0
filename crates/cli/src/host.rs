//! What the binary lends this crate, so that it depends neither on the keeper nor on other fronts.

use std::ffi::OsString;
use std::pin::Pin;
use std::sync::Arc;

use szk_client::{Client, Start};
use szk_tools::doctor::{DoctorAsk, DoctorReport};
use szk_tools::{Failure, Progress};

/// A boxed future, as `futures_util::future::BoxFuture`.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// Told once whether a keeper in the foreground came up.
pub type OnReady = Box<dyn FnOnce(Result<(), Failure>) + Send>;

/// Told how far a keeper in the foreground has come.
pub type OnProgress = Box<dyn Fn(Progress) + Send + Sync>;

/// Sets of tools and single ones by name, or the usual ones.
pub type ToolNames = Option<Vec<String>>;

/// Parts of szk that run in this process but live in crates the terminal must not know.
#[derive(Clone, Copy)]
pub struct Host {
    /// A keeper detached from every terminal; it reads its start order from stdin and tells its
    /// starter on stdout what it also returns.
    pub keeper_detached: fn() -> BoxFuture<'static, Result<(), Failure>>,
    /// A keeper in this process. Ends when the profile is closed; handles SIGINT and SIGTERM
    /// itself by saving and closing.
    pub keeper_foreground:
        fn(Start, OnProgress, OnReady) -> BoxFuture<'static, Result<(), Failure>>,
    /// Serves MCP on stdin and stdout until stdin ends; with these sets of tools, or the usual ones.
    pub mcp: fn(Arc<Client>, ToolNames) -> BoxFuture<'static, Result<(), Failure>>,
    /// Runs a program until stdin ends, and leaves nothing of it; gives its exit code.
    pub leash: fn(Vec<OsString>) -> BoxFuture<'static, u8>,
    /// Examines the machine, the configuration and the store.
    pub doctor: fn(DoctorAsk) -> BoxFuture<'static, DoctorReport>,
}

impl std::fmt::Debug for Host {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Host")
    }
}
