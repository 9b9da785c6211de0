//! Files that travel between a front end's clients and a profile: uploads, what a profile keeps, archives.

use std::fs::File;
use std::io;
use std::path::Path;
use std::time::Instant;

use serde_json::json;
use szk_config::Action;
use szk_store::archive::{self, ArchiveError, Limits};
use szk_store::{Inbox, InboxError, Incoming, KeptFile, Profile, Received};
use szk_tools::{Code, Done, Failure};

use crate::audit::Line;
use crate::upkeep::{Exported, archive_failure, off_thread};
use crate::{Client, names};

/// A file on its way into a profile. It goes when this is dropped.
#[derive(Debug)]
pub struct Arriving(Incoming);

impl Arriving {
    /// Adds to it.
    ///
    /// # Errors
    /// `STORAGE`, or `LIMIT_REACHED` by `[server] upload_quota`.
    pub fn write(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        self.0.write(bytes).map_err(refused)
    }

    /// It is complete. It goes with what this returns, unless that is kept.
    ///
    /// # Errors
    /// `STORAGE`.
    pub fn finish(self) -> Result<Received, Failure> {
        self.0.finish().map_err(|error| exchanged(&error.into()))
    }
}

impl Client {
    /// Begins a file for the pages of a session. Calls may name it whatever `[policy] read` says, because
    /// it is in the profile's own folder.
    ///
    /// # Errors
    /// `SESSION_NOT_FOUND`, `INVALID_INPUT` for a name that no file can have, `LIMIT_REACHED`, `STORAGE`.
    pub fn receive(&self, session: &str, name: &str) -> Result<Arriving, Failure> {
        let inbox = self.existing(session)?.inbox();
        self.begin(inbox, name)
    }

    fn begin(&self, inbox: Inbox, name: &str) -> Result<Arriving, Failure> {
        let quota = self.server_settings()?.upload_quota;
        let most = (quota > 0).then(|| quota.saturating_mul(1 << 20));
        let begun = inbox.within(most).begin(name);
        begun.map(Arriving).map_err(refused)
    }

    /// Removes the files that requests brought long ago.
    pub async fn sweep_uploads(&self) {
        let store = self.store().whole();
        // Err: it panicked, and is tried again.
        let _ = off_thread(move || store.sweep_inboxes()).await;
    }

    /// The files that a profile keeps, newest first.
    ///
    /// # Errors
    /// `SESSION_NOT_FOUND`.
    pub async fn kept_files(&self, session: &str) -> Result<Vec<KeptFile>, Failure> {
        let profile = self.existing(session)?;
        off_thread(move || profile.kept_files()).await
    }

    /// Opens one of them, with its size.
    ///
    /// # Errors
    /// `SESSION_NOT_FOUND`, `NOT_FOUND`, `STORAGE`.
    pub async fn kept_file(&self, session: &str, path: &str) -> Result<(File, u64), Failure> {
        let (began, profile) = (Instant::now(), self.existing(session)?);
        let named = path.to_owned();
        let opened = off_thread(move || profile.open_kept(&named)).await?;
        let opened = opened.map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => Failure::new(
                Code::NotFound,
                format!(
                    "session `{session}` keeps no file `{}`",
                    path.escape_debug()
                ),
            )
            .hint("`GET /v1/sessions/NAME/files` lists what there is"),
            _ => unreadable(error),
        });
        self.write_audit(Line {
            session: Some(session),
            operation: "file_read",
            what: vec![("path", json!(path))],
            failed: opened.as_ref().err(),
            effect: Done::None,
            began,
        })
        .await;
        opened
    }

    /// The path by which [`Self::kept_file`] finds a file, if the session keeps it.
    #[must_use]
    pub fn kept_path(&self, session: &str, file: &Path) -> Option<String> {
        self.existing(session).ok()?.kept_path(file)
    }

    /// A stored profile as an archive, which is on no disk any more once it is read.
    ///
    /// # Errors
    /// As [`Self::export_profile`].
    pub async fn export_archive(&self, session: &str) -> Result<(File, u64), Failure> {
        let began = Instant::now();
        self.existing(session)?;
        let done = self.pack(session).await;
        self.write_audit(Line {
            session: Some(session),
            operation: "profile_export",
            what: Vec::new(),
            failed: done.as_ref().err(),
            effect: Done::None,
            began,
        })
        .await;
        done
    }

    async fn pack(&self, session: &str) -> Result<(File, u64), Failure> {
        self.within_bounds(&[Action::Export])?;
        let (profile, lock) = self.closed(session)?;
        off_thread(move || {
            let place = profile.inbox().place("archive").map_err(refused)?;
            archive::export(&profile, &lock, &place.path).map_err(|error| exchanged(&error))?;
            let opened = File::open(&place.path).and_then(|file| {
                let bytes = file.metadata()?.len();
                Ok((file, bytes))
            });
            opened.map_err(unreadable)
        })
        .await?
    }

    /// Begins an archive of which a profile of this name will be made.
    ///
    /// # Errors
    /// `INVALID_INPUT` for a name that is taken or invalid, `LIMIT_REACHED`, `STORAGE`.
    pub fn receive_archive(&self, session: &str) -> Result<Arriving, Failure> {
        names::must_be_visible(self.store(), session)?;
        let name = names::parse(session)?;
        if self.store().profile(&name).exists() {
            return Err(
                Failure::invalid(format!("a profile `{name}` exists already"))
                    .hint("choose another name, or delete it first"),
            );
        }
        self.begin(self.store().inbox(), "archive")
    }

    /// Makes a profile of an archive that has arrived.
    ///
    /// # Errors
    /// As [`Self::import_profile`].
    pub async fn import_archive(
        &self,
        session: &str,
        received: Received,
    ) -> Result<Exported, Failure> {
        let (began, name) = (Instant::now(), names::parse(session)?);
        let store = self.store().clone();
        let read = off_thread(move || {
            let path = received.path.clone();
            archive::import(&store, &path, Some(&name), &Limits::default())
                .map(|(profile, report)| Exported {
                    session: profile.name().to_string(),
                    path,
                    files: report.files,
                    bytes: report.bytes,
                    left_out: report.left_out,
                    notes: Vec::new(),
                })
                .map_err(|error| exchanged(&error))
        })
        .await?;
        self.write_audit(Line {
            session: Some(session),
            operation: "profile_import",
            what: Vec::new(),
            failed: read.as_ref().err(),
            effect: match &read {
                Ok(_) => Done::Done,
                Err(failure) => failure.effect,
            },
            began,
        })
        .await;
        read
    }

    /// A profile that this client may see.
    fn existing(&self, session: &str) -> Result<Profile, Failure> {
        names::must_be_visible(self.store(), session)?;
        let name = names::parse(session)?;
        names::must_exist(self.store(), &name)?;
        Ok(self.store().profile(&name))
    }
}

/// A failure about a file or an archive of somebody elsewhere: without the paths of this machine.
fn exchanged(error: &ArchiveError) -> Failure {
    let failure = archive_failure(error);
    let hint = match error {
        ArchiveError::Store(_) => {
            Some("whoever runs szk here can check the store with `szk doctor`".to_owned())
        }
        _ => failure.hint.clone(),
    };
    Failure {
        message: error.without_paths(),
        hint,
        ..failure
    }
}

fn unreadable(error: io::Error) -> Failure {
    Failure::new(Code::Storage, format!("cannot read the file: {error}"))
        .hint("check the store with `szk doctor`")
}

fn refused(error: InboxError) -> Failure {
    match error {
        InboxError::Store(error) => exchanged(&error.into()),
        InboxError::Name { .. } => Failure::invalid(error.to_string())
            .hint("send the file under a plain name, without folders"),
        InboxError::Full { .. } => Failure::new(Code::LimitReached, error.to_string())
            .hint("each file goes a day after it came; or raise `[server] upload_quota` and restart the server")
            .retryable(),
    }
}

#[cfg(test)]
mod tests {
    use szk_store::StoreError;

    use super::*;

    #[test]
    fn nobody_elsewhere_learns_where_the_store_is() {
        let path = || "/store/work/profile".into();
        let foreign = || StoreError::Foreign {
            path: path(),
            reason: "it is a link".to_owned(),
        };
        let full = || io::Error::from(io::ErrorKind::StorageFull);
        let file = ArchiveError::File {
            path: path(),
            source: full(),
        };
        let disk = StoreError::Io {
            path: path(),
            source: full(),
        };
        for failure in [
            exchanged(&foreign().into()),
            exchanged(&file),
            refused(InboxError::Store(foreign())),
            refused(InboxError::Store(disk)),
        ] {
            let hint = failure.hint.as_deref().unwrap_or_default();
            let said = format!("{} {hint}", failure.message);
            assert!(!said.contains("/store"), "{said}");
            assert_eq!(failure.code, Code::Storage, "{said}");
        }
    }
}
