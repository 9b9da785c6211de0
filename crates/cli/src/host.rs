//! What the binary provides to this crate, so that it depends on neither the keeper nor other front
//! ends.

use std::ffi::OsString;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::pin::Pin;
use std::sync::Arc;

use szk_client::{Client, Start};
use szk_tools::doctor::{DoctorAsk, DoctorReport};
use szk_tools::{Failure, Progress};

/// A boxed future, as `futures_util::future::BoxFuture`.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// Called once, with whether a foreground keeper came up.
pub type OnReady = Box<dyn FnOnce(Result<(), Failure>) + Send>;

/// Called with the startup progress of a foreground keeper.
pub type OnProgress = Box<dyn Fn(Progress) + Send + Sync>;

/// What an MCP server shows of the catalogue.
#[derive(Debug, Clone, Default)]
pub struct ToolChoice {
    /// Names of tool sets and single tools, or `None` for the usual ones.
    pub names: Option<Vec<String>>,
    /// Whether each tool says what it answers.
    pub output_schemas: bool,
}

/// Makes a client for a token, and for the name that its user gives itself.
pub type Clients = Box<dyn Fn(&str, Option<&str>) -> Result<Client, Failure> + Send + Sync>;

/// Called once with the address of the server.
pub type OnServing = Box<dyn FnOnce(&str) -> Result<(), Failure> + Send>;

/// What `szk serve` is asked for.
pub struct ServeAsk {
    /// Makes a client for each token that is used.
    pub clients: Clients,
    /// The address to listen on; port 0 takes a free one.
    pub address: SocketAddr,
    /// Names, besides those of loopback, under which requests may come.
    pub hosts: Vec<String>,
    /// Origins whose web pages may send requests.
    pub origins: Vec<String>,
    /// Whether a proxy that encrypts stands before the server.
    pub behind_proxy: bool,
    /// Files with the certificate and its key, if the server encrypts by itself.
    pub tls: Option<(PathBuf, PathBuf)>,
}

/// Parts of szk that run in this process but live in crates this one must not know.
#[derive(Clone, Copy)]
pub struct Host {
    /// A keeper detached from every terminal; it reads its launch options from stdin and writes to
    /// stdout what it also returns.
    pub keeper_detached: fn() -> BoxFuture<'static, Result<(), Failure>>,
    /// A keeper in this process. Ends when the profile is closed; on SIGINT and SIGTERM it saves and
    /// closes.
    pub keeper_foreground:
        fn(Start, OnProgress, OnReady) -> BoxFuture<'static, Result<(), Failure>>,
    /// Serves MCP on stdin and stdout until stdin ends, with these tools.
    pub mcp: fn(Arc<Client>, ToolChoice) -> BoxFuture<'static, Result<(), Failure>>,
    /// Serves HTTP until a signal arrives; the function gets the address.
    pub serve: fn(ServeAsk, OnServing) -> BoxFuture<'static, Result<(), Failure>>,
    /// Runs a program until stdin ends, then kills everything it started; returns the exit code.
    pub leash: fn(Vec<OsString>) -> BoxFuture<'static, u8>,
    /// Examines the machine, the configuration and the store.
    pub doctor: fn(DoctorAsk) -> BoxFuture<'static, DoctorReport>,
}

impl std::fmt::Debug for Host {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Host")
    }
}
