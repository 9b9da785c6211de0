//! The format of a recipe.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Distance, Identity, OtherButton, Point, Position, State, Thing};

/// A recipe: steps, what they need, and where they may run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Recipe {
    /// What it is.
    #[serde(rename = "recipe")]
    pub head: Head,
    /// Parameters by name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub params: BTreeMap<String, Param>,
    /// Steps, in order.
    #[serde(default, rename = "step")]
    pub steps: Vec<Step>,
}

/// What a recipe is, and where it may run.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Head {
    /// Its name, also that of its file.
    pub name: String,
    /// Origin where it may run, such as `https://shop.example`.
    pub site: String,
    /// What it does.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub about: String,
    /// Counts the times that it was healed.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub revision: u32,
}

fn is_zero(number: &u32) -> bool {
    *number == 0
}

/// A parameter.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Param {
    /// Type of its value.
    #[serde(rename = "type")]
    pub kind: Kind,
    /// What it is.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub about: String,
    /// Value if none is given; without one, the parameter is required.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub default: Option<String>,
}

/// Type of a parameter.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// Any text.
    #[default]
    String,
    /// A number.
    Number,
    /// The name of a secret; its value appears nowhere.
    Secret,
}

/// What a step does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Do {
    /// Go to `value`.
    Navigate,
    /// Click.
    Click,
    /// Replace the content of a field by `value`.
    Fill,
    /// Add `value` at the end of a field.
    Type,
    /// Choose the option `value`; of a list for several, one option a line.
    Select,
    /// Press the key `value`.
    Press,
    /// Turn on.
    Check,
    /// Turn off.
    Uncheck,
    /// Move the pointer over the element.
    Hover,
    /// Drag the element to `to`, or `by` a distance.
    Drag,
    /// Give the file `value` to a file field.
    Upload,
    /// Wait for what is expected.
    Wait,
    /// Read records by `schema`.
    Extract,
    /// Repeat `steps` until the condition is met.
    Repeat,
    /// Do `steps` once for each row that the first of them finds.
    Each,
    /// Run the recipe called `value`, with the same parameters.
    Use,
}

/// A step.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Step {
    /// What to do.
    #[serde(rename = "do")]
    pub act: Do,
    /// Text, key, address, file or recipe; `{{name}}` stands for a parameter.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
    /// The element.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub on: Option<Identity>,
    /// Where a drag ends.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<Identity>,
    /// Point of the element, if not its middle.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub point: Option<Point>,
    /// Point of where a drag ends.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to_point: Option<Point>,
    /// How far to drag, if it ends at no element.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<Distance>,
    /// Button to click with, if not the left one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub button: Option<OtherButton>,
    /// Keys to hold down while clicking: `Control`, `Shift`, `Alt`, `Meta`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub modifiers: Vec<String>,
    /// How often to click or press.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub times: Option<u32>,
    /// Whether a dialog that it opens is accepted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub accept: Option<bool>,
    /// Path of the page where the step belongs; `*` stands for anything.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<String>,
    /// What has to be so afterwards.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expect: Option<Expect>,
    /// Do it only if this is so.
    #[serde(default, rename = "if", skip_serializing_if = "Option::is_none")]
    pub when: Option<Expect>,
    /// End of a repetition.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<Expect>,
    /// Most repetitions or rows (default 20).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub most: Option<u32>,
    /// Fields of the records to extract, with their types.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub schema: Option<BTreeMap<String, String>>,
    /// Steps of a repetition.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub steps: Vec<Step>,
}

impl Step {
    /// A step that does this.
    #[must_use]
    pub fn new(act: Do) -> Self {
        Self {
            act,
            value: None,
            on: None,
            to: None,
            point: None,
            to_point: None,
            by: None,
            button: None,
            modifiers: Vec::new(),
            times: None,
            accept: None,
            at: None,
            expect: None,
            when: None,
            until: None,
            most: None,
            schema: None,
            steps: Vec::new(),
        }
    }

    /// The step in a few words.
    #[must_use]
    pub fn words(&self) -> String {
        let verb = self.act.word();
        let of = |on: &Identity, point: Option<Point>| match point {
            Some(Point { x, y, .. }) => format!("{} at {x},{y}", on.words()),
            None => on.words(),
        };
        match (&self.on, &self.value) {
            (Some(on), _) => {
                let on = of(on, self.point);
                match (&self.to, self.by) {
                    (Some(to), _) => format!("{verb} {on} to {}", of(to, self.to_point)),
                    (None, Some(by)) => format!("{verb} {on} by {},{}", by.x, by.y),
                    (None, None) => format!("{verb} {on}"),
                }
            }
            (None, Some(value)) => format!("{verb} {value}"),
            (None, None) => verb.to_owned(),
        }
    }
}

/// A condition: all that is given has to be so.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Expect {
    /// The page's path, with `*` for anything.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub navigates: Option<String>,
    /// The page shows this.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub appears: Option<Thing>,
    /// The page does not show this.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gone: Option<Thing>,
    /// The page's text has this; `/…/` is a regular expression.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// The page's text does not have this.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub no_text: Option<String>,
    /// The field holds what was filled in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<bool>,
    /// The element that the step acted on is in this state.
    #[serde(skip_serializing_if = "State::is_empty")]
    pub state: State,
    /// The element that the step acted on stands here.
    #[serde(skip_serializing_if = "Position::is_empty")]
    pub place: Position,
    /// The step changed something, whatever that is; the focus alone is nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub changes: Option<bool>,
    /// How many seconds it may take to become so (default 10).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seconds: Option<u32>,
}

impl Expect {
    /// Whether it says nothing.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        let time = Self {
            seconds: self.seconds,
            ..Self::default()
        };
        *self == time
    }

    /// Whether it is of what a step did, which only that step can know.
    #[must_use]
    pub fn of_step(&self) -> Option<&'static str> {
        match self {
            _ if !self.state.is_empty() => Some("state"),
            _ if !self.place.is_empty() => Some("place"),
            _ => self.changes.map(|_| "changes"),
        }
    }

    /// Whether it tells that a step did what it is for. That something changed does not.
    #[must_use]
    pub fn shows(&self) -> bool {
        let rest = Self {
            changes: None,
            ..self.clone()
        };
        !rest.is_empty()
    }
}

impl Do {
    /// Its name in a file.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Navigate => "navigate",
            Self::Click => "click",
            Self::Fill => "fill",
            Self::Type => "type",
            Self::Select => "select",
            Self::Press => "press",
            Self::Check => "check",
            Self::Uncheck => "uncheck",
            Self::Hover => "hover",
            Self::Drag => "drag",
            Self::Upload => "upload",
            Self::Wait => "wait",
            Self::Extract => "extract",
            Self::Repeat => "repeat",
            Self::Each => "each",
            Self::Use => "use",
        }
    }

    /// Whether it cannot do without an element.
    #[must_use]
    pub fn needs_element(self) -> bool {
        matches!(
            self,
            Self::Click
                | Self::Fill
                | Self::Type
                | Self::Select
                | Self::Check
                | Self::Uncheck
                | Self::Hover
                | Self::Drag
                | Self::Upload
        )
    }

    /// Whether it does something to a page that is there.
    #[must_use]
    pub fn acts(self) -> bool {
        self.needs_element() || self == Self::Press
    }

    /// Whether it cannot do without a value.
    #[must_use]
    pub fn needs_value(self) -> bool {
        matches!(
            self,
            Self::Navigate
                | Self::Fill
                | Self::Type
                | Self::Select
                | Self::Press
                | Self::Upload
                | Self::Use
        )
    }
}
