//! Closes a session in a fixed order: save, endpoint, browser, files, lock.

use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError};

use jiff::Timestamp;

use super::{Inner, Lifecycle, Running};
use crate::launch::Ended;

/// What to tell about a storage service that died while Chromium exited.
const LOCAL_STORAGE: &str = "Chromium's storage service exited before it had written localStorage; opening the profile again restores the last reading";

/// Why a session was closed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Why {
    /// A client asked.
    Asked,
    /// A signal asked.
    Signal(&'static str),
    /// A person closed the last window.
    Window,
    /// Nobody used it for the configured time.
    Idle,
    /// The last client of an ephemeral clone left.
    Alone,
    /// The browser crashed too often.
    Crashed(String),
    /// The last handle was dropped.
    Dropped,
    /// Its folder was deleted or replaced.
    Deleted,
}

/// How a session was closed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Closed {
    /// Why.
    pub why: Why,
    /// Whether the state was saved.
    pub saved: bool,
    /// Problems on the way.
    pub warnings: Vec<String>,
}

impl Closed {
    /// For an end that was not observed.
    pub(super) fn lost() -> Self {
        Self {
            why: Why::Dropped,
            saved: false,
            warnings: vec!["the session's task ended early".into()],
        }
    }
}

/// What remains to be closed.
pub(super) enum Remaining {
    /// The browser runs.
    Running(Running),
    /// It exited by itself and in order: its files are written, and the last saved state is right.
    Ended,
    /// It died.
    Died,
}

/// Closes a session; afterwards its profile is free and none of its processes is left.
pub(super) async fn close(inner: &Arc<Inner>, left: Remaining, save: bool, why: Why) {
    let (running, mut clean) = match left {
        Remaining::Running(running) => (Some(running), true),
        Remaining::Ended => (None, true),
        Remaining::Died => (None, false),
    };
    inner.life.send_replace(Lifecycle::Closing);
    // Whatever is in that place now belongs to someone else.
    let save = save && inner.owns_folder();
    if !inner.owns_folder()
        && let Some(running) = &running
    {
        running.chromium.kill();
    }
    let ephemeral = inner
        .meta
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .ephemeral;
    let mut warnings = Vec::new();
    let mut saved = save && running.is_none() && clean;
    if save && let Some(running) = &running {
        for keeps in inner.saver.not_back() {
            let put_back = inner.saver.put_back(running, keeps).await;
            warnings.extend(put_back.map(|(Ok(told) | Err(told))| told));
        }
        match inner.saver.last_look(running).await {
            Ok(()) => saved = true,
            Err(error) => warnings.push(format!("cannot save the state: {error}")),
        }
    }
    if let Some(listener) = inner.listener.lock().await.take() {
        listener.close().await;
    }
    // A helper process that died could not write its data.
    let whole = inner.saver.not_back().is_empty();
    if let Some(running) = running {
        let (ended, died) = tokio::join!(
            running.chromium.end(),
            inner.saver.storage_died_early(&running.chromium)
        );
        if died {
            warnings.push(LOCAL_STORAGE.to_owned());
        }
        // A browser killed just before has not written its files, whatever we asked of it.
        clean = matches!(ended, Ended::Asked | Ended::Before)
            && running.chromium.exit().is_some_and(|exit| exit.clean)
            && whole
            && !died;
        if !clean && !died {
            warnings.push(format!("Chromium did not exit when asked ({ended:?})"));
        }
    }
    inner.running.send_replace(None);
    if saved && clean && !inner.saver.has_written_its_local_storage() {
        clean = false;
        warnings.push(LOCAL_STORAGE.to_owned());
    }
    if saved && clean && !inner.saver.has_written_its_cookies() {
        clean = false;
        warnings.push(
            "Chromium's file lacks some cookies of the last reading; opening the profile again restores them"
                .to_owned(),
        );
    }
    if saved
        && clean
        && let Err(error) = inner.saver.seal().await
    {
        warnings.push(format!("cannot save the state: {error}"));
        saved = false;
    }
    inner.saver.rests().await;
    finish(inner, ephemeral, &mut warnings);
    inner.life.send_replace(Lifecycle::Closed(Arc::new(Closed {
        why,
        saved,
        warnings,
    })));
}

/// Finishes files and lock: whoever waits for the lock finds everything written.
fn finish(inner: &Inner, ephemeral: bool, warnings: &mut Vec<String>) {
    let owned = inner.owns_folder();
    let lock = inner
        .lock
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .take();
    if !owned {
        warnings.push("the profile's folder was deleted; nothing was saved".to_owned());
        return;
    }
    if let Err(error) = inner.profile.clear_keeper() {
        warnings.push(error.to_string());
    }
    if ephemeral {
        if let Some(lock) = lock {
            match inner.profile.clone().trash(lock) {
                Ok(trashed) => warnings.extend(trashed.left.iter().map(ToString::to_string)),
                Err(error) => warnings.push(error.to_string()),
            }
        }
        return;
    }
    if let Some(lock) = &lock
        && let Err(error) = inner.profile.drop_metrics(lock)
    {
        tracing::debug!(%error, "the browser's metrics files stay until the profile is opened again");
    }
    let mut meta = inner.meta.lock().unwrap_or_else(PoisonError::into_inner);
    meta.last_used = Timestamp::now();
    meta.events = inner
        .events
        .closed(inner.last_event.load(Ordering::Relaxed));
    if let Err(error) = inner.profile.write_meta(&meta) {
        warnings.push(error.to_string());
    }
    drop(lock);
}
