//! Maintenance of stored profiles: archives, cleanup, and keeping a clone.

use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::Serialize;
use szk_config::{Action, Bounds, CallOptions};
use szk_store::archive::{self, ArchiveError, Limits};
use szk_store::gc::{self, Litter, Rules};
use szk_store::{LockError, Profile, ProfileLock};
use szk_tools::session::{Close, CloseInput, CloseOutput};
use szk_tools::{Code, Done, Failure, Progress, Response};
use szk_wire::failure;
use tokio::task::spawn_blocking;

use crate::{Client, names};

/// An archive that was written or read.
#[derive(Debug, Clone, Serialize)]
pub struct Exported {
    /// The profile.
    pub session: String,
    /// The archive.
    pub path: PathBuf,
    /// Number of the browser's files in it.
    pub files: u64,
    /// Bytes before compression.
    pub bytes: u64,
    /// Number of links and other special files left out.
    pub left_out: u64,
    /// What else was left out on purpose, and why.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// What `gc` found.
#[derive(Debug, Clone, Serialize)]
pub struct Garbage {
    /// Whether it was a dry run.
    pub dry_run: bool,
    /// What was removed, or would be.
    pub litter: Vec<Litter>,
    /// Total size of that in bytes.
    pub bytes: u64,
    /// Open sessions, which it skipped.
    pub open: Vec<String>,
    /// What could not be removed, with the reason.
    pub left: Vec<String>,
}

/// The result of maintenance for several profiles.
#[derive(Debug, Clone, Serialize)]
pub struct Maintained {
    /// By name.
    pub sessions: Vec<MaintainedRow>,
}

/// The result of maintenance for one profile.
#[derive(Debug, Clone, Serialize)]
pub struct MaintainedRow {
    /// The profile.
    pub session: String,
    /// Its size before, in bytes.
    pub before: u64,
    /// Its size now.
    pub after: u64,
    /// Bytes of deleted caches.
    pub caches: u64,
    /// Number of compacted databases.
    pub databases: u64,
    /// Why something was not done.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

impl Client {
    /// Writes a stored profile to a new archive.
    ///
    /// # Errors
    /// `SESSION_BUSY` if it is open, `SESSION_NOT_FOUND`, or an error of the disk.
    pub async fn export_profile(&self, session: &str, to: &Path) -> Result<Exported, Failure> {
        let (profile, lock) = self.closed(session)?;
        let path = self.origin.cwd.join(to);
        self.within_bounds(&[Action::Export, Action::Write(&path)])?;
        let notes = stays_here(&profile);
        let target = path.clone();
        let report = off_thread(move || archive::export(&profile, &lock, &target))
            .await?
            .map_err(|error| not_exported(&error))?;
        Ok(Exported {
            session: session.to_owned(),
            path,
            files: report.files,
            bytes: report.bytes,
            left_out: report.left_out,
            notes,
        })
    }

    /// Creates a profile from an archive, by default under the name it had.
    ///
    /// # Errors
    /// `INVALID_INPUT` for a name that is taken, or for an invalid or malicious archive.
    pub async fn import_profile(
        &self,
        from: &Path,
        session: Option<&str>,
    ) -> Result<Exported, Failure> {
        let name = session.map(names::parse).transpose()?;
        let path = self.origin.cwd.join(from);
        self.within_bounds(&[Action::Read(&path)])?;
        let (store, source) = (self.store().clone(), path.clone());
        let (profile, report) =
            off_thread(move || archive::import(&store, &source, name.as_ref(), &Limits::default()))
                .await?
                .map_err(|error| archive_failure(&error))?;
        Ok(Exported {
            session: profile.name().to_string(),
            path,
            files: report.files,
            bytes: report.bytes,
            left_out: report.left_out,
            notes: Vec::new(),
        })
    }

    /// Removes garbage: leftover clones, trash, damaged copies, artifacts older than `artifacts`.
    ///
    /// # Errors
    /// The store is unreadable.
    pub async fn gc(&self, artifacts: Option<Duration>, dry_run: bool) -> Result<Garbage, Failure> {
        let mut rules = Rules::default();
        rules.artifacts = artifacts.unwrap_or(rules.artifacts);
        let store = self.store().clone();
        let swept = off_thread(move || gc::sweep(&store, &rules, dry_run))
            .await?
            .map_err(|error| failure::store(&error))?;
        Ok(Garbage {
            dry_run,
            bytes: swept.litter.iter().map(|litter| litter.bytes).sum(),
            litter: swept.litter,
            open: swept.open.iter().map(ToString::to_string).collect(),
            left: swept.left.iter().map(ToString::to_string).collect(),
        })
    }

    /// Deletes caches and compacts databases of stored profiles, by name or glob. Skips open ones, with
    /// a note.
    ///
    /// # Errors
    /// `SESSION_NOT_FOUND`, or the store is unreadable.
    pub async fn maintain(&self, session: &str) -> Result<Maintained, Failure> {
        let profiles = self.chosen(session)?;
        let sessions = off_thread(move || profiles.iter().map(maintain).collect()).await?;
        Ok(Maintained { sessions })
    }

    /// Checks the policy of this process's configuration, for work without a keeper.
    pub(crate) fn within_bounds(&self, actions: &[Action<'_>]) -> Result<(), Failure> {
        let resolved = self
            .config()
            .resolve(None, None, &CallOptions::default())
            .map_err(|errors| failure::config(&errors))?;
        let mut bounds = Bounds::new(resolved.settings.policy, Vec::new());
        // Only a person gets here, who may read what is theirs; but nothing else belongs into the store.
        if actions.iter().any(|one| matches!(one, Action::Write(_))) {
            bounds = bounds.keeping_private(self.store().private_folders());
        }
        let mut actions = actions.iter();
        actions
            .try_for_each(|action| bounds.check(*action))
            .map_err(|denied| failure::policy(&denied))
    }

    /// A stored profile that is not open, with its lock.
    pub(crate) fn closed(&self, session: &str) -> Result<(Profile, ProfileLock), Failure> {
        let name = names::parse(session)?;
        let profile = self.store().profile(&name);
        if !profile.exists() {
            return Err(names::unknown(self.store(), &name));
        }
        match profile.lock() {
            Ok(lock) => Ok((profile, lock)),
            Err(LockError::Held { name }) => {
                Err(
                    Failure::new(Code::SessionBusy, format!("session `{name}` is open")).hint(
                        format!("close it first with `session_close` (`szk close {name}`)"),
                    ),
                )
            }
            Err(error) => Err(failure::lock(&error)),
        }
    }

    /// Closes a clone and keeps it. If its keeper was killed, no keeper is asked.
    pub(crate) async fn close_kept(
        &self,
        close: CloseInput,
        progress: &(dyn Fn(Progress) + Send + Sync),
    ) -> Result<Response, Failure> {
        let session = names::of_open(self, close.session.as_deref()).await?;
        let profile = self.store().profile(&session);
        let dead = !profile.is_live() && matches!(profile.meta(), Ok(Some(meta)) if meta.ephemeral);
        if !dead {
            return self.on_open(&session, &close.into(), progress).await;
        }
        let to = names::free_profile(self.store(), close.keep_as.as_deref().unwrap_or_default())?;
        let target = to.clone();
        off_thread(move || {
            let lock = profile.lock()?;
            profile.promote(lock, &target)
        })
        .await?
        .map_err(|error| failure::lock(&error))?;
        let summary = format!("the clone `{session}` is now the profile `{}`", to.name());
        let output = CloseOutput {
            session: session.to_string(),
            saved: true,
            kept_as: Some(to.name().to_string()),
            warnings: Vec::new(),
        };
        Response::of::<Close>(summary, &output)
    }
}

/// What an archive leaves out because it is of no use elsewhere: its key stays on this machine.
fn stays_here(profile: &Profile) -> Vec<String> {
    // One that cannot be read hides nothing here either.
    if !matches!(profile.read_filled(), Ok(Some(_))) {
        return Vec::new();
    }
    vec![
        "`filled.sealed` stays here: it tells szk which secrets to hide, encrypted with a key of this \
         machine; once imported, the profile's pages show the secrets that they still hold"
            .to_owned(),
    ]
}

fn maintain(profile: &Profile) -> MaintainedRow {
    let before = profile.size_bytes();
    let mut row = MaintainedRow {
        session: profile.name().to_string(),
        before,
        after: before,
        caches: 0,
        databases: 0,
        notes: Vec::new(),
    };
    let lock = match profile.lock() {
        Ok(lock) => lock,
        Err(error) => {
            row.notes.push(error.to_string());
            return row;
        }
    };
    match profile.drop_caches(&lock) {
        Ok(freed) => row.caches = freed,
        Err(error) => row.notes.push(error.to_string()),
    }
    let tidied = szk_browsers::sqlite::tidy(&profile.user_data_dir());
    row.databases = tidied.databases;
    for (path, reason) in tidied.damaged {
        row.notes.push(format!("`{}`: {reason}", path.display()));
    }
    row.after = profile.size_bytes();
    row
}

/// An archive that could not be written where the caller wants it.
fn not_exported(error: &ArchiveError) -> Failure {
    let misplaced = match error {
        ArchiveError::File { path, source } => failure::unwritable(path, source),
        _ => None,
    };
    misplaced.unwrap_or_else(|| archive_failure(error))
}

pub(crate) fn archive_failure(error: &ArchiveError) -> Failure {
    let text = error.to_string();
    match error {
        ArchiveError::Store(error) => failure::store(error),
        ArchiveError::Lock(error) => failure::lock(error),
        ArchiveError::File { source, .. } => match source.kind() {
            std::io::ErrorKind::NotFound => Failure::new(Code::NotFound, text),
            std::io::ErrorKind::AlreadyExists => Failure::invalid(text)
                .hint("szk never overwrites an archive: choose another name, or remove that file"),
            std::io::ErrorKind::InvalidInput
            | std::io::ErrorKind::IsADirectory
            | std::io::ErrorKind::FileTooLarge => {
                Failure::invalid(text).hint("make an archive with `szk profile export`")
            }
            _ => Failure::new(Code::Storage, text),
        },
        ArchiveError::Taken { .. } => Failure::invalid(text).hint("import it under another name"),
        ArchiveError::Newer { .. } => Failure::invalid(text).hint("update szk"),
        ArchiveError::NotOne { .. } => {
            Failure::invalid(text).hint("make an archive with `szk profile export`")
        }
        ArchiveError::Refused { .. } => Failure::invalid(text)
            .hint("another process created or changed it; nothing was imported"),
    }
}

pub(crate) async fn off_thread<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, Failure> {
    spawn_blocking(work).await.map_err(|error| {
        Failure::internal(format!("store operation failed: {error}")).effect(Done::Unknown)
    })
}
