//! What an operation says of itself.

use schemars::JsonSchema;
use serde::{Serialize, de::DeserializeOwned};

use crate::{Call, Field, Input, Time};

/// An operation: its names, its types and what it may change.
pub trait Operation {
    /// The MCP name, e.g. `session_open`.
    const NAME: &'static str;
    /// A short human title.
    const TITLE: &'static str;
    /// What it does, for a model that has to choose.
    const SUMMARY: &'static str;
    /// What it may change.
    const REACH: Reach;
    /// Who carries it out.
    const SCOPE: Scope;
    /// How long it may take when the call does not say.
    const TIME: Time = Time::Usual;
    /// The sets that it is in beside those that follow from its name.
    const SETS: &[Set] = &[];
    /// The flat input.
    type Input: Input
        + Clone
        + DeserializeOwned
        + Serialize
        + JsonSchema
        + Send
        + Into<Call>
        + 'static;
    /// The output; an object.
    type Output: DeserializeOwned + Serialize + JsonSchema + Send + 'static;
}

/// What an operation may change; the MCP annotations follow from it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    /// Looks only.
    Read,
    /// Changes a page or a session, and can be repeated or undone.
    Write,
    /// May destroy what cannot be brought back.
    Destroy,
}

/// Who carries an operation out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// The client, on the profile store: no session need be open.
    Store,
    /// The keeper of one session, which is started for it.
    Opens,
    /// The keeper of one session that is already open.
    Session,
}

/// A set of operations that clients can choose.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Set {
    /// What most tasks need; everything else is there when it is asked for.
    Default,
    /// For who writes tests and scripts.
    Test,
}

/// An operation as data, for fronts that list them.
#[derive(Debug, Clone, Copy)]
pub struct Spec {
    /// See [`Operation::NAME`].
    pub name: &'static str,
    /// See [`Operation::TITLE`].
    pub title: &'static str,
    /// See [`Operation::SUMMARY`].
    pub summary: &'static str,
    /// See [`Operation::REACH`].
    pub reach: Reach,
    /// See [`Operation::SCOPE`].
    pub scope: Scope,
    /// See [`Operation::TIME`].
    pub time: Time,
    /// See [`Operation::SETS`].
    pub sets: &'static [Set],
    /// JSON Schema (2020-12) of the input, without references.
    pub input: fn() -> serde_json::Value,
    /// The fields of the input, with all that their types say.
    pub fields: fn() -> Vec<Field>,
    /// JSON Schema of the output, without references.
    pub output: fn() -> serde_json::Value,
}

impl Spec {
    /// The spec of operation `O`.
    #[must_use]
    pub const fn of<O: Operation>() -> Self {
        Self {
            name: O::NAME,
            title: O::TITLE,
            summary: O::SUMMARY,
            reach: O::REACH,
            scope: O::SCOPE,
            time: O::TIME,
            sets: O::SETS,
            input: crate::schema::of::<O::Input>,
            fields: crate::field::of::<O::Input>,
            output: crate::schema::of::<O::Output>,
        }
    }
}
