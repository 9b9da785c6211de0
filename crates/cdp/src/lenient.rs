//! Reading what a newer Chromium says with the types of an older protocol.
//!
//! The typed protocol is strict: one value it has never heard of fails the whole event. Here a
//! surprise costs one field. What cannot be read is left out; a field that is required all the same
//! gets a neutral value (`0`, `""`, `false`, `[]`, `{}`). A variant of an enum is never made up:
//! where one is required, the object around it is left out instead, and so on outwards. Only when
//! that reaches the outermost value is the whole unreadable.

use serde::de::DeserializeOwned;

use repair::Repair;

mod place;
mod repair;
mod surrogates;

/// Reads JSON as `T`. Costs nothing extra as long as `T` fits.
///
/// A `T` that holds `RawValue` is only ever read strictly.
pub fn read<T: DeserializeOwned>(json: &str) -> Result<T, Unreadable> {
    let strict = match serde_json::from_str(json) {
        Ok(read) => return Ok(read),
        Err(error) => error,
    };
    let value = serde_json::from_str(json)
        .or_else(|_| serde_json::from_str(&surrogates::mend(json)))
        .map_err(|_| Unreadable::new(".", &strict.to_string()))?;
    Repair::new(value).run()
}

/// Not even lenient reading helped.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{problem} at `{path}`")]
pub struct Unreadable {
    /// The field where reading first stopped, as in `cookies[0].name`; `.` is the whole.
    pub path: String,
    /// What is wrong with it.
    pub problem: String,
}

impl Unreadable {
    pub(crate) fn new(path: &str, problem: &str) -> Self {
        Self {
            path: path.to_owned(),
            problem: problem.to_owned(),
        }
    }
}

#[cfg(test)]
mod tests;
