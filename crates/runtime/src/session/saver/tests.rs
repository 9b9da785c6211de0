//! Writing the state.

use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use futures_util::poll;

use crate::session::Session;
use crate::session::close::{Remaining, Why, close};
use crate::testing;

#[tokio::test]
async fn a_slow_disk_holds_up_nobody_and_nothing_is_written_later() {
    let folder = tempfile::tempdir().unwrap();
    let opened = Session::scripted(folder.path(), testing::browser()).await;
    let (session, _peer) = opened.unwrap();
    let saver = &session.inner.saver;
    saver.known().cookies_unread = None;
    {
        let write = pin!(saver.write(false));
        assert!(poll!(write).is_pending());
        // Whoever asked for it goes away.
    }
    saver.rests().await;
    let state = folder.path().join("store/scripted/state.json");
    assert!(state.exists());
}

#[tokio::test]
async fn a_profile_is_free_only_once_its_state_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let opened = Session::scripted(folder.path(), testing::browser()).await;
    let (session, _peer) = opened.unwrap();
    let inner = &session.inner;
    let write = Arc::clone(&inner.saver.writing).lock_owned().await;
    let mut closing = pin!(close(inner, Remaining::Died, true, Why::Asked));
    let closed = tokio::time::timeout(Duration::from_millis(50), closing.as_mut());
    assert!(closed.await.is_err());
    assert!(inner.lock.lock().unwrap().is_some());
    drop(write);
    closing.await;
    assert!(inner.lock.lock().unwrap().is_none());
}
