//! What an element is like and where it stands, before an act and after it.

use serde::Deserialize;
use serde_json::json;
use szk_recipes::{Identity, Point, Position, State};

use super::error::ReadError;
use super::frames::Handle;
use super::view::View;

/// What an element is like.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Condition {
    /// Its states, and what it holds.
    pub state: State,
    /// Where it stands, if that was asked for.
    pub place: Position,
    /// What of a wanted place is not so: `within`, `after`, `before`.
    pub astray: Vec<String>,
}

/// An element that an act is about to be done to, and what it is like.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Watched {
    /// The element.
    pub handle: Handle,
    /// Whether the act moves it.
    pub moves: bool,
    /// What it is like before the act.
    pub before: Condition,
}

/// What tells an element from all others, and what it is like.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Identified {
    /// What tells it from others.
    pub identity: Identity,
    /// The point of it that is meant, if one is.
    pub point: Option<Point>,
    /// What it is like.
    pub watched: Watched,
}

/// The same as the script tells it.
#[derive(Deserialize)]
pub(super) struct ConditionAnswer {
    pub(super) identity: Identity,
    pub(super) point: Option<Point>,
    pub(super) number: u32,
    pub(super) condition: Read,
}

/// A condition as the script tells it, in the words of a line.
#[derive(Deserialize)]
pub(super) struct Read {
    states: String,
    value: String,
    place: Position,
    astray: Vec<String>,
}

impl From<Read> for Condition {
    fn from(read: Read) -> Self {
        Self {
            state: State::of_words(&read.states, &read.value),
            place: read.place,
            astray: read.astray,
        }
    }
}

impl View {
    /// What an element is like now: where it stands if it `moves`, and what of a `wanted` place is not so; `None`
    /// if it is gone.
    ///
    /// # Errors
    /// [`ReadError`].
    pub async fn condition(
        &self,
        handle: Handle,
        moves: bool,
        wanted: Option<&Position>,
    ) -> Result<Option<Condition>, ReadError> {
        let key = handle.key();
        let Some((_, world)) = self.worlds.of_serial(key.world) else {
            return Ok(None);
        };
        let function =
            "function (known, moves, wanted) { return this.condition(known, moves, wanted); }";
        let args = [json!(key.number), json!(moves), json!(wanted)];
        let read: Option<Read> = world.call(function, &args).await?;
        Ok(read.map(Condition::from))
    }
}
