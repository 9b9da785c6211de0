//! A tab as acts see it.

use szk_cdp::SessionId;
use szk_page::act::Scene;
use szk_runtime::session::Running;
use szk_runtime::supervisor::Tab;

use super::Acting;

/// The session with a frame.
type SessionOf<'a> = dyn Fn(&str) -> Option<SessionId> + Send + Sync + 'a;
/// Sessions with all frames of other processes.
type Frames<'a> = dyn Fn() -> Vec<SessionId> + Send + Sync + 'a;

/// A tab and how its frames are reached, for as long as a call lasts.
pub(super) struct Stage<'a> {
    running: &'a Running,
    tab: &'a Tab,
    acting: &'a Acting,
    sessions: Box<SessionOf<'a>>,
    frames: Box<Frames<'a>>,
}

impl<'a> Stage<'a> {
    pub(super) fn new(running: &'a Running, tab: &'a Tab, acting: &'a Acting) -> Self {
        let supervisor = &running.supervisor;
        Self {
            running,
            tab,
            acting,
            sessions: Box::new(|frame| supervisor.page_session(frame)),
            frames: Box::new(|| {
                let targets = supervisor.targets().into_iter();
                let frames = targets.filter(|target| target.kind == "iframe");
                frames.map(|target| target.session).collect()
            }),
        }
    }

    pub(super) fn scene(&self) -> Scene<'_> {
        Scene {
            connection: self.running.supervisor.connection(),
            session: &self.tab.page.session,
            target_id: &self.tab.page.target_id,
            worlds: &self.acting.worlds,
            sessions: &*self.sessions,
            frames: &*self.frames,
        }
    }
}
