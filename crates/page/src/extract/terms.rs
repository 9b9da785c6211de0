//! Lists of terms and definitions, which Markdown has no form for, as plain lists.

use dom_query::{Document, NodeRef};

/// Elements that begin a line of their own.
const BLOCKS: &[&str] = &[
    "address",
    "article",
    "aside",
    "blockquote",
    "details",
    "div",
    "dl",
    "fieldset",
    "figure",
    "footer",
    "form",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "header",
    "hr",
    "main",
    "nav",
    "ol",
    "p",
    "pre",
    "section",
    "table",
    "ul",
];

/// Terms and what defines them.
#[derive(Default)]
struct Group<'a> {
    terms: Vec<NodeRef<'a>>,
    definitions: Vec<NodeRef<'a>>,
}

/// Each term in bold with its definition behind it: entries of a list, or paragraphs if a definition has any.
pub(super) fn as_lists(document: &Document) {
    // Lists inside of others come first: they count as blocks then.
    for list in document.root().find(&["dl"]).into_iter().rev() {
        let mut parts = Vec::new();
        collect(&list, &mut parts);
        let groups = groups(parts);
        let flows = groups
            .iter()
            .flat_map(|group| &group.definitions)
            .all(flows);
        let new = list.tree.new_element(if flows { "ul" } else { "div" });
        for group in &groups {
            write(&new, group, flows);
        }
        list.insert_before(&new);
        match list.text().trim().is_empty() {
            true => list.remove_from_parent(),
            false => list.rename("div"),
        }
    }
}

/// The terms and definitions of a list, also those in groups.
fn collect<'a>(of: &NodeRef<'a>, found: &mut Vec<NodeRef<'a>>) {
    for child in of.element_children() {
        if child.has_name("dt") || child.has_name("dd") {
            found.push(child);
        } else if child.has_name("div") {
            collect(&child, found);
        }
    }
}

fn groups(parts: Vec<NodeRef<'_>>) -> Vec<Group<'_>> {
    let mut groups: Vec<Group> = Vec::new();
    for part in parts {
        let term = part.has_name("dt");
        if groups
            .last()
            .is_none_or(|last| term && !last.definitions.is_empty())
        {
            groups.push(Group::default());
        }
        if let Some(last) = groups.last_mut() {
            match term {
                true => last.terms.push(part),
                false => last.definitions.push(part),
            }
        }
    }
    groups
}

fn flows(node: &NodeRef) -> bool {
    let mut inner = node.descendants_it();
    !inner.any(|one| BLOCKS.iter().any(|name| one.has_name(name)))
}

fn write(list: &NodeRef, group: &Group, flowing: bool) {
    let line = list.tree.new_element(if flowing { "li" } else { "p" });
    list.append_child(&line);
    head(&line, &group.terms, group.definitions.is_empty());
    match group.definitions.as_slice() {
        [only] if flows(only) => take(&line, only),
        several if flowing => {
            let inner = list.tree.new_element("ul");
            for one in several {
                one.rename("li");
                inner.append_child(one);
            }
            if !several.is_empty() {
                line.append_child(&inner);
            }
        }
        several => {
            for one in several {
                one.rename("div");
                list.append_child(one);
            }
        }
    }
}

/// The terms, and the colon if something follows.
fn head(line: &NodeRef, terms: &[NodeRef], alone: bool) {
    let bold = line.tree.new_element("b");
    let mut ends = false;
    for term in terms {
        let text = words(term);
        if text.is_empty() && term.find(&["img"]).is_empty() {
            continue;
        }
        if bold.first_child().is_some() {
            bold.append_child(&line.tree.new_text(", "));
        }
        ends = text.ends_with(':');
        match ["a", "code", "img"]
            .iter()
            .all(|name| term.find(&[name]).is_empty())
        {
            true => bold.append_child(&line.tree.new_text(text)),
            false => {
                flatten(term);
                take(&bold, term);
            }
        }
        term.remove_from_parent();
    }
    if bold.first_child().is_none() {
        return;
    }
    line.append_child(&bold);
    if !alone {
        let colon = if ends { " " } else { ": " };
        line.append_child(&line.tree.new_text(colon));
    }
}

/// The text of a node on one line.
pub(super) fn words(node: &NodeRef) -> String {
    let text = node.formatted_text();
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Takes away what bold text cannot have: blocks, and spaces at its ends.
fn flatten(term: &NodeRef) {
    let space = || term.tree.new_text(" ");
    for block in term.descendants() {
        if !BLOCKS.iter().any(|name| block.has_name(name)) {
            continue;
        }
        block.rename("span");
        if block.prev_sibling().is_some() {
            block.insert_before(&space());
        }
        if block.next_sibling().is_some() {
            block.insert_after(&space());
        }
    }
    if let Some(first) = term.first_child().filter(NodeRef::is_text) {
        first.insert_before(&term.tree.new_text(first.text().trim_start()));
        first.remove_from_parent();
    }
    if let Some(last) = term.last_child().filter(NodeRef::is_text) {
        last.insert_before(&term.tree.new_text(last.text().trim_end()));
        last.remove_from_parent();
    }
}

/// Moves what is in one node to the end of another.
fn take(to: &NodeRef, from: &NodeRef) {
    for child in from.children() {
        to.append_child(&child);
    }
}

#[cfg(test)]
mod tests {
    use super::super::markdown::tests::check;

    #[test]
    fn a_term_stands_before_its_definition() {
        check(
            "<dl><dt>Price</dt><dd>12 €</dd><dt>Stock:</dt><dd><a href='https://a.example/'>3</a></dd></dl>",
            "- **Price**: 12 €\n- **Stock:** [3](https://a.example/)",
        );
        check(
            "<dl><div><dt>A</dt><dt><b>B</b></dt><dd>both</dd></div><div><dt>Alone</dt></div></dl>",
            "- **A, B**: both\n- **Alone**",
        );
        check(
            "<p>x</p><dl><dt>Size</dt><dd>S</dd><dd>M</dd></dl><p>y</p>",
            "x\n\n- **Size**:\n    - S\n    - M\n\ny",
        );
    }

    #[test]
    fn spaces_around_a_term_are_none_of_it() {
        check(
            "<dl>\n  <dt>\n    Price\n  </dt>\n  <dd>\n    12 €\n  </dd>\n</dl>",
            "- **Price**: 12 €",
        );
        check(
            "<dl><dt> <a href='https://a.example/'>Link</a> </dt><dd>x</dd></dl>",
            "- **[Link](https://a.example/)**: x",
        );
    }

    #[test]
    fn long_definitions_are_paragraphs() {
        check(
            "<dl><dt><div>One</div></dt><dd><p>First.</p><p>Second.</p></dd><dt>Two</dt><dd>Short</dd></dl>",
            "**One**:\n\nFirst.\n\nSecond.\n\n**Two**: Short",
        );
        check(
            "<dl><dt>Out</dt><dd><dl><dt>In</dt><dd>1</dd></dl></dd></dl>",
            "**Out**:\n\n- **In**: 1",
        );
    }
}
