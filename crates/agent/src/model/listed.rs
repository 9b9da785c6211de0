//! Whether a provider is there, takes the key and knows the model, without asking the model anything.

use std::time::Duration;

use serde_json::Value;

use super::{ModelError, OverHttp};

/// How long a provider may take to say so.
const PATIENCE: Duration = Duration::from_secs(10);
/// Longest list that is read, in bytes.
const LONGEST: usize = 4 << 20;

impl OverHttp {
    /// Whether the provider lists the model; `None` if it has no such list.
    ///
    /// # Errors
    /// It cannot be reached, or refuses the key.
    pub async fn is_listed(&self) -> Result<Option<bool>, ModelError> {
        let request = self.client.get(self.address("models")).timeout(PATIENCE);
        let sent = self.signed(request).send().await;
        let response = sent.map_err(|error| match error.is_timeout() {
            true => ModelError::Late(PATIENCE),
            false => self.broken(&error, false),
        })?;
        let status = response.status().as_u16();
        match status {
            401 | 403 => return Err(ModelError::Key { status }),
            500.. => return Err(ModelError::Down { status }),
            200..300 => {}
            // It is there, and says that it has none.
            _ => return Ok(None),
        }
        let body = match self.body(response, LONGEST).await {
            // It is too long for a list.
            Err(ModelError::Unreadable(_)) => return Ok(None),
            body => body?,
        };
        let read: Value = serde_json::from_slice(&body).unwrap_or_default();
        let rows = read["data"].as_array().or(read["models"].as_array());
        Ok(rows.map(|rows| {
            let names = rows
                .iter()
                .filter_map(|row| row["id"].as_str().or(row["name"].as_str()));
            let bare = |name: &str| name.trim_start_matches("models/").to_owned();
            let wanted = bare(&self.endpoint.model);
            names.map(bare).any(|name| name == wanted)
        }))
    }
}
