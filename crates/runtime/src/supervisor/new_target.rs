//! Targets that nobody owns yet.

use serde::Deserialize;
use szk_cdp::protocol::target::{CloseTargetParams, CreateTargetParams};
use szk_cdp::{CallError, Connection};

/// A target that was just made. Dropping this closes it, and so does dropping [`NewTarget::create`], even if
/// the browser has not answered yet: a call that is cancelled leaves no tab behind.
pub(crate) struct NewTarget {
    connection: Connection,
    /// Nothing once it belongs to somebody.
    id: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Created {
    target_id: String,
}

impl NewTarget {
    pub(crate) async fn create(
        connection: &Connection,
        params: &CreateTargetParams,
    ) -> Result<Self, CallError> {
        let late = connection.clone();
        let reply = connection.post::<Created>(None, params);
        let created = reply.or_undo(move |created| close(&late, created.target_id));
        Ok(Self {
            id: Some(created.await?.target_id),
            connection: connection.clone(),
        })
    }

    pub(crate) fn id(&self) -> &str {
        self.id.as_deref().unwrap_or_default()
    }

    /// From now on somebody else closes it.
    pub(crate) fn keep(mut self) {
        self.id = None;
    }
}

impl Drop for NewTarget {
    fn drop(&mut self) {
        if let Some(id) = self.id.take() {
            close(&self.connection, id);
        }
    }
}

/// No one waits for the answer: Chromium closes it in its own time.
fn close(connection: &Connection, id: String) {
    connection.tell(None, &CloseTargetParams::new(id));
}
