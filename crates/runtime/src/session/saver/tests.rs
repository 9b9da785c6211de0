//! Writing the state.

use std::pin::pin;

use futures_util::poll;

use crate::session::Session;
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
