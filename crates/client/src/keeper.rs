//! Joins the keeper of a profile, or starts it: exactly one, however many clients try at once.

use std::path::PathBuf;
use std::time::Duration;

use szk_store::{LockError, Profile, StartLock};
use szk_tools::{Code, Done, Failure, Progress};
use szk_wire::{Lifecycle, Start, failure};
use tokio::time::Instant;

use crate::{Client, deadline, names, spawn};

/// A keeper that answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct LiveKeeper {
    /// The socket it answers on.
    pub(crate) socket: PathBuf,
    /// Whether this call started it.
    pub(crate) started: bool,
}

/// What to do about a profile that does not exist.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Missing {
    /// Create it: the call opens a profile.
    Make,
    /// Refuse: the name is a typo.
    Refuse,
}

/// How long to wait for a keeper that starts or closes.
const PATIENCE: Duration = Duration::from_secs(60);
/// How often to check meanwhile; the kernel has no event for a lock that becomes free.
const LOOK: Duration = Duration::from_millis(5);

/// Joins the profile's keeper, or starts one.
pub(crate) async fn reach(
    client: &Client,
    start: &Start,
    missing: Missing,
    progress: &(dyn Fn(Progress) + Send + Sync),
) -> Result<LiveKeeper, Failure> {
    let profile = client.store().profile(&names::parse(&start.session)?);
    if let Some(socket) = answering(client, &profile).await {
        return Ok(LiveKeeper {
            socket,
            started: false,
        });
    }
    if start.clone_of.is_none() && names::is_clone(profile.name()) && !profile.exists() {
        return Err(names::not_open(profile.name(), false).hint(
            "a clone is deleted when its last client leaves: open its profile with `clone` again",
        ));
    }
    let refuse = || missing == Missing::Refuse && !profile.exists() && !profile.is_live();
    // Check before taking the start lock too, because that creates the folder.
    if refuse() && !profile.dir().exists() {
        return Err(names::unknown(client.store(), profile.name()));
    }
    let _starting = start_lock(&profile).await?;
    // Whoever held the start lock may have created it.
    if refuse() {
        return Err(names::unknown(client.store(), profile.name()));
    }
    profile.create().map_err(|error| failure::store(&error))?;
    let deadline = Instant::now() + PATIENCE;
    loop {
        if let Some(socket) = until_free(client, &profile, deadline).await? {
            return Ok(LiveKeeper {
                socket,
                started: false,
            });
        }
        client.room_for(&profile)?;
        let program = client.program.as_deref();
        let keeper = match spawn::keeper(program, start, &profile, progress).await {
            Ok(keeper) => keeper,
            // Another keeper was starting, and its starter was killed: that keeper has the profile.
            Err(failure)
                if failure.code == Code::ProfileLocked
                    && profile.is_live()
                    && Instant::now() < deadline =>
            {
                continue;
            }
            Err(failure) => return Err(failure),
        };
        // It has said that it is ready; on a busy machine its first answer may take a while all the same.
        if let Some(socket) = find(client, &profile, PATIENCE).await {
            return Ok(LiveKeeper {
                socket,
                started: true,
            });
        }
        if profile.is_live() {
            return Err(deadline::unanswering(&profile).effect(Done::Unknown));
        }
        // Another client has closed the session before we came to it.
        let closed = keeper.ended_in_order().await;
        if !closed || Instant::now() > deadline {
            return Err(exited(&profile));
        }
    }
}

fn exited(profile: &Profile) -> Failure {
    let name = profile.name();
    Failure::new(
        Code::BrowserCrashed,
        format!("the keeper of `{name}` exited right after it started"),
    )
    .hint(format!("`{}` says why", profile.log_path().display()))
}

/// Waits for a starting keeper, and returns its socket, or for a closing one, which frees the profile.
async fn until_free(
    client: &Client,
    profile: &Profile,
    deadline: Instant,
) -> Result<Option<PathBuf>, Failure> {
    loop {
        if let Some(socket) = answering(client, profile).await {
            return Ok(Some(socket));
        }
        match profile.lock() {
            // The keeper we start takes the lock. No one else starts one while we hold the start lock.
            Ok(lock) => {
                drop(lock);
                return Ok(None);
            }
            Err(LockError::Held { .. }) if Instant::now() < deadline => {
                tokio::time::sleep(LOOK).await
            }
            Err(LockError::Held { .. }) => return Err(busy(profile)),
            Err(error) => return Err(failure::lock(&error)),
        }
    }
}

/// The socket of a profile's keeper, if it is running; waits for one that is starting.
pub(crate) async fn find(
    client: &Client,
    profile: &Profile,
    patience: Duration,
) -> Option<PathBuf> {
    let deadline = Instant::now() + patience;
    loop {
        if let Some(socket) = answering(client, profile).await {
            return Some(socket);
        }
        if !profile.is_live() || Instant::now() > deadline {
            return None;
        }
        tokio::time::sleep(LOOK).await;
    }
}

/// The socket of a keeper that answers and is not closing.
async fn answering(client: &Client, profile: &Profile) -> Option<PathBuf> {
    let keeper = profile.keeper()?;
    let info = client.http.info(&keeper.socket).await?;
    (info.life != Lifecycle::Closing && info.session == profile.name().as_str())
        .then_some(keeper.socket)
}

async fn start_lock(profile: &Profile) -> Result<StartLock, Failure> {
    let profile = profile.clone();
    tokio::task::spawn_blocking(move || profile.start_lock())
        .await
        .map_err(|error| Failure::internal(format!("cannot wait for the start lock: {error}")))?
        .map_err(|error| failure::store(&error))
}

fn busy(profile: &Profile) -> Failure {
    Failure::new(
        Code::SessionBusy,
        format!(
            "a process that does not answer holds session `{}`",
            profile.name()
        ),
    )
    .hint(format!(
        "see `{}`, or run `szk doctor` to find the process",
        profile.log_path().display()
    ))
    .retryable()
}

#[cfg(test)]
mod tests;
