//! What the mouse does with points, distances and its buttons, in Playwright's words.

use serde_json::json;

use super::{Language, locator};
use crate::Point;
use crate::recipe::Step;

/// The options of a click.
pub(super) fn click<'a>(step: &Step, language: &dyn Language) -> Vec<(&'a str, String)> {
    let count = step.times.map(|times| times.to_string());
    let button = step.button.map(|button| json!(button.word()).to_string());
    let modifiers = (!step.modifiers.is_empty()).then(|| json!(step.modifiers).to_string());
    let named = [
        (language.name("clickCount"), count),
        ("button", button),
        ("modifiers", modifiers),
        ("position", step.point.map(place)),
    ];
    given(named)
}

/// The options of a hover.
pub(super) fn hover<'a>(step: &Step) -> Vec<(&'a str, String)> {
    given([("position", step.point.map(place))])
}

/// A drag to another element, or by a distance.
pub(super) fn drag(step: &Step, on: &str, language: &dyn Language) -> Option<String> {
    if let Some(to) = &step.to {
        let options = given([
            (language.name("sourcePosition"), step.point.map(place)),
            (language.name("targetPosition"), step.to_point.map(place)),
        ]);
        let args = language.args(Some(locator(to, language)), &options);
        return Some(language.call(on, language.name("dragTo"), &args));
    }
    let by = step.by?;
    let mut args = format!("page, {on}, {}, {}", by.x, by.y);
    if let Some(point) = step.point {
        args = format!("{args}, {}", place(point));
    }
    Some(language.own(language.name("dragBy"), &args))
}

fn given<const N: usize>(options: [(&str, Option<String>); N]) -> Vec<(&str, String)> {
    let options = options.into_iter();
    options
        .filter_map(|(name, value)| Some((name, value?)))
        .collect()
}

/// A point, as both languages read it.
fn place(point: Point) -> String {
    format!("{{ \"x\": {}, \"y\": {} }}", point.x, point.y)
}
