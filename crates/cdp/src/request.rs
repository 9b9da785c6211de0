//! A command whose type has been erased.

use std::fmt;

use chromiumoxide_types::{Command, Method, MethodId};
use serde::de::IgnoredAny;
use serde::{Serialize, Serializer};
use serde_json::value::{RawValue, to_raw_value};

/// A command with serialised parameters, for lists of commands of several types. It is sent like any
/// other.
#[derive(Clone)]
pub struct Request {
    method: MethodId,
    params: Box<RawValue>,
}

impl Request {
    /// Serialises a command's parameters.
    #[must_use]
    pub fn of(command: &impl Command) -> Self {
        Self {
            method: command.identifier(),
            params: to_raw_value(command).expect("plain data with string keys has a JSON form"),
        }
    }

    /// `Domain.command`.
    #[must_use]
    pub fn method(&self) -> &str {
        &self.method
    }

    /// The parameters.
    #[must_use]
    pub fn params(&self) -> &RawValue {
        &self.params
    }
}

impl fmt::Debug for Request {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Parameters may be secret.
        f.write_str(&self.method)
    }
}

impl PartialEq for Request {
    fn eq(&self, other: &Self) -> bool {
        self.method == other.method && self.params.get() == other.params.get()
    }
}

impl Serialize for Request {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.params.serialize(serializer)
    }
}

impl Method for Request {
    fn identifier(&self) -> MethodId {
        self.method.clone()
    }
}

impl Command for Request {
    type Response = IgnoredAny;
}
