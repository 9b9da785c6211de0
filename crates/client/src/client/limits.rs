//! What `szk serve` has to know before it lets a call through: its limits, and which calls start a session.

use std::path::PathBuf;
use std::sync::Arc;

use szk_config::{Action, AgentSettings, Bounds, CallOptions, ServerSettings};
use szk_tools::{Call, Failure, Scope};
use szk_wire::failure;

use super::Client;
use crate::names;

impl Client {
    /// The limits of `[server]`.
    ///
    /// # Errors
    /// `INVALID_CONFIG` with all problems of all files.
    pub fn server_settings(&self) -> Result<ServerSettings, Failure> {
        self.config
            .resolve(None, None, &CallOptions::default())
            .map(|resolved| resolved.settings.server)
            .map_err(|errors| failure::config(&errors))
    }

    /// The model of `[agent]`, and its limits.
    ///
    /// # Errors
    /// `INVALID_CONFIG` with all problems of all files.
    pub fn agent_settings(&self) -> Result<AgentSettings, Failure> {
        self.config
            .resolve(None, None, &CallOptions::default())
            .map(|resolved| resolved.settings.agent)
            .map_err(|errors| failure::config(&errors))
    }

    /// Checks that `[policy]` lets callers run programs.
    ///
    /// # Errors
    /// `POLICY_DENIED`; `INVALID_CONFIG` with all problems of all files.
    pub fn may_run_programs(&self) -> Result<(), Failure> {
        let resolved = self.config.resolve(None, None, &CallOptions::default());
        let policy = resolved
            .map_err(|errors| failure::config(&errors))?
            .settings
            .policy;
        Bounds::new(policy, Vec::new())
            .check(Action::RunProgram)
            .map_err(|denied| failure::policy(&denied))
    }

    /// The folder of the runs of tasks in this session; there may be none yet.
    ///
    /// # Errors
    /// `INVALID_INPUT` for an invalid name, `SESSION_NOT_FOUND` if there is no such profile.
    pub fn runs_of(&self, session: &str) -> Result<PathBuf, Failure> {
        let name = names::parse(session)?;
        names::must_exist(&self.store, &name)?;
        Ok(self.store.profile(&name).runs_dir())
    }

    /// Whether there may be a recipe for this session, in its profile or in the project; true if that cannot be told.
    /// Opens no session.
    pub async fn may_have_recipes(&self, session: Option<&str>) -> bool {
        let Ok(name) = names::or_default(self, session).await else {
            return true;
        };
        let own = self.store.profile(&name).recipes_dir();
        let project = self.origin.cwd.join("recipes");
        let is_recipe = |file: std::fs::DirEntry| {
            let path = file.path();
            path.extension().is_some_and(|ending| ending == "toml")
        };
        [own, project]
            .iter()
            .any(|folder| match std::fs::read_dir(folder) {
                Ok(files) => files.flatten().any(is_recipe),
                Err(error) => error.kind() != std::io::ErrorKind::NotFound,
            })
    }

    /// No longer counts as a client of this session, until its next call there.
    pub fn leave(&self, session: &str) {
        self.presences.leave(session);
    }

    /// No longer counts as a client of the sessions it used, until its next call there. They stay open as
    /// if it were there. What this returns has to run to its end.
    pub fn away(self: Arc<Self>) -> impl Future<Output = ()> + Send + 'static {
        let left = self.presences.go();
        async move {
            let who = self.http.client();
            for (session, socket) in left {
                self.presences.rest(&session, &socket, &who).await;
            }
        }
    }

    /// Whether this call would start a session, because the one that it means is not open. False for a
    /// call that will be refused because of its name.
    ///
    /// # Errors
    /// `AMBIGUOUS` if it names no session and several are open.
    pub async fn would_start(&self, call: &Call) -> Result<bool, Failure> {
        let creates = match call {
            Call::SessionOpen(open) if open.clone == Some(true) => return Ok(true),
            Call::SessionRunTest(_) => return Ok(true),
            Call::SessionOpen(_) => true,
            call if call.spec().scope == Scope::Opens => {
                call.input().makes_profile() || call.input().session().is_none()
            }
            _ => return Ok(false),
        };
        let name = names::or_default(self, call.input().session()).await?;
        if !self.store.admits(&name) {
            return Ok(false);
        }
        let profile = self.store.profile(&name);
        let found = tokio::task::spawn_blocking(move || (profile.exists(), profile.is_live()));
        let (exists, live) = found
            .await
            .map_err(|error| Failure::internal(format!("cannot look at the session: {error}")))?;
        Ok(!live && (exists || creates))
    }
}
