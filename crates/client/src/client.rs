//! The client: one per front process.

mod file;
mod open;
mod reach;

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use serde_json::Value;
use szk_config::{CallOptions, Config, Origin, Row};
use szk_store::{Name, Profile, Store};
use szk_tools::session::{CloseInput, DeleteInput, OpenInput};
use szk_tools::{Call, Code, Failure, Operation, Progress, Response, Scope};

use crate::deadline::Deadline;
use crate::keeper::Missing;
use crate::presence::Presences;
use crate::{http, names, options, trouble};

/// Who calls.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Who {
    /// The front: `mcp`, `cli`.
    pub name: String,
    /// The program behind it, if it said.
    pub detail: Option<String>,
    /// Whether it stays: a session it opened has a client until this one is dropped.
    pub present: bool,
}

/// A client of all keepers of one store.
pub struct Client {
    pub(crate) origin: Origin,
    config: Config,
    store: Store,
    who: Who,
    pub(crate) http: http::Pool,
    presences: Presences,
    /// `[session] timeout_seconds`, in milliseconds.
    usual_ms: Option<u64>,
    /// `[session] max_open`; 0 is any number.
    max_open: u64,
    share: bool,
    /// Whether a person in a terminal speaks, who may open files of this machine.
    person: bool,
    /// Sockets that answered. A std mutex: nothing awaits under it.
    reached: Mutex<HashMap<Name, PathBuf>>,
}

impl Client {
    /// A client with the configuration of this process.
    ///
    /// # Errors
    /// `INVALID_CONFIG` with every problem of every file.
    pub fn from_process(who: Who) -> Result<Self, Failure> {
        Self::new(Origin::from_process(), who)
    }

    /// A client with the configuration found from `origin`.
    ///
    /// # Errors
    /// `INVALID_CONFIG` with every problem of every file.
    pub fn new(origin: Origin, who: Who) -> Result<Self, Failure> {
        let config = Config::load(&origin).map_err(|errors| trouble::files_failure(&errors))?;
        let store = Store::at(config.store_root());
        let limits = config
            .resolve(None, None, &CallOptions::default())
            .ok()
            .map(|resolved| resolved.settings.session);
        Ok(Self {
            usual_ms: limits.as_ref().map(|limits| limits.timeout_seconds * 1000),
            max_open: limits.map_or(0, |limits| limits.max_open),
            origin,
            config,
            store,
            http: http::Pool::new(&who),
            who,
            presences: Presences::default(),
            share: false,
            person: false,
            reached: Mutex::default(),
        })
    }

    /// The same with another store.
    #[must_use]
    pub fn with_store(mut self, root: PathBuf) -> Self {
        self.store = Store::at(self.origin.cwd.join(root));
        self
    }

    /// A client that wants the endpoint of every session it opens, at once.
    #[must_use]
    pub fn sharing(mut self) -> Self {
        self.share = true;
        self
    }

    /// A client that a person in a terminal speaks through: they may open files of this machine.
    #[must_use]
    pub fn for_person(mut self) -> Self {
        self.person = true;
        self
    }

    /// The configuration's files.
    #[must_use]
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// The profile store.
    #[must_use]
    pub fn store(&self) -> &Store {
        &self.store
    }

    /// Who calls.
    #[must_use]
    pub fn who(&self) -> &Who {
        &self.who
    }

    /// Every key of the configuration as it would be in force for this call, with its source.
    ///
    /// # Errors
    /// `INVALID_INPUT` or `INVALID_CONFIG`; `SESSION_NOT_FOUND` for a name that no profile has.
    pub fn explain(&self, input: &OpenInput) -> Result<Vec<Row>, Failure> {
        let saved = match &input.session {
            Some(name) => {
                let name = names::parse(name)?;
                names::must_exist(&self.store, &name)?;
                let meta = self.store.profile(&name).meta();
                meta.map_err(|error| trouble::store_failure(&error))?
            }
            None => None,
        };
        let identity = saved.map(|meta| meta.identity);
        let resolved = self
            .config
            .resolve(None, identity.as_ref(), &options::of(input)?)
            .map_err(|errors| trouble::config_failure(&errors))?;
        Ok(resolved.explain())
    }

    /// Whether one more session may be opened.
    ///
    /// # Errors
    /// `SESSION_LIMIT` when as many are open as `[session] max_open` allows.
    pub fn room_for(&self, profile: &Profile) -> Result<(), Failure> {
        let Ok(limit @ 1..) = usize::try_from(self.max_open) else {
            return Ok(());
        };
        let all = self
            .store
            .list()
            .map_err(|error| trouble::store_failure(&error))?;
        let others = all.iter().filter(|other| other.name() != profile.name());
        let open = others.filter(|other| other.is_live()).count();
        if open < limit {
            return Ok(());
        }
        Err(Failure::new(
            Code::SessionLimit,
            format!("{open} sessions are open, and `[session] max_open` allows {limit}"),
        )
        .hint("close one with `session_close` (`szk close NAME`), or raise `max_open` in the configuration"))
    }

    /// Carries out an operation with a typed input.
    ///
    /// # Errors
    /// See [`Client::call`].
    pub async fn run<O: Operation>(
        &self,
        input: &O::Input,
        progress: &(dyn Fn(Progress) + Send + Sync),
    ) -> Result<Response, Failure> {
        let input = serde_json::to_value(input).map_err(|error| {
            Failure::internal(format!(
                "the input of `{}` cannot be written: {error}",
                O::NAME
            ))
        })?;
        self.call(O::NAME, input, progress).await
    }

    /// Carries out an operation of the catalogue. Dropping the future cancels it.
    ///
    /// # Errors
    /// `INVALID_INPUT` before anything is done; else what the operation says.
    pub async fn call(
        &self,
        name: &str,
        input: Value,
        progress: &(dyn Fn(Progress) + Send + Sync),
    ) -> Result<Response, Failure> {
        let mut input = self.with_absolute_paths(input);
        self.in_own_folder(name, &mut input);
        let mut call = Call::decode(name, input.clone())?;
        if call.leaves_its_time_open()
            && let Some(millis) = self.usual_ms
            && millis != szk_tools::budget::USUAL_MS
        {
            set(&mut input, "timeout_ms", millis.into());
            call = Call::decode(name, input.clone())?;
        }
        let live = self.meant(&input).is_some_and(|profile| profile.is_live());
        let deadline = Deadline::of(&call, live);
        let work = self.carry_out(name, call, input.clone(), progress);
        deadline.hold(work, || self.meant(&input)).await
    }

    async fn carry_out(
        &self,
        name: &str,
        call: Call,
        input: Value,
        progress: &(dyn Fn(Progress) + Send + Sync),
    ) -> Result<Response, Failure> {
        match (call.spec().scope, call) {
            (_, Call::SessionList(input)) => self.list(&input).await,
            (_, Call::SessionDelete(input)) => self.delete(&input).await,
            (_, Call::SessionState(state)) if state.from.is_some() => {
                Err(crate::browsers::needs_a_person(&state))
            }
            (_, Call::SessionClose(close)) if close.keep_as.is_some() => {
                self.close_kept(close, input, progress).await
            }
            (_, Call::SessionOpen(open)) => self.open(open, input, progress).await,
            (_, Call::SessionRunTest(run)) => self.run_test(run, input, progress).await,
            (Scope::Session | Scope::Store, _) => {
                let session = names::of_open(self, &input).await?;
                if let Some(done) = self.at_once(&session, name, &input, progress).await {
                    return done;
                }
                self.on_open(&session, name, &input, progress).await
            }
            (Scope::Opens, call) => {
                let session = names::or_default(self, &input).await?;
                if let Some(done) = self.at_once(&session, name, &input, progress).await {
                    return done;
                }
                let missing = if call.makes_profile() || names::is_unnamed(&input) {
                    Missing::Make
                } else {
                    Missing::Refuse
                };
                let is_new = missing == Missing::Make && !self.store.profile(&session).exists();
                let reached = self
                    .reach(
                        &self.start(&session, &OpenInput::default())?,
                        missing,
                        progress,
                    )
                    .await?;
                let mut result = self
                    .on_reached(&session, &reached, name, &input, progress)
                    .await;
                if let (true, Ok(response)) = (is_new, &mut result) {
                    tell_new(&session, &call, response);
                }
                // A browser that was started only to move a file must not stay.
                if reached.started
                    && matches!(call, Call::SessionState(_))
                    && self.is_alone(&reached).await
                {
                    let close = CloseInput {
                        session: Some(session.to_string()),
                        ..CloseInput::default()
                    };
                    self.on_open(
                        &session,
                        "session_close",
                        &serde_json::to_value(close).unwrap_or_default(),
                        progress,
                    )
                    .await?;
                    if is_new && result.is_err() {
                        self.forget(&session).await;
                    }
                }
                result
            }
        }
    }

    /// Deletes the profile that was made for an import that failed. If it cannot be deleted it is an
    /// empty one that `session_list` shows.
    async fn forget(&self, session: &Name) {
        let input = DeleteInput {
            unused_days: None,
            session: session.to_string(),
            dry_run: None,
        };
        let _ = self.delete(&input).await;
    }

    /// Paths are the caller's: a keeper has another working directory.
    fn with_absolute_paths(&self, mut input: Value) -> Value {
        let absolute = |path: &mut Value| {
            if let Value::String(text) = path {
                *text = self.origin.cwd.join(&*text).to_string_lossy().into_owned();
            }
        };
        for name in ["path", "dir"] {
            if let Some(path) = input.get_mut(name) {
                absolute(path);
            }
        }
        for name in ["extensions", "paths"] {
            if let Some(Value::Array(paths)) = input.get_mut(name) {
                paths.iter_mut().for_each(absolute);
            }
        }
        if let Some(Value::Array(fields)) = input.get_mut("fields") {
            let all = fields.iter_mut().filter_map(|field| field.get_mut("paths"));
            all.filter_map(Value::as_array_mut)
                .flatten()
                .for_each(absolute);
        }
        if let Some(Value::Array(steps)) = input.get_mut("steps") {
            for step in steps.iter_mut().filter_map(|step| step.get_mut("input")) {
                *step = self.with_absolute_paths(step.take());
            }
        }
        input
    }
}

/// A profile that was made on the way is named: whoever mistyped one sees it.
fn tell_new(session: &Name, call: &Call, response: &mut Response) {
    if let Call::SessionState(_) = call {
        response.data["created"] = Value::Bool(true);
    }
    if call.makes_profile() {
        let made = format!("; `{session}` is a new profile");
        response.summary.push_str(&made);
    }
}

fn set(input: &mut Value, name: &str, value: Value) {
    if input.is_null() {
        *input = Value::Object(serde_json::Map::new());
    }
    input[name] = value;
}

/// Fronts share one client between their tasks.
const _: fn() = || {
    fn shared<T: Send + Sync>() {}
    shared::<Arc<Client>>();
};
