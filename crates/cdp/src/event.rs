//! An event, as received.

use serde::de::DeserializeOwned;
use serde_json::value::RawValue;

use crate::{SessionId, json};

/// A protocol event. `params` stays text, so that passing it on costs no parsing.
#[derive(Debug)]
pub struct Event {
    /// The session it happened on; `None` is the root session.
    pub session: Option<SessionId>,
    /// `Domain.event`.
    pub method: String,
    /// The parameters; `{}` when Chromium sent none.
    pub params: Box<RawValue>,
}

impl Event {
    /// Reads the parameters as `T`: see [`json::read`].
    pub fn read<T: DeserializeOwned>(&self) -> Result<T, json::Unreadable> {
        json::read(self.params.get())
    }

    /// Its weight in a queue, in bytes.
    pub(crate) fn weight(&self) -> usize {
        self.method.len() + self.params.get().len()
    }
}
