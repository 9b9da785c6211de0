//! The description of an operation.

use schemars::JsonSchema;
use serde::{Serialize, de::DeserializeOwned};

use crate::{Audit, Audited, Call, Code, Field, Input, Output, Permission, Route, Time};

/// An operation: its names, its types and what it may change.
pub trait Operation {
    /// The MCP name, e.g. `session_open`.
    const NAME: &'static str;
    /// A short human title.
    const TITLE: &'static str;
    /// What it does, for a model that has to choose a tool.
    const SUMMARY: &'static str;
    /// What it may change.
    const REACH: Reach;
    /// Which process runs it.
    const SCOPE: Scope;
    /// What it works on.
    const SUBJECT: Subject;
    /// How it can fail, besides what follows from that.
    const FAILS: &[Code] = &[];
    /// Whether it answers what happened in the session: nothing is added to that.
    const REPORTS_EVENTS: bool = false;
    /// Its addresses over HTTP; the first one is the usual one.
    const ROUTES: &[Route];
    /// What a token must allow for it.
    const NEEDS: Permission = Permission::of(Self::REACH);
    /// The time it may take, if the call gives none.
    const TIME: Time = Time::Usual;
    /// Its sets, besides those that follow from its name.
    const SETS: &[Set] = &[];
    /// Whether files may come with a request over HTTP, and the fields that they may fill; in deeper ones,
    /// such as those of a batch, `upload:NAME` stands for the file of that name.
    const UPLOADS: Option<&'static [&'static str]> = None;
    /// Fields that whoever calls sets by itself, and no list shows.
    const UNLISTED: &'static [&'static str] = &[];
    /// The flat input.
    type Input: Input
        + Audited
        + Clone
        + DeserializeOwned
        + Serialize
        + JsonSchema
        + Send
        + Into<Call>
        + 'static;
    /// The output; an object.
    type Output: Output + DeserializeOwned + Serialize + JsonSchema + Send + 'static;
}

/// What an operation may change; MCP annotations follow from it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    /// Only reads.
    Read,
    /// Changes a page or a session, and can be repeated or undone.
    Write,
    /// May destroy what cannot be restored.
    Destroy,
}

/// What a call does to the tab it works in, where several clients share a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TabUse {
    /// Reads it: always allowed.
    Reads,
    /// Changes it: refused while another client works there.
    Writes,
    /// Neither: it is about the tab only by name, or each of its steps says so itself.
    Leaves,
}

/// Which process runs an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// The client, on the profile store; no session has to be open.
    Store,
    /// The keeper of one session, which the client starts if needed.
    Opens,
    /// The keeper of a session that is already open.
    Session,
}

/// What an operation works on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Subject {
    /// Profiles, sessions and their files.
    Sessions,
    /// Pages, but not as a call in a tab of the caller's: it works through other calls, or in a session of
    /// its own.
    Pages,
    /// Tabs of the caller's: its answer says what else happened in them.
    Tabs,
}

/// A set of operations that a client can select.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Set {
    /// What most tasks need; the rest is available on request.
    Default,
    /// For people who write tests and scripts.
    Test,
}

/// An operation as data, for front ends that list them.
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
    /// See [`Operation::SUBJECT`].
    pub subject: Subject,
    /// See [`Operation::FAILS`].
    pub fails: &'static [Code],
    /// See [`Operation::REPORTS_EVENTS`].
    pub reports_events: bool,
    /// See [`Operation::ROUTES`].
    pub routes: &'static [Route],
    /// See [`Operation::NEEDS`].
    pub needs: Permission,
    /// See [`Operation::TIME`].
    pub time: Time,
    /// See [`Operation::UPLOADS`].
    pub uploads: Option<&'static [&'static str]>,
    /// See [`Operation::SETS`].
    pub sets: &'static [Set],
    /// JSON Schema (2020-12) of the input, without references.
    pub input: fn() -> serde_json::Value,
    /// The fields of the input, with all that their types say.
    pub fields: fn() -> Vec<Field>,
    /// What the audit log shows of the fields of the input.
    pub audited: fn() -> Vec<(&'static str, Audit)>,
    /// JSON Schema of the output, without references: every answer fits it.
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
            subject: O::SUBJECT,
            fails: O::FAILS,
            reports_events: O::REPORTS_EVENTS,
            routes: O::ROUTES,
            needs: O::NEEDS,
            time: O::TIME,
            uploads: O::UPLOADS,
            sets: O::SETS,
            input: crate::schema::of::<O::Input>,
            fields: crate::field::of::<O::Input>,
            audited: crate::audit::of::<O::Input>,
            output: crate::schema::written::<O::Output>,
        }
    }
}
