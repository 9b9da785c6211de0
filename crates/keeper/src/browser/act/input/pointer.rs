//! What an act does with the pointer: clicks, buttons, moves.

use std::borrow::Cow;
use std::time::Duration;

use szk_page::act::{Clicking, Moving};
use szk_page::input::{Button, Modifier};
use szk_tools::Failure;
use szk_tools::browser::{ActInput, ActKind, MouseButton};

use super::{MOST_CLICKS, place, shortened};

/// The input with the point of a target such as `e12@10,20` in its own fields.
pub(crate) fn pointed(input: &ActInput) -> Cow<'_, ActInput> {
    let split = |word: &Option<String>| {
        let (element, at) = word.as_deref()?.rsplit_once('@')?;
        let (x, y) = place(at).filter(|_| !element.is_empty())?;
        Some((element.to_owned(), x, y))
    };
    let mut own = Cow::Borrowed(input);
    if input.x.is_some() || input.y.is_some() {
        return own;
    }
    let (reference, selector) = (split(&input.r#ref), split(&input.selector));
    if let Some((element, x, y)) = reference {
        let input = own.to_mut();
        (input.r#ref, input.x, input.y) = (Some(element), Some(x), Some(y));
    } else if let Some((element, x, y)) = selector {
        let input = own.to_mut();
        (input.selector, input.x, input.y) = (Some(element), Some(x), Some(y));
    }
    own
}

pub(super) fn clicking(input: &ActInput) -> Result<Clicking, Failure> {
    let modifiers = input.modifiers.iter().flatten();
    let modifiers = modifiers.map(|name| {
        name.parse::<Modifier>().map_err(|_| {
            Failure::invalid(format!("`{}` is not a modifier", shortened(name)))
                .hint("modifiers are `Control`, `Shift`, `Alt` and `Meta`")
        })
    });
    Ok(Clicking {
        button: button(input),
        count: match input.count.unwrap_or(1) {
            count @ 1..=3 => count,
            // More than a triple click are clicks one after the other.
            4..=MOST_CLICKS => 1,
            _ => {
                return Err(Failure::invalid(format!(
                    "`count` of a click must be 1 to {MOST_CLICKS}"
                ))
                .about(["count"]));
            }
        },
        modifiers: modifiers.collect::<Result<_, _>>()?,
    })
}

pub(super) fn button(input: &ActInput) -> Button {
    match input.button.unwrap_or_default() {
        MouseButton::Left => Button::Left,
        MouseButton::Middle => Button::Middle,
        MouseButton::Right => Button::Right,
    }
}

/// Kinds of act that a point of an element makes sense for.
pub(super) fn points(kind: ActKind) -> bool {
    matches!(
        kind,
        ActKind::Click
            | ActKind::Hover
            | ActKind::Drag
            | ActKind::Down
            | ActKind::Move
            | ActKind::Up
    )
}

pub(super) fn moving(input: &ActInput, budget: Duration) -> Result<Moving, Failure> {
    let time = input.time_ms.map(Duration::from_millis);
    if time.is_some_and(|time| time >= budget) {
        return Err(
            Failure::invalid("`time_ms` is more than `timeout_ms` allows")
                .about(["time_ms", "timeout_ms"]),
        );
    }
    Ok(Moving {
        by: (input.dx.unwrap_or_default(), input.dy.unwrap_or_default()),
        steps: input.count,
        time,
    })
}
