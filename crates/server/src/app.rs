//! What all requests share.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use szk_client::{Client, TokenCheck, TokenRow};
use szk_tools::{Call, Code, Done, Failure, Permission, Progress, Reach, Response, Scope, Spec};
use tokio::time::interval;
use tokio_util::sync::CancellationToken;

use crate::activity::{Activity, SessionUse};
use crate::dashboard::{self, Logins};
use crate::drain::{self, Drain};
use crate::idempotency::Answered;
use crate::limits::{Limits, Starting};
use crate::live_view::Views;
use crate::mcp::McpHandler;
use crate::metrics::Metrics;
use crate::panics;
use crate::presence::Presence;
use crate::serve::ServeOptions;

/// How long calls go on after the server was asked to stop.
const FINISHING: Duration = Duration::from_secs(8);

/// Makes a client for a token, and for the name that its user gives itself.
pub(crate) type Clients = Box<dyn Fn(&str, Option<&str>) -> Result<Client, Failure> + Send + Sync>;

/// Clients that are kept; those that nobody uses at the moment go first.
const MOST_CLIENTS: usize = 1000;

/// How often a token is looked at while something of its user goes on.
pub(crate) const LOOK: Duration = Duration::from_millis(400);

/// What tells clients apart: the token's name, the name they give themselves, and what the token shows.
pub(crate) type Key = (String, Option<String>, Vec<String>);

/// The server's state.
pub(crate) struct App {
    clients: Clients,
    tokens: TokenCheck,
    /// The clients in use. A std mutex: nothing awaits under it.
    by_token: Mutex<HashMap<Key, Arc<Client>>>,
    pub(crate) address: SocketAddr,
    pub(crate) options: ServeOptions,
    pub(crate) mcp: Option<McpHandler>,
    pub(crate) metrics: Metrics,
    pub(crate) answered: Arc<Answered>,
    pub(crate) limits: Arc<Limits>,
    pub(crate) activity: Arc<Activity>,
    pub(crate) presence: Arc<Presence>,
    /// Who is logged in to the dashboard.
    pub(crate) logins: Logins,
    pub(crate) drain: Arc<Drain>,
    /// Cancelled when the server stops: it takes no more work.
    pub(crate) stop: CancellationToken,
}

/// Who makes a request: the row of the token, and the client that makes its calls.
#[derive(Clone)]
pub(crate) struct Who {
    pub(crate) key: Key,
    pub(crate) token: Arc<TokenRow>,
    pub(crate) client: Arc<Client>,
    /// The token itself, to see whether it is still good.
    secret: Secret,
    /// Files that came with the request: its call may name them.
    pub(crate) brought: Arc<[PathBuf]>,
    /// What stands in the path before `/v1` if the token is there.
    pub(crate) prefix: String,
    /// The server's address as another machine reaches it.
    pub(crate) base: Option<String>,
}

impl App {
    pub(crate) fn new(
        clients: Clients,
        address: SocketAddr,
        options: ServeOptions,
        mcp: Option<McpHandler>,
        drain: Arc<Drain>,
        stop: CancellationToken,
    ) -> Result<Self, Failure> {
        let own = clients("szk serve", None)?;
        let tokens = own.token_check();
        let limits = Arc::new(Limits::new(own)?);
        Ok(Self {
            clients,
            tokens,
            by_token: Mutex::default(),
            address,
            options,
            mcp,
            metrics: Metrics::of(szk_tools::specs().iter().map(|spec: &Spec| spec.name)),
            answered: Arc::default(),
            activity: Arc::new(Activity::new(limits.idle())),
            presence: Arc::new(Presence::new(limits.client_idle())),
            limits,
            logins: Logins::default(),
            drain,
            stop,
        })
    }

    /// Who has this token and calls itself `name`, if the token is known and has not expired.
    pub(crate) fn who(
        &self,
        token: &str,
        name: Option<&str>,
        prefix: String,
        base: Option<String>,
    ) -> Result<Option<Who>, Failure> {
        let Some(row) = self.tokens.find(token)? else {
            return Ok(None);
        };
        let key = (
            row.name.clone(),
            name.map(str::to_owned),
            row.sessions.clone(),
        );
        let mut clients = self.by_token.lock().unwrap_or_else(PoisonError::into_inner);
        let client = match clients.get(&key) {
            Some(client) => Arc::clone(client),
            None => {
                if clients.len() >= MOST_CLIENTS {
                    clients.retain(|_, client| Arc::strong_count(client) > 1);
                }
                let client = (self.clients)(&row.name, name)?.limited_to(&row.sessions);
                let client = match name {
                    Some(dashboard::CLIENT) => client.watching(),
                    _ => client,
                };
                let client = Arc::new(client);
                clients.insert(key.clone(), Arc::clone(&client));
                client
            }
        };
        Ok(Some(Who {
            key,
            token: Arc::new(row),
            client,
            secret: Secret(token.into()),
            brought: Arc::default(),
            prefix,
            base,
        }))
    }
}

/// A token, which is shown nowhere.
#[derive(Clone)]
struct Secret(Arc<str>);

impl App {
    /// Completes once the token of somebody is revoked or has expired: what they have open ends then.
    pub(crate) async fn locked_out(&self, who: &Who) {
        let mut look = interval(LOOK);
        loop {
            look.tick().await;
            // A store that cannot be read now says nothing.
            if let Ok(None) = self.tokens.find(&who.secret.0) {
                return;
            }
        }
    }

    /// Runs a call of somebody who may make it, and counts it.
    pub(crate) async fn run(
        &self,
        who: &Who,
        mut call: Call,
        progress: &(dyn Fn(Progress) + Send + Sync),
    ) -> Result<Response, Failure> {
        if !who.allows(Permission::Secrets) {
            call.input_mut().without_secrets();
        }
        let operation = call.spec().name;
        let views = Views::of(who, &call);
        let progress = &|step| progress(views.in_step(step));
        // It may go on without its request: a task, or a call that somebody repeats.
        let _here = self.presence.of(who);
        let _working = self.drain.work_on();
        let began = Instant::now();
        let outcome = match allowed(who, &call).await {
            Ok(()) => tokio::select! {
                outcome = panics::caught(operation, self.within_limits(who, call, progress)) => outcome,
                () = self.locked_out(who) => {
                    let why = "the token was revoked or has expired during the call";
                    Err(Failure::new(Code::Unauthorized, why).effect(Done::Unknown))
                }
                () = self.stopped() => Err(Failure::new(Code::Cancelled, "the server is stopping")
                    .effect(Done::Unknown)
                    .retryable()),
            },
            Err(refused) => Err(refused),
        };
        let code = match &outcome {
            Ok(_) => "OK".to_owned(),
            Err(failure) => failure.code.name(),
        };
        self.metrics.count(operation, &code, began.elapsed());
        outcome.map(|response| views.in_answer(response))
    }

    /// Runs a call when its turn has come, for as long as the server allows.
    async fn within_limits(
        &self,
        who: &Who,
        call: Call,
        progress: &(dyn Fn(Progress) + Send + Sync),
    ) -> Result<Response, Failure> {
        let until = tokio::time::Instant::now() + self.limits.request_timeout();
        let admitted = self.admitted(who, &call);
        let starting = match tokio::time::timeout_at(until, admitted).await {
            Ok(admitted) => admitted?,
            Err(_) => return Err(self.limits.timed_out(Done::None)),
        };
        let effect = match call.spec().reach {
            Reach::Read => Done::None,
            Reach::Write | Reach::Destroy => Done::Unknown,
        };
        let used = self.used(who, &call).await?;
        let closes = matches!(call, Call::SessionClose(_));
        let ran = tokio::time::timeout_at(until, who.client.call(call, progress)).await;
        drop((starting, used));
        let outcome = ran.unwrap_or_else(|_| Err(self.limits.timed_out(effect)));
        if let Ok(response) = &outcome
            && let Some(session) = response.data["session"].as_str()
        {
            if response.data["started"] == "started" {
                self.activity.opened(session, Instant::now());
            } else if closes {
                self.activity.forget(session);
            }
        }
        outcome
    }

    /// Waits for the turn of a call, as long as the server opens sessions.
    async fn admitted(&self, who: &Who, call: &Call) -> Result<Option<Starting>, Failure> {
        if !self.drain.is_on() {
            tokio::select! {
                admitted = self.limits.admit(&who.token.name, &who.client, call) => return admitted,
                () = self.drain.asked() => {}
            }
        }
        match who.client.would_start(call).await? {
            true => Err(drain::refusal()),
            false => Ok(None),
        }
    }

    /// Keeps the session that a call means from being closed as unused; begins to watch it if the call
    /// opens it.
    async fn used(&self, who: &Who, call: &Call) -> Result<Option<SessionUse>, Failure> {
        if !self.activity.is_limited() || call.spec().scope == Scope::Store {
            return Ok(None);
        }
        let session = match call.input().session() {
            Some(session) => session.to_owned(),
            None => who.client.usual_session().await?,
        };
        // A clone has a name of its own, which the answer tells.
        let opens = matches!(call, Call::SessionOpen(_) | Call::SessionRunTest(_));
        if !opens && who.client.would_start(call).await? {
            self.activity.opened(&session, Instant::now());
        }
        Ok(Some(self.activity.hold(&session)))
    }

    /// Takes the clients of all tokens out of a session.
    pub(crate) fn leave(&self, session: &str) {
        let clients = self.by_token.lock().unwrap_or_else(PoisonError::into_inner);
        for client in clients.values() {
            client.leave(session);
        }
    }

    /// Completes some seconds after the server was asked to stop: calls that still go on are cancelled then.
    pub(crate) async fn stopped(&self) {
        self.stop.cancelled().await;
        tokio::time::sleep(FINISHING).await;
    }
}

/// Refuses a call that somebody may not make, and says so in the audit log.
pub(crate) async fn allowed(who: &Who, call: &Call) -> Result<(), Failure> {
    let refused = who.may(call);
    if let Err(failure) = &refused {
        who.client
            .audit_refused(call, failure, Instant::now())
            .await;
    }
    refused
}
