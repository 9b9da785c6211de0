//! Texts that are given and empty: taken at their word, they would match everything or nothing.

use szk_tools::Failure;
use szk_tools::browser::{ActInput, ActKind};

/// Refuses what names something and is empty, and says what to give.
pub(super) fn refuse(input: &ActInput) -> Result<(), Failure> {
    // What other kinds write may be empty, and what they press is read elsewhere.
    let text = input.text.as_ref().filter(|_| input.kind == ActKind::Wait);
    let given = [
        ("ref", input.r#ref.as_ref(), "a ref such as `e5`"),
        ("name", input.name.as_ref(), "a name as shown"),
        ("role", input.role.as_ref(), "a role such as `button`"),
        ("selector", input.selector.as_ref(), "CSS or XPath"),
        ("frame", input.frame.as_ref(), "the selector of a frame"),
        ("text", text, "text of the page"),
        ("url", input.url.as_ref(), "part of an address"),
        ("after", input.after.as_ref(), "text of the page"),
        ("to", input.to.as_ref(), "where to"),
    ];
    for (field, value, what) in given {
        if value.is_some_and(|value| value.trim().is_empty()) {
            return Err(Failure::invalid(format!("`{field}` is empty"))
                .about([field])
                .hint(format!("give {what}, or leave it out")));
        }
    }
    Ok(())
}
