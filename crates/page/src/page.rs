//! A page, and how to reach its frames.

use std::sync::Arc;

use szk_cdp::protocol::page::BringToFrontParams;
use szk_cdp::{CallError, Connection, SessionId};

/// Finds the session of a frame that has its own process.
type Sessions = Arc<dyn Fn(&str) -> Option<SessionId> + Send + Sync>;

/// A page and our sessions with it; cheap to clone.
#[derive(Clone)]
pub struct Page {
    /// The pipe.
    pub connection: Connection,
    /// Our session with the page.
    pub session: SessionId,
    /// Its main frame, which has the id of its target.
    pub frame: String,
    sessions: Sessions,
}

impl Page {
    /// A page whose main frame is `frame`; `sessions` knows the frames that are targets of their own.
    pub fn new(
        connection: Connection,
        session: SessionId,
        frame: impl Into<String>,
        sessions: impl Fn(&str) -> Option<SessionId> + Send + Sync + 'static,
    ) -> Self {
        Self {
            connection,
            session,
            frame: frame.into(),
            sessions: Arc::new(sessions),
        }
    }

    /// Brings its tab to the front of its window.
    ///
    /// # Errors
    /// [`CallError`] when the page is gone.
    pub async fn bring_to_front(&self) -> Result<(), CallError> {
        let params = BringToFrontParams::default();
        self.connection.run(Some(&self.session), &params).await
    }

    /// A frame in it, as a page.
    pub(crate) fn within(&self, frame: &str, session: &SessionId) -> Self {
        Self {
            frame: frame.to_owned(),
            session: session.clone(),
            ..self.clone()
        }
    }

    /// Whether a frame is the outermost one of this session.
    pub(crate) fn has_session(&self, frame: &str, session: &SessionId) -> bool {
        (self.sessions)(frame).as_ref() == Some(session)
    }

    /// The session that reaches a frame whose parent frame has the session `parent`.
    pub(crate) fn session_of(&self, frame: &str, parent: &SessionId) -> SessionId {
        (self.sessions)(frame).unwrap_or_else(|| parent.clone())
    }
}
