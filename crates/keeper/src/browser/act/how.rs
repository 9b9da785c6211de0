//! How an act is carried out, and what is known of its element.

use szk_page::act::{Answering, Target};
use szk_page::snapshot::Element;
use szk_recipes::Identity;
use szk_tools::browser::InputPace;
use tokio::time::Instant;

/// An element that was found by all that is known of it: the act is on nothing else.
#[derive(Debug, Clone)]
pub(crate) struct KnownElement {
    pub(crate) element: Element,
    pub(crate) identity: Identity,
}

/// What a replay has found for an act.
#[derive(Debug, Clone, Default)]
pub(crate) struct Known {
    pub(crate) on: Option<KnownElement>,
    /// Where a drag ends.
    pub(crate) to: Option<Element>,
    /// The point of that, if one is meant.
    pub(crate) to_point: Option<(i32, i32)>,
}

/// An element that was found, or a point of it.
pub(crate) fn found(element: Element, point: Option<(i32, i32)>) -> Target {
    let element = Target::Element(element);
    match point {
        Some(at) => Target::Within(Box::new(element), at),
        None => element,
    }
}

/// How an act is carried out.
#[derive(Clone)]
pub(crate) struct How {
    /// None for the profile's own.
    pub(crate) pace: Option<InputPace>,
    pub(crate) answering: Answering,
    /// When the call's time is up.
    pub(crate) whole: Instant,
    /// Whether the log of acts has it: not what nobody asked for.
    pub(crate) logged: bool,
    /// What tells the element from others, if that is known.
    pub(crate) known: Option<Identity>,
}
