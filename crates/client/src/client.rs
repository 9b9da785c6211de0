//! The client: one per front-end process.

mod file;
mod limits;
mod open;
mod reach;

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use szk_config::{CallOptions, Config, Origin, PresetInfo, Row};
use szk_store::{KeeperInfo, Name, Profile, Store};
use szk_tools::session::{CloseInput, DeleteInput, OpenInput};
use szk_tools::{Call, Code, Failure, Operation, Progress, Response, Scope};
use szk_wire::approvals::Approvals;
use szk_wire::{Client as Identity, Found, failure, options};

use crate::approval::Approver;
use crate::deadline::Deadline;
use crate::keeper::Missing;
use crate::presence::Presences;
use crate::tasks::CarryOut;
use crate::{http, names};

use reach::and_closed;
pub(crate) use reach::failed;

/// The variable that names the client.
const NAME_VARIABLE: &str = "SZK_CLIENT";

/// The program that makes the calls.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Caller {
    /// Who it is to keepers and other clients.
    pub client: Identity,
    /// Whether it stays: it counts as a client of the sessions it opened until it is dropped.
    pub present: bool,
}

/// A client of all keepers of one store.
pub struct Client {
    pub(crate) origin: Origin,
    config: Config,
    store: Store,
    /// Whether it counts as a client of the sessions it opened.
    pub(crate) present: bool,
    pub(crate) http: http::Pool,
    presences: Presences,
    /// `[session] timeout_seconds` in milliseconds, if it differs from the usual time.
    usual_ms: Option<u64>,
    /// `[session] max_open`; 0 means no limit.
    max_open: u64,
    share: bool,
    /// Whether it only looks at sessions that others have opened.
    pub(crate) watches: bool,
    /// Whether a person at a terminal makes the calls, who may open local files.
    person: bool,
    /// Who carries out tasks, if it may have any.
    pub(crate) tasks: Option<CarryOut>,
    /// Deletions that wait for a person's approval.
    pub(crate) approvals: Approvals,
    /// Sockets of keepers that answered before. A std mutex: nothing awaits under it.
    reached: Mutex<HashMap<Name, PathBuf>>,
    /// The `szk` that starts keepers, if this process does not run one.
    pub(crate) program: Option<PathBuf>,
}

impl Client {
    /// A client with the configuration of this process.
    ///
    /// # Errors
    /// `INVALID_CONFIG` with all problems of all files.
    pub fn from_process(who: Caller) -> Result<Self, Failure> {
        Self::new(Origin::from_process(), who)
    }

    /// A client with the configuration found from `origin`.
    ///
    /// # Errors
    /// `INVALID_CONFIG` with all problems of all files.
    pub fn new(origin: Origin, who: Caller) -> Result<Self, Failure> {
        let named = origin
            .env
            .get(NAME_VARIABLE)
            .filter(|name| !name.is_empty());
        let knows_itself = who.client.is_named() || who.client.has_token();
        let client = match named.filter(|_| !knows_itself) {
            Some(name) => Identity::named(name).through(&who.client),
            None => who.client,
        };
        let config = Config::load(&origin).map_err(|errors| failure::files(&errors))?;
        let store = Store::at(config.store_root());
        let limits = config
            .resolve(None, None, &CallOptions::default())
            .ok()
            .map(|resolved| resolved.settings.session);
        Ok(Self {
            usual_ms: limits
                .as_ref()
                .map(|limits| limits.timeout_seconds * 1000)
                .filter(|millis| *millis != szk_tools::budget::USUAL_MS),
            max_open: limits.map_or(0, |limits| limits.max_open),
            origin,
            config,
            store,
            http: http::Pool::new(client),
            present: who.present,
            presences: Presences::default(),
            share: false,
            watches: false,
            person: false,
            tasks: None,
            approvals: Approvals::default(),
            reached: Mutex::default(),
            program: None,
        })
    }

    /// Runs one operation, and returns what it says it answers.
    ///
    /// # Errors
    /// See [`Client::call`].
    pub async fn ask<O: Operation>(&self, input: O::Input) -> Result<O::Output, Failure> {
        self.call(input.into(), &|_| {}).await?.read::<O>()
    }

    /// Makes the client start keepers with this `szk` program. Without it they are the program that this
    /// process runs.
    #[must_use]
    pub fn with_program(mut self, szk: PathBuf) -> Self {
        self.program = Some(szk);
        self
    }

    /// The same client with another store.
    #[must_use]
    pub fn with_store(mut self, root: PathBuf) -> Self {
        self.store = Store::at(self.origin.cwd.join(root));
        self
    }

    /// The same client, for which only sessions that match one of these patterns exist, and their clones.
    #[must_use]
    pub fn limited_to(mut self, patterns: &[String]) -> Self {
        self.store = self.store.limited_to(names::with_clones(patterns));
        self
    }

    /// The address of the live view of a session that waits for a person.
    pub async fn live_view(&self, session: &str) -> Option<String> {
        let profile = self.store.profile(&names::parse(session).ok()?);
        let keeper = profile.keeper().filter(KeeperInfo::is_alive)?;
        let info = self.http.info(&keeper.socket).await?;
        Some(info.handoff?.url)
    }

    /// Whether a session of this name may exist for this client.
    #[must_use]
    pub fn sees(&self, session: &str) -> bool {
        names::must_be_visible(&self.store, session).is_ok()
    }

    /// Makes the client open the endpoint of each session it opens.
    #[must_use]
    pub fn sharing(mut self) -> Self {
        self.share = true;
        self
    }

    /// Marks the client as one that looks at the sessions of others: it counts as a client only of those
    /// that it opened itself, keeps no other from closing, and starts none by another call.
    #[must_use]
    pub fn watching(mut self) -> Self {
        self.watches = true;
        self
    }

    /// Marks the client as used by a person at a terminal, who may open local files.
    #[must_use]
    pub fn for_person(mut self) -> Self {
        self.person = true;
        self
    }

    /// Another client of the same store and configuration, for a front end whose process serves several
    /// connections: each is a client of its own.
    #[must_use]
    pub fn for_caller(&self, who: Caller) -> Self {
        Self {
            origin: self.origin.clone(),
            config: self.config.clone(),
            store: self.store.clone(),
            present: who.present,
            http: http::Pool::new(who.client),
            presences: Presences::default(),
            usual_ms: self.usual_ms,
            max_open: self.max_open,
            share: self.share,
            watches: self.watches,
            person: self.person,
            tasks: self.tasks,
            approvals: Approvals::default(),
            reached: Mutex::default(),
            program: self.program.clone(),
        }
    }

    /// Gives the client the name that its program gives itself, unless it was named already.
    pub fn called(&self, name: &str) {
        self.http.called(name);
    }

    pub(crate) fn config(&self) -> &Config {
        &self.config
    }

    pub(crate) fn store(&self) -> &Store {
        &self.store
    }

    /// The presets of the configuration.
    #[must_use]
    pub fn presets(&self) -> Vec<PresetInfo> {
        self.config.presets()
    }

    /// How many profiles the store has, and how many of them are open; zero if it is unreadable.
    #[must_use]
    pub fn count(&self) -> (usize, usize) {
        let profiles = self.store.list().unwrap_or_default();
        let open = profiles.iter().filter(|profile| profile.is_live()).count();
        (profiles.len(), open)
    }

    /// The open sessions, each with the bytes of memory that its browser has for itself.
    #[must_use]
    pub fn memory(&self) -> Vec<(String, u64)> {
        let profiles = self.store.list().unwrap_or_default();
        let open = profiles.iter().filter(|profile| profile.is_live());
        let keepers = open.filter_map(|profile| {
            let keeper = profile.keeper().filter(KeeperInfo::is_alive)?;
            Some((profile.name().to_string(), keeper.pid))
        });
        let (names, pids): (Vec<_>, Vec<_>) = keepers.unzip();
        let memory = szk_store::process::memory_below(&pids);
        names.into_iter().zip(memory).collect()
    }

    /// The names of all profiles in the store; empty if it is unreadable.
    #[must_use]
    pub fn profile_names(&self) -> Vec<String> {
        let profiles = self.store.list().unwrap_or_default();
        profiles.iter().map(|one| one.name().to_string()).collect()
    }

    /// Every configuration key as it would apply to this call, with its source.
    ///
    /// # Errors
    /// `INVALID_INPUT` or `INVALID_CONFIG`; `SESSION_NOT_FOUND` if there is no such profile.
    pub fn explain(&self, input: &OpenInput) -> Result<Vec<Row>, Failure> {
        let saved = match &input.session {
            Some(name) => {
                let name = names::parse(name)?;
                names::must_exist(&self.store, &name)?;
                let meta = self.store.profile(&name).meta();
                meta.map_err(|error| failure::store(&error))?
            }
            None => None,
        };
        let identity = saved.map(|meta| meta.identity);
        let resolved = self
            .config
            .resolve(None, identity.as_ref(), &options::of(input)?)
            .map_err(|errors| failure::config(&errors))?;
        Ok(resolved.explain())
    }

    /// Checks that one more session may be opened.
    ///
    /// # Errors
    /// `SESSION_LIMIT` if `[session] max_open` sessions are open.
    pub(crate) fn room_for(&self, profile: &Profile) -> Result<(), Failure> {
        let Ok(limit @ 1..) = usize::try_from(self.max_open) else {
            return Ok(());
        };
        // Also those that a limited client does not see.
        let all = self
            .store
            .whole()
            .list()
            .map_err(|error| failure::store(&error))?;
        let others = all.iter().filter(|other| other.name() != profile.name());
        let open = others.filter(|other| other.is_live()).count();
        if open < limit {
            return Ok(());
        }
        let open = match open {
            1 => "1 session is open".to_owned(),
            open => format!("{open} sessions are open"),
        };
        Err(Failure::new(
            Code::SessionLimit,
            format!("{open}, and `[session] max_open` allows {limit}"),
        )
        .hint("close one with `session_close` (`szk close NAME`), or raise `max_open` in the configuration"))
    }

    /// Runs one operation.
    ///
    /// # Errors
    /// See [`Client::call`].
    pub async fn run<O: Operation>(
        &self,
        input: O::Input,
        progress: &(dyn Fn(Progress) + Send + Sync),
    ) -> Result<Response, Failure> {
        self.call(input.into(), progress).await
    }

    /// Runs an operation that a person may have to approve.
    ///
    /// # Errors
    /// The operation's own failures; `NEEDS_APPROVAL` with an [`szk_tools::failure::Approval`] if the person
    /// can be asked.
    pub async fn call_approved(
        &self,
        call: Call,
        approver: Approver<'_>,
        progress: &(dyn Fn(Progress) + Send + Sync),
    ) -> Result<Response, Failure> {
        approver.hold(self.call(call, progress)).await
    }

    /// Runs an operation of the catalogue. Dropping the future cancels it.
    ///
    /// # Errors
    /// The operation's own failures.
    pub async fn call(
        &self,
        mut call: Call,
        progress: &(dyn Fn(Progress) + Send + Sync),
    ) -> Result<Response, Failure> {
        let named = [call.input().session(), call.input().new_profile()];
        for name in named.into_iter().flatten() {
            names::must_be_visible(&self.store, name)?;
        }
        // The keeper has another working directory.
        call.begin_at(&self.origin.cwd);
        if let Some(millis) = self.usual_ms {
            call.set_usual_ms(millis);
        }
        let named = call.input().session().map(str::to_owned);
        let meant = || self.meant(named.as_deref());
        let deadline = Deadline::of(&call, meant().is_some_and(|profile| profile.is_live()));
        deadline.hold(self.carry_out(call, progress), meant).await
    }

    async fn carry_out(
        &self,
        call: Call,
        progress: &(dyn Fn(Progress) + Send + Sync),
    ) -> Result<Response, Failure> {
        let scope = call.spec().scope;
        match call {
            Call::SessionList(input) => self.list(&input).await,
            Call::SessionDelete(input) => self.delete_audited(&input).await,
            Call::SessionState(state) if state.from.is_some() => {
                Err(crate::browsers::needs_a_person(&state))
            }
            Call::SessionClose(close) if close.keep_as.is_some() => {
                self.close_kept(close, progress).await
            }
            Call::SessionOpen(open) => self.open(open, progress).await,
            Call::SessionRunTest(run) => self.run_test(run, progress).await,
            Call::AgentRun(input) => self.task(input, progress).await,
            // Who only looks starts nothing that has just been closed.
            call if scope == Scope::Opens && !self.watches => self.on_any(&call, progress).await,
            call => {
                let session = names::of_open(self, call.input().session()).await?;
                if let Some(done) = self.at_once(&session, &call, progress).await {
                    return done;
                }
                self.on_open(&session, &call, progress).await
            }
        }
    }

    /// Calls the keeper of a session, and starts it if needed.
    async fn on_any(
        &self,
        call: &Call,
        progress: &(dyn Fn(Progress) + Send + Sync),
    ) -> Result<Response, Failure> {
        let named = call.input().session();
        let session = names::or_default(self, named).await?;
        if let Some(done) = self.at_once(&session, call, progress).await {
            return done;
        }
        let missing = match call.input().makes_profile() || named.is_none() {
            true => Missing::Make,
            false => Missing::Refuse,
        };
        let is_new = missing == Missing::Make && !self.store.profile(&session).exists();
        let start = self.start(&session, &OpenInput::default())?;
        let mut reached = self.reach(&start, missing, progress).await?;
        let found = match (is_new, reached.started) {
            (true, _) => Found::Nowhere,
            (false, true) => Found::Closed,
            (false, false) => Found::Open,
        };
        let result = self
            .on_reached(&session, &mut reached, call, found, progress)
            .await;
        // Do not leave a browser running that was started only to move a file.
        if reached.started && matches!(call, Call::SessionState(_)) && self.is_alone(&reached).await
        {
            let close = CloseInput {
                session: Some(session.to_string()),
                ..CloseInput::default()
            };
            match self.on_open(&session, &close.into(), progress).await {
                // Somebody has joined meanwhile.
                Err(failure) if failure.code == Code::SessionBusy => {}
                closed => {
                    if is_new && closed.is_ok() && result.is_err() {
                        self.forget(&session).await;
                    }
                    return and_closed(result, closed, &session);
                }
            }
        }
        result.map_err(|failure| failed(failure, &session, reached.started))
    }

    /// Deletes the profile created for an import that failed. If that fails too, an empty profile
    /// remains, which `session_list` shows.
    async fn forget(&self, session: &Name) {
        let input = DeleteInput {
            unused_days: None,
            session: session.to_string(),
            dry_run: None,
        };
        let _ = self.delete(&input).await;
    }
}

/// Front ends share one client between their tasks.
const _: fn() = || {
    fn shared<T: Send + Sync>() {}
    shared::<Arc<Client>>();
};
