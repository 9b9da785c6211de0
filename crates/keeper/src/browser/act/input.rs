//! From the flat input of `browser_act` to one act and its target.

mod empty;
mod pointer;
mod wait;

use std::time::Duration;

use szk_page::act::{Act, Answering, DropAt, Scroll, Target};
use szk_page::input::Chord;
use szk_page::snapshot::{Scope, Stale};
use szk_runtime::session::Running;
use szk_runtime::supervisor::Tab;
use szk_tools::Failure;
use szk_tools::browser::{ActInput, ActKind, DialogAnswer, ElementState};

pub(super) use self::pointer::pointed;
use self::pointer::{button, clicking, moving, points};
use self::wait::wait;
use crate::browser::view;
use crate::context::Keeper;

/// An act whose second target, if it has one, is still as it was given.
pub(super) enum UnresolvedAct {
    Act(Act),
    DragTo(Given),
}

/// A name and a role: either of them, or both.
type NameAndRole = (Option<String>, Option<String>);

/// A target as it was given.
#[derive(Debug, Default)]
pub(super) struct Given {
    r#ref: Option<String>,
    named: Option<NameAndRole>,
    selector: Option<String>,
    frame: Option<String>,
    x: Option<i32>,
    y: Option<i32>,
}

impl Given {
    /// The point of an element, if both are given.
    fn offset(&self) -> Option<(i32, i32)> {
        let element = self.r#ref.is_some() || self.named.is_some() || self.selector.is_some();
        element.then_some((self.x?, self.y?))
    }
}

/// What begins a selector that is a name.
const TEXT: &str = "text=";

impl Given {
    /// A target in one word: a ref, a place, or else a selector.
    fn read(word: &str) -> Self {
        if let Some((target, (x, y))) = word
            .rsplit_once('@')
            .and_then(|(target, at)| Some((target, place(at)?)))
            .filter(|(target, _)| !target.is_empty())
        {
            let (x, y) = (Some(x), Some(y));
            return Self {
                x,
                y,
                ..Self::read(target)
            };
        }
        if let Some(name) = word.strip_prefix(TEXT) {
            return Self {
                named: Some((Some(name.to_owned()), None)),
                ..Self::default()
            };
        }
        let is_ref = matches!(view::scope(word), Scope::Ref(_));
        match place(word) {
            Some((x, y)) => Self {
                x: Some(x),
                y: Some(y),
                ..Self::default()
            },
            None if is_ref => Self {
                r#ref: Some(word.to_owned()),
                ..Self::default()
            },
            None => Self {
                selector: Some(word.to_owned()),
                ..Self::default()
            },
        }
    }
}

/// Two numbers with a comma between them.
fn place(word: &str) -> Option<(i32, i32)> {
    let (x, y) = word.split_once(',')?;
    Some((x.trim().parse().ok()?, y.trim().parse().ok()?))
}

/// Most clicks of one call.
const MOST_CLICKS: u32 = 50;

/// How often the act is carried out, one after the other.
pub(super) fn times(input: &ActInput) -> u32 {
    match (input.kind, input.count) {
        (ActKind::Click, Some(count @ 4..=MOST_CLICKS)) => count,
        _ => 1,
    }
}

/// Reads what is to be done.
pub(super) fn read(input: &ActInput, budget: Duration) -> Result<UnresolvedAct, Failure> {
    empty::refuse(input)?;
    let missing = |field: &str| {
        let kind = format!("{:?}", input.kind).to_lowercase();
        Failure::invalid(format!("`{kind}` needs `{field}`")).about([field])
    };
    let act = match input.kind {
        ActKind::Click => Act::Click(clicking(input)?),
        ActKind::Type => Act::Type(input.text.clone().ok_or_else(|| missing("text"))?),
        ActKind::Fill => Act::Fill(input.text.clone().ok_or_else(|| missing("text"))?),
        ActKind::Press => {
            let key = input.key.as_deref().ok_or_else(|| missing("key"))?;
            let chord: Chord = key.parse().map_err(|_| {
                Failure::invalid(format!("`{}` is not a key", shortened(key)))
                    .hint("use the names of `KeyboardEvent.key`: `Enter`, `ArrowDown`, `a`, `Control+Shift+K`")
            })?;
            Act::Press(chord, input.count.unwrap_or(1).clamp(1, 1000))
        }
        ActKind::Hover => Act::Hover,
        ActKind::Focus => Act::Focus,
        ActKind::Check => Act::Check(true),
        ActKind::Uncheck => Act::Check(false),
        ActKind::Down => Act::Down(button(input)),
        ActKind::Up => Act::Up(button(input)),
        ActKind::Move => Act::Move(moving(input, budget)?),
        ActKind::Drag if input.to.is_none() && (input.dx.is_some() || input.dy.is_some()) => {
            Act::Drag(DropAt::By(
                input.dx.unwrap_or_default(),
                input.dy.unwrap_or_default(),
            ))
        }
        ActKind::Drag => {
            let to = input.to.as_deref().ok_or_else(|| missing("to"))?;
            let to = Given::read(to);
            return Ok(UnresolvedAct::DragTo(to));
        }
        ActKind::Select => {
            let values = input
                .values
                .clone()
                .or_else(|| Some(vec![input.text.clone()?]));
            Act::Select(values.ok_or_else(|| missing("values"))?)
        }
        ActKind::Scroll => Act::Scroll(scroll(input)?),
        ActKind::Upload => {
            let paths = input.paths.clone().unwrap_or_default();
            if paths.is_empty() {
                return Err(missing("paths"));
            }
            for path in &paths {
                crate::browser::uploads::readable(path)?;
            }
            Act::Upload(paths)
        }
        ActKind::Wait => Act::Wait(wait(input, budget)?),
        ActKind::Resize => match (input.width, input.height) {
            (Some(width @ 100..=10_000), Some(height @ 100..=10_000)) => Act::Resize(width, height),
            (None, _) => return Err(missing("width")),
            (_, None) => return Err(missing("height")),
            _ => {
                return Err(Failure::invalid(
                    "each side of the viewport is 100 to 10000 pixels",
                ));
            }
        },
    };
    Ok(UnresolvedAct::Act(act))
}

/// The act with its second target, if it has one.
pub(super) async fn act(
    keeper: &Keeper,
    running: &Running,
    tab: &Tab,
    asked: UnresolvedAct,
) -> Result<Act, Failure> {
    match asked {
        UnresolvedAct::Act(act) => Ok(act),
        UnresolvedAct::DragTo(to) => {
            let to = resolved(keeper, running, tab, to, Need::AsItWas).await?;
            let to = to.ok_or_else(|| Failure::invalid("`drag` needs `to`").about(["to"]))?;
            Ok(Act::Drag(DropAt::Target(to.target)))
        }
    }
}

/// What an act is aimed at, with its ref if it was named by one, or by its name.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Aimed {
    pub(super) target: Target,
    pub(super) reference: Option<String>,
}

impl From<Target> for Aimed {
    fn from(target: Target) -> Self {
        Self {
            target,
            reference: None,
        }
    }
}

/// What the act is aimed at.
pub(super) async fn target(
    keeper: &Keeper,
    running: &Running,
    tab: &Tab,
    input: &ActInput,
) -> Result<Option<Aimed>, Failure> {
    let (named, selector) = named_by(input);
    let given = Given {
        r#ref: input.r#ref.clone(),
        named,
        selector,
        frame: input.frame.clone(),
        x: input.x,
        y: input.y,
    };
    if given.offset().is_some() && !points(input.kind) {
        let kind = format!("{:?}", input.kind).to_lowercase();
        return Err(Failure::invalid(format!(
            "`{kind}` works on a whole element: leave out `x` and `y`"
        ))
        .about(["x", "y"]));
    }
    let need = match (input.kind, input.state) {
        (ActKind::Wait, Some(ElementState::Hidden | ElementState::Detached)) => Need::Nothing,
        (ActKind::Wait, _) => Need::Node,
        _ => Need::AsItWas,
    };
    let target = resolved(keeper, running, tab, given, need).await?;
    let optional = matches!(
        input.kind,
        ActKind::Type
            | ActKind::Press
            | ActKind::Scroll
            | ActKind::Wait
            | ActKind::Resize
            | ActKind::Down
            | ActKind::Up
    ) || (input.kind == ActKind::Move && (input.dx.is_some() || input.dy.is_some()));
    if target.is_none() && !optional {
        let kind = format!("{:?}", input.kind).to_lowercase();
        return Err(Failure::invalid(format!("`{kind}` needs a target"))
            .hint("give `ref` (from `browser_snapshot`), `name`, `selector`, or `x` and `y`"));
    }
    Ok(target)
}

/// The name and the selector of the target. A `selector` that begins with `text=` is a name; so is the `text`
/// of a kind of act that writes none, if nothing else says what the target is.
fn named_by(input: &ActInput) -> (Option<NameAndRole>, Option<String>) {
    let role = || input.role.clone();
    let selector = input.selector.as_deref();
    if let Some(name) = selector.and_then(|selector| selector.strip_prefix(TEXT)) {
        return (Some((Some(name.to_owned()), role())), None);
    }
    let selector = input.selector.clone();
    if input.name.is_some() || input.role.is_some() {
        return (Some((input.name.clone(), role())), selector);
    }
    let writes = matches!(
        input.kind,
        ActKind::Type | ActKind::Fill | ActKind::Wait | ActKind::Select
    );
    let free = input.r#ref.is_none() && selector.is_none() && input.x.is_none();
    match &input.text {
        Some(text) if free && !writes => (Some((Some(text.clone()), None)), None),
        _ => (None, selector),
    }
}

/// What dialogs are answered.
pub(super) fn answering(input: &ActInput) -> Answering {
    Answering {
        accept: match (input.dialog, &input.dialog_text) {
            (Some(DialogAnswer::Accept), _) | (None, Some(_)) => Some(true),
            (Some(DialogAnswer::Dismiss), _) => Some(false),
            (None, None) => None,
        },
        text: input.dialog_text.clone(),
        alone: false,
    }
}

/// What must be left of the node of a ref.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Need {
    /// What it was when it was shown.
    AsItWas,
    /// The node, whatever it has become.
    Node,
    /// Nothing: its end is waited for.
    Nothing,
}

async fn resolved(
    keeper: &Keeper,
    running: &Running,
    tab: &Tab,
    given: Given,
    need: Need,
) -> Result<Option<Aimed>, Failure> {
    let Some(offset) = given.offset() else {
        return whole(keeper, running, tab, given, need).await;
    };
    let element = Given {
        x: None,
        y: None,
        ..given
    };
    let aimed = whole(keeper, running, tab, element, need).await?;
    Ok(aimed.map(|aimed| Aimed {
        target: Target::Within(Box::new(aimed.target.whole()), offset),
        ..aimed
    }))
}

async fn whole(
    keeper: &Keeper,
    running: &Running,
    tab: &Tab,
    given: Given,
    need: Need,
) -> Result<Option<Aimed>, Failure> {
    let framed = given.frame.is_some();
    let aimed = match given {
        Given {
            named: Some((name, role)),
            r#ref: None,
            selector: None,
            frame: None,
            x: None,
            y: None,
        } => {
            let (node, reference) = super::named::find(keeper, running, tab, name, role).await?;
            return Ok(Some(Aimed {
                target: Target::Ref(node),
                reference: Some(reference),
            }));
        }
        Given {
            r#ref: Some(name),
            named: None,
            selector: None,
            x: None,
            y: None,
            ..
        } => match super::refs::find(keeper, running, tab, &name, need != Need::AsItWas).await {
            Ok(node) => Aimed {
                target: Target::Ref(node),
                reference: Some(name),
            },
            Err(Stale::Gone { .. }) if need == Need::Nothing => return Ok(None),
            Err(error) => return Err(view::stale(&error)),
        },
        Given {
            r#ref: None,
            named: None,
            selector: Some(selector),
            frame,
            x: None,
            y: None,
        } => {
            let frame = frame
                .map(|frame| format!("{frame} >> "))
                .unwrap_or_default();
            return Ok(Some(Target::Selector(format!("{frame}{selector}")).into()));
        }
        Given {
            r#ref: None,
            named: None,
            selector: None,
            x: Some(x),
            y: Some(y),
            ..
        } => Target::Point(x, y).into(),
        Given {
            r#ref: None,
            named: None,
            selector: None,
            frame: None,
            x: None,
            y: None,
        } => return Ok(None),
        Given {
            named: Some(_),
            frame: Some(_),
            ..
        } => {
            return Err(Failure::invalid("`frame` goes with `selector` only")
                .about(["frame", "selector"])
                .hint("a `name` is looked for in all frames: leave out `frame`"));
        }
        _ => {
            return Err(Failure::invalid(
                "give one target: `ref`, `name`, `selector`, or both `x` and `y`",
            )
            .about(["ref", "name", "selector", "x", "y"]));
        }
    };
    if framed {
        return Err(
            Failure::invalid("`frame` goes with `selector` only").about(["frame", "selector"])
        );
    }
    Ok(Some(aimed))
}

fn scroll(input: &ActInput) -> Result<Scroll, Failure> {
    let targeted = input.r#ref.is_some() || input.selector.is_some() || input.name.is_some();
    match (input.to.as_deref(), input.dx, input.dy) {
        (Some("top"), None, None) => Ok(Scroll::Top),
        (Some("bottom"), None, None) => Ok(Scroll::Bottom),
        (Some(_), None, None) => {
            Err(Failure::invalid("`to` must be `top` or `bottom` here").about(["to"]))
        }
        (None, None, None) if targeted => Ok(Scroll::IntoView),
        (None, None, None) => Err(Failure::invalid(
            "`scroll` needs `dx` or `dy`, `to`, or a target to scroll into view",
        )
        .about(["dx", "dy", "to"])),
        (None, dx, dy) => Ok(Scroll::By(dx.unwrap_or(0), dy.unwrap_or(0))),
        _ => {
            Err(Failure::invalid("give `to` or `dx` and `dy`, not both").about(["to", "dx", "dy"]))
        }
    }
}

fn shortened(text: &str) -> String {
    text.chars().take(40).collect()
}

#[cfg(test)]
mod tests;
