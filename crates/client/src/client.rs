//! The client: one per front process.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde_json::Value;
use szk_config::{Config, Origin, Row};
use szk_store::{Name, Store};
use szk_tools::session::{CloseInput, OpenInput};
use szk_tools::{Call, Code, Done, Failure, Operation, Progress, Response, Scope};

use crate::keeper::Reached;
use crate::presence::Presences;
use crate::wire::Start;
use crate::{http, keeper, names, options, trouble};

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
    share: bool,
    /// Sockets that answered. A std mutex: nothing awaits under it.
    reached: Mutex<HashMap<Name, PathBuf>>,
}

/// Time budget of opening, in milliseconds, when the call does not say.
const OPEN_BUDGET_MS: u64 = 60_000;
/// How often an operation is taken to the next keeper when the one at hand is closing.
const KEEPERS_TRIED: u32 = 5;

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
        Ok(Self {
            origin,
            config,
            store,
            http: http::Pool::new(&who),
            who,
            presences: Presences::default(),
            share: false,
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
    /// `INVALID_INPUT` or `INVALID_CONFIG`.
    pub fn explain(&self, input: &OpenInput) -> Result<Vec<Row>, Failure> {
        let saved = match &input.session {
            Some(name) => self
                .store
                .profile(&names::parse(name)?)
                .meta()
                .map_err(|error| trouble::store_failure(&error))?,
            None => None,
        };
        let identity = saved.map(|meta| meta.identity);
        let resolved = self
            .config
            .resolve(None, identity.as_ref(), &options::of(input)?)
            .map_err(|errors| trouble::config_failure(&errors))?;
        Ok(resolved.explain())
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
        let call = Call::decode(name, input.clone())?;
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
                let reached = self
                    .reach(&self.start(&session, &OpenInput::default())?, progress)
                    .await?;
                let result = self
                    .on_reached(&session, &reached, name, &input, progress)
                    .await;
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
                }
                result
            }
        }
    }

    /// Whether nobody else came to a keeper meanwhile.
    async fn is_alone(&self, reached: &Reached) -> bool {
        let own = usize::from(self.who.present);
        let info = self.http.info(&reached.socket).await;
        info.is_none_or(|info| info.clients.len() <= own)
    }

    /// What a keeper for this call would be started with.
    ///
    /// # Errors
    /// `INVALID_INPUT`.
    pub fn start_for(&self, input: &OpenInput) -> Result<Start, Failure> {
        let name = names::parse(input.session.as_deref().unwrap_or(names::DEFAULT))?;
        let clone = input.clone.unwrap_or(false);
        if clone && !self.store.profile(&name).exists() {
            return Err(Failure::new(
                Code::SessionNotFound,
                format!("there is no profile `{name}` to clone"),
            )
            .hint("`session_list` shows the profiles; open it once without `clone` to make it"));
        }
        let session = if clone {
            names::of_clone(&name)?
        } else {
            name.clone()
        };
        let mut start = self.start(&session, input)?;
        self.check(&name, &start)?;
        start.clone_of = clone.then(|| name.to_string());
        Ok(start)
    }

    /// Finds out what is wrong with a call before anything is made for it; the keeper would say the same.
    fn check(&self, name: &Name, start: &Start) -> Result<(), Failure> {
        // What is wrong with the profile itself is the keeper's to tell, or to mend.
        let saved = self.store.profile(name).meta().ok().flatten();
        let identity = saved.map(|meta| meta.identity);
        self.config
            .resolve(None, identity.as_ref(), &start.options)
            .map(drop)
            .map_err(|errors| trouble::config_failure(&errors))
    }

    async fn open(
        &self,
        open: OpenInput,
        input: Value,
        progress: &(dyn Fn(Progress) + Send + Sync),
    ) -> Result<Response, Failure> {
        let mut open = open;
        if open.session.is_none() {
            open.session = Some(names::or_default(self, &input).await?.to_string());
        }
        let start = self.start_for(&open)?;
        let session = names::parse(&start.session)?;
        let budget = Duration::from_millis(open.timeout_ms.unwrap_or(OPEN_BUDGET_MS));
        let reached = tokio::time::timeout(budget, self.reach(&start, progress))
            .await
            .unwrap_or_else(|_| Err(slow(&session, budget)))?;
        let mut ask = open;
        ask.session = Some(start.session.clone());
        let input = serde_json::to_value(&ask).unwrap_or_default();
        let mut response = self
            .on_reached(&session, &reached, "session_open", &input, progress)
            .await?;
        if reached.started {
            response.data["started"] = Value::from("started");
            response.summary = response.summary.replacen("joined", "opened", 1);
        }
        Ok(response)
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

    fn start(&self, session: &Name, input: &OpenInput) -> Result<Start, Failure> {
        Ok(Start {
            store: self.store.root().to_owned(),
            session: session.to_string(),
            clone_of: None,
            share: self.share,
            options: options::of(input)?,
            cwd: self.origin.cwd.clone(),
        })
    }

    /// Calls on a keeper that answered before, without asking first whether it still does. `None` when it
    /// does not, or is closing: then nothing was done.
    async fn at_once(
        &self,
        session: &Name,
        name: &str,
        input: &Value,
        progress: &(dyn Fn(Progress) + Send + Sync),
    ) -> Option<Result<Response, Failure>> {
        let socket = self.reached().get(session).cloned()?;
        if self.who.present {
            self.presences
                .hold(session.as_str(), &socket, &self.who)
                .await;
        }
        match self.http.operation(&socket, name, input, progress).await {
            Err(failure) if may_be_closing(&failure) => {
                self.reached().remove(session);
                None
            }
            done => Some(done),
        }
    }

    fn reached(&self) -> MutexGuard<'_, HashMap<Name, PathBuf>> {
        self.reached.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn reach(
        &self,
        start: &Start,
        progress: &(dyn Fn(Progress) + Send + Sync),
    ) -> Result<Reached, Failure> {
        let reached = keeper::reach(self, start, progress).await?;
        if self.who.present {
            self.presences
                .hold(&start.session, &reached.socket, &self.who)
                .await;
        }
        self.reached()
            .insert(names::parse(&start.session)?, reached.socket.clone());
        Ok(reached)
    }

    /// Calls on the keeper just reached; when that one is closing, on the one after it.
    async fn on_reached(
        &self,
        session: &Name,
        reached: &Reached,
        name: &str,
        input: &Value,
        progress: &(dyn Fn(Progress) + Send + Sync),
    ) -> Result<Response, Failure> {
        let mut socket = reached.socket.clone();
        let mut tried = 0;
        loop {
            match self.http.operation(&socket, name, input, progress).await {
                Err(failure) if may_be_closing(&failure) && tried < KEEPERS_TRIED => {
                    tried += 1;
                    let open = match Call::decode(name, input.clone()) {
                        Ok(Call::SessionOpen(open)) => open,
                        _ => OpenInput::default(),
                    };
                    socket = self
                        .reach(&self.start(session, &open)?, progress)
                        .await?
                        .socket;
                }
                other => return other,
            }
        }
    }

    /// Calls on a session that must be open.
    pub(crate) async fn on_open(
        &self,
        session: &Name,
        name: &str,
        input: &Value,
        progress: &(dyn Fn(Progress) + Send + Sync),
    ) -> Result<Response, Failure> {
        let profile = self.store.profile(session);
        let Some(socket) = keeper::find(self, &profile, Duration::from_secs(10)).await else {
            return Err(match profile.exists() {
                true => names::not_open(session, true),
                false => names::unknown(&self.store, session),
            });
        };
        self.http.operation(&socket, name, input, progress).await
    }
}

/// The keeper goes on: a start that is cut off half way would cost the next caller more.
fn slow(session: &Name, budget: Duration) -> Failure {
    Failure::new(
        Code::Timeout,
        format!(
            "session `{session}` was not open within {} ms",
            budget.as_millis()
        ),
    )
    .hint("it is still being opened: call again to join it, or raise `timeout_ms`")
    .retryable()
    .effect(Done::Unknown)
}

/// Fronts share one client between their tasks.
const _: fn() = || {
    fn shared<T: Send + Sync>() {}
    shared::<Arc<Client>>();
};

/// Whether a keeper that is closing would answer like this, with nothing done: the next one can be asked.
fn may_be_closing(failure: &Failure) -> bool {
    failure.code == Code::SessionBusy && failure.retryable && failure.effect == Done::None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_may_have_been_done_is_not_asked_for_again() {
        let closing = Failure::new(Code::SessionBusy, "the session is closing").retryable();
        assert!(may_be_closing(&closing));
        for effect in [Done::Unknown, Done::Done] {
            assert!(!may_be_closing(&closing.clone().effect(effect)));
        }
        assert!(!may_be_closing(&Failure::new(
            Code::SessionBusy,
            "a dialog"
        )));
        assert!(!may_be_closing(
            &Failure::new(Code::Timeout, "slow").retryable()
        ));
    }
}
