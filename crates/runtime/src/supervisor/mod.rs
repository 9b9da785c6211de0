//! The supervisor: our own session with the browser, attached to everything in it.
//!
//! It asks Chromium to hold every new target before its first script, sends it what
//! [`crate::stealth`] orders, and lets it go. Nobody else does this, and nothing runs without it.
//! Commands are written in one go and never awaited one by one: a held worker answers only after it
//! was let go, so waiting would deadlock.

mod actor;
mod gate;
mod pages;
mod targets;

use std::sync::Arc;
use std::time::Duration;

use serde_json::json;
use szk_cdp::{CallError, Connection, Events, SessionId};

pub use gate::{Gate, NotReady};
#[cfg(test)]
#[cfg(test)]
pub(crate) use gate::Stage;
pub use targets::{Tab, TargetInfo};

use crate::endpoint;
use crate::stealth::{Stealth, raw};
use targets::Targets;

/// How long the first page of a browser may take to be set up.
const FIRST_PAGE: Duration = Duration::from_secs(10);

/// Stealth could not be applied, or the browser went away meanwhile.
#[derive(Debug, thiserror::Error)]
pub enum SupervisorError {
    /// A command was refused.
    #[error("the browser refused `{method}`: {source}")]
    Refused {
        /// CDP method.
        method: &'static str,
        /// Why.
        source: CallError,
    },
    /// The first page was not set up in time.
    #[error("stealth could not be applied to the first page: {reason}")]
    FirstPage {
        /// Which part.
        reason: String,
    },
    /// A tab could not be opened.
    #[error("the tab could not be opened: {reason}")]
    Tab {
        /// Why.
        reason: String,
    },
}

/// Handle on the supervisor of one running browser; cheap to clone.
#[derive(Clone)]
pub struct Supervisor {
    connection: Connection,
    gate: Gate,
    targets: Arc<Targets>,
}

impl Supervisor {
    /// Attaches to everything in the browser. Tabs are numbered from `first_tab`, so that numbers are
    /// not reused when a browser is started again within a session.
    ///
    /// # Errors
    /// [`SupervisorError`] when stealth cannot be applied to the page that is there already.
    pub async fn start(
        connection: Connection,
        events: Events,
        stealth: Arc<Stealth>,
        first_tab: u32,
    ) -> Result<Self, SupervisorError> {
        let gate = Gate::default();
        let targets = Arc::new(Targets::starting_at(first_tab));
        let supervisor = Self { connection: connection.clone(), gate: gate.clone(), targets: Arc::clone(&targets) };
        tokio::spawn(actor::Actor { connection, gate, targets, stealth }.run(events));
        // Discovery first: titles and URLs of targets change from the first moment on.
        supervisor.order("Target.setDiscoverTargets", &json!({"discover": true, "filter": actor::root_filter()})).await?;
        supervisor.order("Target.setAutoAttach", &actor::auto_attach(&actor::root_filter())).await?;
        supervisor.first_page().await?;
        Ok(supervisor)
    }

    /// The pipe.
    #[must_use]
    pub fn connection(&self) -> &Connection {
        &self.connection
    }

    /// Tells other clients when a target may go on.
    #[must_use]
    pub fn gate(&self) -> &Gate {
        &self.gate
    }

    /// Everything that is attached now.
    #[must_use]
    pub fn targets(&self) -> Vec<TargetInfo> {
        self.targets.all()
    }

    /// Our session with a page.
    #[must_use]
    pub fn page_session(&self, target_id: &str) -> Option<SessionId> {
        self.targets.session(target_id)
    }

    async fn order(&self, method: &'static str, params: &serde_json::Value) -> Result<(), SupervisorError> {
        self.connection
            .call_raw(None, method, Some(raw(params)))
            .await
            .map(drop)
            .map_err(|source| SupervisorError::Refused { method, source })
    }

    /// Waits until the page that the browser started with is set up. Events of attaching come before
    /// the answer to `Target.setAutoAttach`, but the actor may not have read them yet.
    async fn first_page(&self) -> Result<(), SupervisorError> {
        let page = tokio::time::timeout(FIRST_PAGE, self.targets.first_page()).await;
        let Ok(target_id) = page else {
            return Err(SupervisorError::FirstPage { reason: "no page was attached".into() });
        };
        match self.gate.acked(&target_id).await {
            Ok(()) => Ok(()),
            Err(NotReady) => Err(SupervisorError::FirstPage {
                reason: self.targets.trouble(&target_id).unwrap_or_else(|| NotReady.to_string()),
            }),
        }
    }
}

impl endpoint::Stage for Supervisor {
    fn connection(&self) -> Connection {
        self.connection.clone()
    }

    fn gate(&self) -> Gate {
        self.gate.clone()
    }

    fn page_session(&self, target_id: &str) -> Option<SessionId> {
        Self::page_session(self, target_id)
    }
}
