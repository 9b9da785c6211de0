//! The audit log: reading it, checking it, and the line of a deletion, which has no keeper to write it.

use std::time::Instant;

use jiff::Timestamp;
use serde_json::{Value, json};
use szk_config::{AuditLog, CallOptions};
use szk_store::audit::{AuditEntry, AuditLine, Verified};
use szk_tools::session::{Delete, DeleteInput};
use szk_tools::{Call, Code, Done, Failure, Operation, Response};
use szk_wire::failure;
use tokio::task::spawn_blocking;

use crate::{Client, names};

impl Client {
    /// Calls `each` with every line of the audit log after number `after`, in order.
    ///
    /// # Errors
    /// `STORAGE` if the log cannot be read.
    pub fn audit_lines(&self, after: u64, each: &mut dyn FnMut(AuditLine)) -> Result<(), Failure> {
        let read = self.store().audit_lines(after, each);
        read.map_err(|error| failure::store(&error))
    }

    /// Checks that the audit log is as it was written.
    ///
    /// # Errors
    /// `STORAGE` if the log cannot be read.
    pub fn verify_audit(&self) -> Result<Verified, Failure> {
        let found = self.store().verify_audit();
        found.map_err(|error| failure::store(&error))
    }

    /// Deletes profiles, and says so in the audit log.
    pub(crate) async fn delete_audited(&self, input: &DeleteInput) -> Result<Response, Failure> {
        let began = Instant::now();
        let mut done = self.delete(input).await;
        // A name that means no profile is no reason to create anything, not even a log.
        let nothing = [Code::InvalidInput, Code::SessionNotFound];
        if done
            .as_ref()
            .is_err_and(|failure| nothing.contains(&failure.code))
        {
            return done;
        }
        let effect = match &done {
            Ok(_) if input.dry_run == Some(true) => Done::None,
            Ok(_) => Done::Done,
            Err(failure) => failure.effect,
        };
        let what = input.dry_run.map(|dry| ("dry_run", json!(dry)));
        let line = Line {
            session: Some(&input.session),
            operation: Delete::NAME,
            what: what.into_iter().collect(),
            failed: done.as_ref().err(),
            effect,
            began,
        };
        let lost = self.write_audit(line).await;
        if let (Ok(response), Some(lost)) = (&mut done, lost) {
            response.summary.push_str(&format!("\n({lost})"));
        }
        done
    }

    /// Writes down something that concerns no session; returns why that was not possible, for the person.
    pub async fn audit(
        &self,
        operation: &'static str,
        what: Vec<(&'static str, Value)>,
        failed: Option<&Failure>,
        began: Instant,
    ) -> Option<String> {
        let effect = failed.map_or(Done::Done, |failure| failure.effect);
        self.write_audit(Line {
            session: None,
            operation,
            what,
            failed,
            effect,
            began,
        })
        .await
    }

    /// Writes down a call that was refused before anything was done.
    pub async fn audit_refused(&self, call: &Call, refused: &Failure, began: Instant) {
        let session = call.input().session();
        self.write_audit(Line {
            // A name that nothing can have may be anything.
            session: session.filter(|named| names::parse(named).is_ok()),
            operation: call.spec().name,
            what: Vec::new(),
            failed: Some(refused),
            effect: Done::None,
            began,
        })
        .await;
    }

    /// Writes down what this client did itself, without a keeper; returns why that was not possible, for the
    /// person.
    pub(crate) async fn write_audit(&self, line: Line<'_>) -> Option<String> {
        let resolved = self.config().resolve(None, None, &CallOptions::default());
        let log = resolved.map_or(AuditLog::All, |resolved| resolved.settings.audit.log);
        if log == AuditLog::Off || (log == AuditLog::Writes && line.effect == Done::None) {
            return None;
        }
        let who = self.http.client();
        let what = line.what.into_iter();
        let entry = AuditEntry {
            time: Timestamp::now(),
            session: line.session.map(str::to_owned),
            client: Some(who.name),
            front: who.front,
            token: who.token,
            pid: who.process.map(|process| process.pid),
            operation: line.operation.to_owned(),
            what: what.map(|(name, value)| (name.to_owned(), value)).collect(),
            code: line
                .failed
                .map_or_else(|| "OK".to_owned(), |failure| failure.code.name()),
            effect: match line.effect {
                Done::None => "none",
                Done::Done => "done",
                Done::Unknown => "unknown",
            }
            .to_owned(),
            ms: u64::try_from(line.began.elapsed().as_millis()).unwrap_or(u64::MAX),
            missed: None,
        };
        let mut writer = self.store().audit();
        let written = spawn_blocking(move || writer.append(&entry)).await;
        let Ok(Err(error)) = written else {
            return None;
        };
        tracing::error!(%error, "cannot write to the audit log");
        let next = match error.noted {
            true => "; the next line will say that one is missing",
            false => "",
        };
        Some(format!("this is not in the audit log: {error}{next}"))
    }
}

/// What a client did itself.
pub(crate) struct Line<'a> {
    pub(crate) session: Option<&'a str>,
    pub(crate) operation: &'static str,
    /// What it was about, without secrets.
    pub(crate) what: Vec<(&'static str, Value)>,
    /// Why it failed, if it did.
    pub(crate) failed: Option<&'a Failure>,
    pub(crate) effect: Done,
    pub(crate) began: Instant,
}
