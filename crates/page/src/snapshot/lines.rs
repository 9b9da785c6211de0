//! Writes the tree as lines of text.

use std::fmt::Write as _;

use super::item::{Item, Kind};
use super::place;
use super::refs::Refs;

/// Characters to show of a name, a value and a text. The script cuts texts shorter, and says how much it left out.
const NAME: usize = 200;
pub(super) const VALUE: usize = 400;
const TEXT: usize = 4100;

/// The lines of a tree; assigns refs to the nodes that carry them.
pub(super) fn write(items: &[Item], refs: &mut Refs) -> Vec<String> {
    let mut lines = Vec::with_capacity(items.len());
    let mut at = 0;
    while let Some(item) = items.get(at) {
        let inner = only_text(items, at);
        let reference = item.kind.has_ref().then(|| refs.number(item));
        lines.push(line(item, reference, inner));
        at += if inner.is_some() { 2 } else { 1 };
    }
    lines
}

/// Ref, role and name of each node that has a ref, side by side, plus our own notes.
pub(super) fn brief(items: &[Item], refs: &mut Refs) -> Vec<String> {
    let lines = items.iter().filter_map(|item| match item.kind {
        Kind::Note => Some(line(item, None, None).trim_start().to_owned()),
        kind if kind.has_ref() => {
            let mut line = format!("- {}", item.role);
            name(&mut line, item, Some(refs.number(item)));
            Some(line)
        }
        _ => None,
    });
    lines.collect()
}

/// The text that is a node's only content: written after the node, not below it.
pub(super) fn only_text(items: &[Item], at: usize) -> Option<&str> {
    let (item, inner) = (items.get(at)?, items.get(at + 1)?);
    let alone = inner.kind == Kind::Text
        && inner.depth == item.depth + 1
        && items
            .get(at + 2)
            .is_none_or(|next| next.depth <= item.depth);
    let free = item.value.is_empty() && !matches!(item.kind, Kind::Text | Kind::Note | Kind::Frame);
    (alone && free).then_some(&inner.name)
}

/// One node as a line, without the newline.
pub(super) fn line(item: &Item, reference: Option<u32>, inner: Option<&str>) -> String {
    let mut line = " ".repeat(item.depth * 2);
    // Writing to a `String` cannot fail.
    let _ = match item.kind {
        Kind::Text => write!(line, "- text: {}", szk_text::line(&item.name, TEXT)),
        Kind::Note => write!(line, "- ({})", szk_text::line(&item.name, TEXT)),
        _ => write!(line, "- {}", item.role),
    };
    if matches!(item.kind, Kind::Text | Kind::Note) {
        return line;
    }
    name(&mut line, item, reference);
    for word in item.states.split(' ').filter(|word| !word.is_empty()) {
        let _ = match word.strip_prefix("level=") {
            Some(_) => write!(line, " [{word}]"),
            None => write!(line, " {}", place::written(word)),
        };
    }
    // A cell has a ref for no other reason, and what things are dropped on may do no more.
    let plain = matches!(item.role.as_str(), "cell" | "gridcell");
    let drops = item.states.split(' ').any(|word| word == "droppable");
    if item.kind == Kind::Clickable && !plain && !drops {
        line.push_str(" clickable");
    }
    if !item.description.is_empty() {
        line.push_str(" description=");
        line.push_str(&szk_text::quoted(&item.description, NAME));
    }
    if let Some([x, y, width, height]) = item.bounds {
        let _ = write!(line, " [box={x},{y},{width},{height}]");
    }
    let tail = if item.value.is_empty() {
        inner.map(|text| szk_text::line(text, TEXT))
    } else {
        Some(szk_text::line(&item.value, VALUE))
    };
    if let Some(tail) = tail {
        let _ = write!(line, ": {tail}");
    }
    line
}

/// Name and ref, which every line has.
fn name(line: &mut String, item: &Item, reference: Option<u32>) {
    if !item.name.is_empty() {
        line.push(' ');
        line.push_str(&szk_text::quoted(&item.name, NAME));
    }
    if let Some(reference) = reference {
        let _ = write!(line, " [e{reference}]");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(report: &str, expected: &str) {
        let items = Item::read_all(1, report);
        assert_eq!(write(&items, &mut Refs::default()).join("\n"), expected);
    }

    #[test]
    fn lines_are_as_the_contract_says() {
        check(
            "0\theading\t1\t\tSign in\tlevel=1\t\t\n0\ttextbox\t2\ti\tUser\trequired\tjane\t\n0\tbutton\t3\ti\tSend\t\t\t\n0\tiframe\t4\tf\tPay\t\t\t\n0\tgeneric\t5\tc\tCard\t\t\t1,2,3,4",
            "- heading \"Sign in\" [level=1]\n- textbox \"User\" [e1] required: jane\n- button \"Send\" [e2]\n- iframe \"Pay\" [e3]\n- generic \"Card\" [e4] clickable [box=1,2,3,4]",
        );
    }

    #[test]
    fn text_alone_stands_behind_its_node() {
        check(
            "0\tlistitem\t1\t\t\t\t\t\n1\ttext\t1\tt\tone\t\t\t\n0\tlistitem\t2\t\t\t\t\t",
            "- listitem: one\n- listitem",
        );
        check(
            "0\tlistitem\t1\t\t\t\t\t\n1\ttext\t1\tt\tone\t\t\t\n1\tlink\t2\ti\ttwo\t\t\t",
            "- listitem\n  - text: one\n  - link \"two\" [e1]",
        );
    }

    #[test]
    fn a_description_is_quoted_and_brief_lines_have_none() {
        let report = "0\tform\t1\t\tPay\t\t\t\t\n1\ttextbox\t2\ti\tCard\trequired\t4711\t1,2,3,4\t16 \"digits\"\n1\ttext\t0\tn\tcut\t\t\t";
        check(
            report,
            "- form \"Pay\"\n  - textbox \"Card\" [e1] required description=\"16 \\\"digits\\\"\" [box=1,2,3,4]: 4711\n  - (cut)",
        );
        let items = Item::read_all(1, report);
        let brief = brief(&items, &mut Refs::default());
        assert_eq!(brief, ["- textbox \"Card\" [e1]", "- (cut)"]);
    }

    #[test]
    fn a_page_cannot_forge_lines_or_refs() {
        check(
            "0\tbutton\t1\ti\ta\" [e9] \\\u{85}- button \"b\u{2028}\u{202e}\t\t\t",
            "- button \"a\\\" [e9] \\\\ - button \\\"b \" [e1]",
        );
    }
}
