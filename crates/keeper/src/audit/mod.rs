//! The audit log: one line for each call, and for each program that joins or leaves the endpoint.
//!
//! A separate thread writes, so that a slow disk delays only calls that change something: their answers
//! wait for the line, but not for long.

mod what;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use szk_config::AuditLog;
use szk_page::Redactor;
use szk_runtime::session::{Session, Why};
use szk_store::audit::{AuditEntry, AuditWriter};
use szk_tools::{Call, Done, Reach};
use szk_wire::Client;
use tokio::sync::{OnceCell, mpsc, oneshot};

/// Lines that may wait for the disk; further ones are counted, and the next line says how many.
const WAITING: usize = 1024;
/// How long an answer waits for its line.
const PATIENCE: Duration = Duration::from_secs(1);

/// Writes lines; cheap to clone.
#[derive(Clone)]
pub(crate) struct Audit {
    session: String,
    log: AuditLog,
    redactor: Redactor,
    lines: mpsc::Sender<Line>,
    /// Lines that could not be written since the last one.
    missed: Arc<AtomicU64>,
    /// Set once the end of the session is written.
    ended: Arc<OnceCell<()>>,
}

struct Line {
    /// `None` only waits for the lines before.
    entry: Option<AuditEntry>,
    written: Option<oneshot::Sender<()>>,
}

/// A call that is not over.
pub(crate) struct Begun {
    audit: Audit,
    entry: AuditEntry,
    /// What it does if it succeeds; `None` for a call that could not be read.
    reach: Option<Reach>,
    began: Instant,
}

impl Audit {
    pub(crate) fn of(session: &Session, redactor: &Redactor) -> Self {
        let (lines, waiting) = mpsc::channel(WAITING);
        let missed = Arc::new(AtomicU64::new(0));
        let log = session.resolved().settings.audit.log;
        if log != AuditLog::Off {
            let writer = session.profile().store().audit();
            let missed = Arc::clone(&missed);
            let thread = std::thread::Builder::new().name("audit".to_owned());
            if let Err(error) = thread.spawn(move || write(writer, waiting, &missed)) {
                tracing::error!(%error, "no thread for the audit log");
            }
        }
        Self {
            session: session.name().to_string(),
            log,
            redactor: redactor.clone(),
            lines,
            missed,
            ended: Arc::default(),
        }
    }

    /// A call begins.
    pub(crate) fn begin(&self, operation: &str, client: Option<&Client>) -> Begun {
        Begun {
            audit: self.clone(),
            entry: self.entry(operation, client),
            reach: None,
            began: Instant::now(),
        }
    }

    /// The session has ended. Whoever says so first writes the line, and all wait for it: nothing is written to the
    /// store once somebody has heard that the session is closed.
    pub(crate) async fn ended(&self, why: &Why) {
        let write = async {
            self.happened("session_ended", None, &format!("{why:?}").to_uppercase());
            self.written().await;
        };
        self.ended.get_or_init(|| write).await;
    }

    /// A program joins the endpoint or leaves it.
    pub(crate) fn happened(&self, operation: &str, program: Option<&str>, why: &str) {
        let mut entry = self.entry(operation, None);
        if let Some(program) = program {
            entry.client = Some(program.to_owned());
            entry.front = Some("endpoint".to_owned());
        }
        why.clone_into(&mut entry.code);
        self.send(entry, None);
    }

    /// Waits until all lines so far are written, but not for ever.
    async fn written(&self) {
        let (written, waits) = oneshot::channel();
        let line = Line {
            entry: None,
            written: Some(written),
        };
        if self.log == AuditLog::Off {
            return;
        }
        // A disk that does not answer leaves no room for the line either.
        let written = async { self.lines.send(line).await.is_ok() && waits.await.is_ok() };
        if tokio::time::timeout(PATIENCE, written).await.is_err() {
            tracing::warn!("the audit log is not written in time");
        }
    }

    fn entry(&self, operation: &str, client: Option<&Client>) -> AuditEntry {
        AuditEntry {
            time: jiff::Timestamp::now(),
            session: Some(self.session.clone()),
            client: client.map(|client| client.name.clone()),
            front: client.and_then(|client| client.front.clone()),
            token: client.and_then(|client| client.token.clone()),
            pid: client.and_then(|client| Some(client.process?.pid)),
            operation: operation.chars().take(80).collect(),
            what: BTreeMap::new(),
            code: "OK".to_owned(),
            effect: "none".to_owned(),
            ms: 0,
            missed: None,
        }
    }

    /// Hands a line over; without room it is only counted.
    fn send(&self, mut entry: AuditEntry, written: Option<oneshot::Sender<()>>) {
        if self.log == AuditLog::Off {
            return;
        }
        entry
            .what
            .values_mut()
            .for_each(|value| what::redacted(value, &self.redactor));
        let line = Line {
            entry: Some(entry),
            written,
        };
        if self.lines.try_send(line).is_err() {
            self.missed.fetch_add(1, Ordering::Relaxed);
        }
    }
}

impl Begun {
    /// What the call says it does.
    pub(crate) fn call(&mut self, call: &Call) {
        self.reach = Some(call.spec().reach);
        self.entry.what = what::of(call);
    }

    /// It is over; a line about a change is written before this returns, if the disk is not slow.
    /// `failed` is what a failed call has done.
    pub(crate) async fn end(mut self, code: &str, failed: Option<Done>) {
        let effect = failed.unwrap_or(match self.reach {
            Some(Reach::Write | Reach::Destroy) => Done::Done,
            Some(Reach::Read) | None => Done::None,
        });
        if let Some(waits) = self.write(code, effect, true) {
            let _ = tokio::time::timeout(PATIENCE, waits).await;
        }
    }

    /// Records that the caller has gone, without waiting for the line.
    pub(crate) fn cancelled(&mut self) {
        let effect = match self.reach {
            Some(Reach::Write | Reach::Destroy) => Done::Unknown,
            Some(Reach::Read) | None => Done::None,
        };
        self.write("CANCELLED", effect, false);
    }

    fn write(&mut self, code: &str, effect: Done, waits: bool) -> Option<oneshot::Receiver<()>> {
        if self.audit.log == AuditLog::Writes && effect == Done::None {
            return None;
        }
        let mut entry = self.entry.clone();
        entry.time = jiff::Timestamp::now();
        code.clone_into(&mut entry.code);
        entry.effect = match effect {
            Done::None => "none",
            Done::Done => "done",
            Done::Unknown => "unknown",
        }
        .to_owned();
        entry.ms = u64::try_from(self.began.elapsed().as_millis()).unwrap_or(u64::MAX);
        let (written, waiting) = oneshot::channel();
        let waits = waits && effect != Done::None;
        self.audit.send(entry, waits.then_some(written));
        waits.then_some(waiting)
    }
}

/// Writes lines in the order in which they come, until every [`Audit`] is gone.
fn write(mut writer: AuditWriter, mut lines: mpsc::Receiver<Line>, missed: &AtomicU64) {
    while let Some(Line { entry, written }) = lines.blocking_recv() {
        if let Some(mut entry) = entry {
            let gone = missed.swap(0, Ordering::Relaxed);
            entry.missed = (gone > 0).then_some(gone);
            if let Err(error) = writer.append(&entry) {
                // This one, and those that it would have told of.
                if !error.noted {
                    missed.fetch_add(gone + 1, Ordering::Relaxed);
                }
                tracing::error!(%error, "cannot write to the audit log");
            }
        }
        if let Some(written) = written {
            // It fails if the caller has stopped waiting.
            let _ = written.send(());
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::testing::{Scripted, browser};

    #[tokio::test]
    async fn the_end_is_written_once_when_anybody_hears_of_it() {
        let scripted = Scripted::on(browser(json!({}))).await;
        let audit = &scripted.keeper.audit;
        let store = scripted.keeper.session.profile().store();
        let ends = || {
            let mut ends = 0;
            let mut count = |line: szk_store::audit::AuditLine| {
                ends += usize::from(line.entry.operation == "session_ended");
            };
            store.audit_lines(0, &mut count).unwrap();
            ends
        };
        tokio::join!(audit.ended(&Why::Asked), async {
            audit.ended(&Why::Asked).await;
            assert_eq!(ends(), 1);
        });
        audit.ended(&Why::Asked).await;
        assert_eq!(ends(), 1);
    }

    #[tokio::test(start_paused = true)]
    async fn a_disk_that_does_not_answer_keeps_no_session_open() {
        let scripted = Scripted::on(browser(json!({}))).await;
        let mut audit = scripted.keeper.audit.clone();
        // Nobody writes the line that fills it.
        let (lines, _waiting) = mpsc::channel(1);
        audit.lines = lines;
        audit.ended = Arc::default();
        audit.happened("endpoint_join", None, "OK");
        let ended = tokio::time::timeout(PATIENCE * 2, audit.ended(&Why::Asked)).await;
        assert!(ended.is_ok(), "it waits for the disk");
    }
}
