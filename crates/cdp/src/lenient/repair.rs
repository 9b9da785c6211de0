//! Changing a value, one trouble after the other, until it can be read.

use std::any::type_name;
use std::collections::{HashMap, HashSet};

use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::Unreadable;
use super::place::Place;

/// How many kinds of trouble one message may have. The same trouble in all elements of a list
/// counts once.
const ROUNDS: usize = 100;

/// A value being repaired.
pub(super) struct Repair {
    value: Value,
    /// The neutral values that worked, by place: list elements get the same.
    neutral: HashMap<Place, Value>,
    /// Objects for which there is none, because they need a variant of an enum.
    hopeless: HashSet<Place>,
}

/// Why reading stopped, and where.
struct Trouble {
    place: Place,
    /// The field that is required of the object at `place`; otherwise the value there is wrong.
    missing: Option<String>,
    report: Unreadable,
}

impl Repair {
    pub(super) fn new(value: Value) -> Self {
        Self {
            value,
            neutral: HashMap::new(),
            hopeless: HashSet::new(),
        }
    }

    pub(super) fn run<T: DeserializeOwned>(mut self) -> Result<T, Unreadable> {
        let mut first = None;
        for _ in 0..ROUNDS {
            let trouble = match self.attempt() {
                Ok(read) => return Ok(read),
                Err(trouble) => trouble,
            };
            tracing::debug!(reading = type_name::<T>(), trouble = %trouble.report, "a field is lost");
            let solved = match &trouble.missing {
                Some(field) => self.supply::<T>(&trouble.place, field),
                None => self.drop_bad(&trouble.place),
            };
            let report = first.get_or_insert(trouble.report);
            if !solved {
                return Err(report.clone());
            }
        }
        Err(first.unwrap_or_else(|| Unreadable::new(".", "no attempt was made")))
    }

    fn attempt<T: DeserializeOwned>(&self) -> Result<T, Trouble> {
        serde_path_to_error::deserialize(&self.value).map_err(|error| {
            let problem = error.inner().to_string();
            // What `serde::de::Error::missing_field` writes; there is no other way to ask.
            let missing = problem
                .strip_prefix("missing field `")
                .and_then(|rest| rest.strip_suffix('`'));
            Trouble {
                place: Place::resolve(error.path(), &self.value),
                missing: missing.map(str::to_owned),
                report: Unreadable::new(&error.path().to_string(), &problem),
            }
        })
    }

    /// Leaves a value out, and the same value in the same field of other list elements.
    fn drop_bad(&mut self, place: &Place) -> bool {
        let Some(bad) = place.get(&self.value).cloned() else {
            return false;
        };
        place.remove_where(&mut self.value, &|value| *value == bad)
    }

    /// Gives the object at `place` a neutral `field`, or leaves the object out.
    fn supply<T: DeserializeOwned>(&mut self, place: &Place, field: &str) -> bool {
        let target = place.field(field);
        let known = self.neutral.get(&target.pattern()).cloned();
        let hopeless = self.hopeless.contains(&target.pattern());
        if !hopeless && let Some(neutral) = known.or_else(|| self.find::<T>(place, field)) {
            place.insert_missing(&mut self.value, field, &neutral);
            self.neutral.insert(target.pattern(), neutral);
            return true;
        }
        self.hopeless.insert(place.pattern());
        if place.is_element() {
            // More than a field is lost, and a list with a gap looks like a complete one.
            tracing::warn!(needs = %field, "an element of a list is lost");
        }
        place.remove_where(&mut self.value, &|value| {
            value
                .as_object()
                .is_some_and(|object| !object.contains_key(field))
        })
    }

    /// The first neutral value that the type takes.
    fn find<T: DeserializeOwned>(&mut self, place: &Place, field: &str) -> Option<Value> {
        let target = place.field(field);
        let candidates = [
            Value::from(0),
            Value::from(""),
            Value::from(false),
            Value::Array(Vec::new()),
            Value::Object(Map::new()),
        ];
        candidates.into_iter().find(|candidate| {
            let Some(object) = place
                .get_mut(&mut self.value)
                .and_then(Value::as_object_mut)
            else {
                return false;
            };
            object.insert(field.to_owned(), candidate.clone());
            let taken = match self.attempt::<T>() {
                Ok(_) => true,
                // An empty object may lack fields of its own: their turn comes next.
                Err(trouble) if trouble.missing.is_some() && candidate.is_object() => true,
                Err(trouble) => !trouble.place.is_within(&target),
            };
            if let Some(Value::Object(object)) = place.get_mut(&mut self.value) {
                object.shift_remove(field);
            }
            taken
        })
    }
}
