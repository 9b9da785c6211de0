//! The environment of one test: its own home, store and project, and nothing of the tester's.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use rustix::process::Signal;
use serde_json::Value;
use szk_client::{Caller, Client, Identity, Origin};
use tempfile::TempDir;

use super::folder::folder;
use super::mcp::Mcp;
use super::pictures;
use super::process::{self, Process};
use super::program::Szk;
use super::wait::{SOON, look_for, wait_until};
use super::watchdog::Watchdog;

/// The tester's variables that are needed to find programs, or that choose the browser to test.
const KEPT: [&str; 2] = ["PATH", "SZK_CHROMIUM"];

/// One test's environment. On drop it kills every process that was started in it.
pub(crate) struct TestEnv {
    /// None while it waits for its next test.
    watchdog: Option<Watchdog>,
    root: TempDir,
    variables: BTreeMap<String, String>,
}

impl TestEnv {
    /// An empty home, an empty store, no display.
    pub(crate) fn new() -> Self {
        let root = folder("szk-e2e-");
        let path = |name: &str| root.path().join(name).display().to_string();
        let mut variables: BTreeMap<String, String> = KEPT
            .iter()
            .filter_map(|name| Some(((*name).to_owned(), std::env::var(name).ok()?)))
            .collect();
        for (name, folder) in [
            ("HOME", "home"),
            ("XDG_CONFIG_HOME", "home/config"),
            ("XDG_DATA_HOME", "home/data"),
            ("XDG_CACHE_HOME", "home/cache"),
            ("XDG_RUNTIME_DIR", "run"),
            ("TMPDIR", "tmp"),
            ("SZK_STORE", "store"),
        ] {
            variables.insert(name.to_owned(), path(folder));
        }
        variables.insert("LANG".to_owned(), "C.UTF-8".to_owned());
        // All that a test starts is one client, except where it says otherwise.
        variables.insert("SZK_CLIENT".to_owned(), "e2e".to_owned());
        let env = Self {
            watchdog: Some(Watchdog::watch(root.path())),
            root,
            variables,
        };
        for folder in ["home", "run", "tmp", "work"] {
            fs::create_dir_all(env.path().join(folder)).unwrap();
        }
        env
    }

    /// Starts to count a test's time.
    pub(super) fn watch(&mut self) {
        self.watchdog = Some(Watchdog::watch(self.root.path()));
    }

    /// Stops counting: no test uses it now.
    pub(super) fn unwatch(&mut self) {
        self.watchdog = None;
    }

    /// Sets a variable for everything started from now on.
    pub(crate) fn set(&mut self, name: &str, value: &str) {
        self.variables.insert(name.to_owned(), value.to_owned());
    }

    /// All variables.
    pub(crate) fn variables(&self) -> &BTreeMap<String, String> {
        &self.variables
    }

    /// The client of a Rust program in these surroundings.
    pub(crate) fn client(&self) -> Client {
        let origin = Origin {
            cwd: self.work(),
            user_file: None,
            data_dir: None,
            env: self.variables().clone(),
        };
        let who = Caller {
            client: Identity::named("e2e"),
            present: false,
        };
        Client::new(origin, who).expect("its settings can be read")
    }

    /// The folder of the whole environment.
    pub(crate) fn path(&self) -> &Path {
        self.root.path()
    }

    /// The working directory.
    pub(crate) fn work(&self) -> PathBuf {
        self.path().join("work")
    }

    /// The profile store.
    pub(crate) fn store(&self) -> PathBuf {
        self.path().join("store")
    }

    /// A file or folder of a profile.
    pub(crate) fn in_profile(&self, profile: &str, name: &str) -> PathBuf {
        self.store().join(profile).join(name)
    }

    /// Writes the project's configuration.
    pub(crate) fn config(&self, text: &str) {
        fs::write(self.work().join("szk.config.toml"), text).unwrap();
    }

    /// Puts the npm packages where a project has them, so `npx` finds their programs.
    pub(crate) fn packages(&self) {
        let place = self.work().join("node_modules");
        std::os::unix::fs::symlink(super::node::folder().join("node_modules"), place).unwrap();
    }

    /// A program with this environment and working directory.
    pub(crate) fn command(&self, program: impl AsRef<std::ffi::OsStr>) -> Command {
        let mut command = Command::new(program);
        command
            .env_clear()
            .envs(&self.variables)
            .current_dir(self.work());
        command
    }

    /// `szk` with these arguments.
    pub(crate) fn szk<'a>(&self, args: impl IntoIterator<Item = &'a str>) -> Szk {
        let mut command = self.command(env!("CARGO_BIN_EXE_szk"));
        command.args(args);
        Szk::new(command)
    }

    /// Another program with these arguments and the same time limit as `szk`.
    pub(crate) fn program<'a>(
        &self,
        program: impl AsRef<std::ffi::OsStr>,
        args: impl IntoIterator<Item = &'a str>,
    ) -> Szk {
        let mut command = self.command(program);
        command.args(args);
        Szk::new(command)
    }

    /// Lines for a shell that stops at the first failure.
    pub(crate) fn shell(&self, lines: &str) -> Szk {
        let mut command = self.command("bash");
        command.args(["-euo", "pipefail", "-c", lines]);
        Szk::new(command)
    }

    /// Opens or joins a profile in the background; returns what `szk open --json` prints.
    pub(crate) fn open(&self, profile: &str) -> Value {
        self.szk(["open", profile, "--detach", "--json"]).json()
    }

    /// Closes a session.
    pub(crate) fn close(&self, profile: &str) {
        self.szk(["close", profile, "--force"]).ok();
    }

    /// Goes to a page in the session's current tab.
    pub(crate) fn navigate(&self, profile: &str, url: &str) -> Value {
        self.szk(["navigate", url, "-s", profile, "--json"]).json()
    }

    /// Runs JavaScript in the current tab, in szk's own world.
    pub(crate) fn eval(&self, profile: &str, code: &str) -> Value {
        self.szk(["run-code", code, "-s", profile, "--json"]).json()["value"].clone()
    }

    /// Runs JavaScript in the page's own world.
    pub(crate) fn eval_main(&self, profile: &str, code: &str) -> Value {
        self.szk(["run-code", code, "-s", profile, "--world", "main", "--json"])
            .json()["value"]
            .clone()
    }

    /// What `szk endpoint --json` prints.
    pub(crate) fn endpoint(&self, profile: &str) -> Value {
        self.szk(["endpoint", profile, "--json"]).json()
    }

    /// The profile's row of `szk list`.
    pub(crate) fn row(&self, profile: &str) -> Option<Value> {
        let list = self.szk(["list", "--json"]).json();
        let rows = list["sessions"].as_array().expect("a list of sessions");
        rows.iter().find(|row| row["session"] == profile).cloned()
    }

    /// An MCP client with its own server.
    pub(crate) fn mcp(&self) -> Mcp {
        Mcp::open(self.szk(["mcp"]), "2025-11-25")
    }

    /// An MCP client of its own, whose program has this name.
    pub(crate) fn mcp_of(&self, name: &str) -> Mcp {
        let szk = self.szk(["mcp"]).env("SZK_CLIENT", "");
        Mcp::open_as(szk, "2025-11-25", name)
    }

    /// Every process that was started here and is still running.
    pub(crate) fn processes(&self) -> Vec<Process> {
        process::belonging_to(self.path())
    }

    /// Of these, all that belong to a Chromium.
    pub(crate) fn chromium_processes(&self) -> Vec<Process> {
        self.processes()
            .into_iter()
            .filter(Process::is_chromium)
            .collect()
    }

    /// The browser processes: one for each Chromium.
    pub(crate) fn browsers(&self) -> Vec<Process> {
        let mut all = self.processes();
        all.retain(Process::is_browser);
        let browsers = all.clone();
        all.retain(|process| !process.is_child_of(&browsers));
        all
    }

    /// The only Chromium.
    #[track_caller]
    pub(crate) fn browser(&self) -> Process {
        let mut browsers = self.browsers();
        assert_eq!(
            browsers.len(),
            1,
            "there should be one Chromium: {browsers:#?}"
        );
        browsers.remove(0)
    }

    /// Waits until no Chromium process is left.
    #[track_caller]
    pub(crate) fn no_chromium_is_left(&self) {
        wait_until("no Chromium process is left", SOON, || {
            self.chromium_processes().is_empty()
        });
    }

    /// Last lines of the keepers' logs, to help explain a failure.
    fn logs(&self) -> String {
        let profiles = fs::read_dir(self.store()).into_iter().flatten().flatten();
        let tails = profiles.filter_map(|profile| {
            let text = fs::read_to_string(profile.path().join("keeper.log")).ok()?;
            let lines: Vec<&str> = text.lines().collect();
            let tail = lines[lines.len().saturating_sub(15)..].join("\n  ");
            Some(format!("{}:\n  {tail}\n", profile.path().display()))
        });
        tails.collect()
    }
}

impl Drop for TestEnv {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("{}", self.logs());
            pictures::take(self);
        }
        // Several rounds: a keeper may just be starting something.
        let _ = look_for(SOON, || {
            let left = self.processes();
            left.iter().for_each(|process| process.signal(Signal::KILL));
            left.is_empty().then_some(())
        });
    }
}
