//! Where something is inside a JSON value.

use serde_json::Value;
use serde_path_to_error::{Path, Segment};

/// A path from the outermost value.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Place(Vec<Step>);

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Step {
    Key(String),
    Index(usize),
}

impl Place {
    /// The part of a path that exists in `value`: some types hide where they failed inside.
    pub(super) fn resolve(path: &Path, value: &Value) -> Self {
        let mut steps = Vec::new();
        let mut here = value;
        for segment in path {
            let step = match segment {
                Segment::Seq { index } => Step::Index(*index),
                Segment::Map { key } => Step::Key(key.clone()),
                Segment::Enum { variant } => Step::Key(variant.clone()),
                Segment::Unknown => break,
            };
            let Some(inner) = step.get(here) else {
                break;
            };
            here = inner;
            steps.push(step);
        }
        Self(steps)
    }

    /// A field of the object here.
    pub(super) fn field(&self, name: &str) -> Self {
        let mut steps = self.0.clone();
        steps.push(Step::Key(name.to_owned()));
        Self(steps)
    }

    /// The same place for all elements of each list on the way.
    pub(super) fn pattern(&self) -> Self {
        let steps = self.0.iter().map(|step| match step {
            Step::Index(_) => Step::Index(0),
            key => key.clone(),
        });
        Self(steps.collect())
    }

    pub(super) fn is_within(&self, outer: &Self) -> bool {
        self.0.starts_with(&outer.0)
    }

    /// Whether this is an element of a list.
    pub(super) fn is_element(&self) -> bool {
        matches!(self.0.last(), Some(Step::Index(_)))
    }

    pub(super) fn get<'v>(&self, value: &'v Value) -> Option<&'v Value> {
        self.0.iter().try_fold(value, |here, step| step.get(here))
    }

    pub(super) fn get_mut<'v>(&self, value: &'v mut Value) -> Option<&'v mut Value> {
        self.0.iter().try_fold(value, |here, step| match step {
            Step::Key(key) => here.get_mut(key),
            Step::Index(index) => here.get_mut(index),
        })
    }

    /// Removes the values of this pattern that are `unwanted`. False if there was none, as always
    /// for the outermost value, which nothing can be removed from.
    pub(super) fn remove_where(&self, value: &mut Value, unwanted: &Unwanted) -> bool {
        let Some((last, above)) = self.0.split_last() else {
            return false;
        };
        let mut removed = false;
        each(above, value, &mut |here| match (last, here) {
            (Step::Key(key), Value::Object(object)) if object.get(key).is_some_and(unwanted) => {
                object.shift_remove(key);
                removed = true;
            }
            (Step::Index(_), Value::Array(list)) => {
                let before = list.len();
                list.retain(|element| !unwanted(element));
                removed |= list.len() < before;
            }
            _ => {}
        });
        removed
    }

    /// Gives the objects of this pattern a field, if they lack it.
    pub(super) fn insert_missing(&self, value: &mut Value, field: &str, neutral: &Value) {
        each(&self.0, value, &mut |here| {
            if let Value::Object(object) = here
                && !object.contains_key(field)
            {
                object.insert(field.to_owned(), neutral.clone());
            }
        });
    }
}

pub(super) type Unwanted<'a> = dyn Fn(&Value) -> bool + 'a;

/// Visits what the pattern leads to.
fn each(steps: &[Step], value: &mut Value, visit: &mut dyn FnMut(&mut Value)) {
    match (steps.split_first(), value) {
        (None, here) => visit(here),
        (Some((Step::Key(key), rest)), Value::Object(object)) => {
            if let Some(inner) = object.get_mut(key) {
                each(rest, inner, visit);
            }
        }
        (Some((Step::Index(_), rest)), Value::Array(list)) => {
            for element in list {
                each(rest, element, visit);
            }
        }
        _ => {}
    }
}

impl Step {
    fn get<'v>(&self, value: &'v Value) -> Option<&'v Value> {
        match self {
            Self::Key(key) => value.get(key),
            Self::Index(index) => value.get(index),
        }
    }
}
