//! What an element is like after a step, as Playwright checks it. It has no words for places, nor for
//! anything having changed.

use super::{Language, is_field, quoted};
use crate::{Identity, State, Thing};

/// Roles whose value Playwright can ask for, wherever they are made of a field.
const FIELDS: [&str; 3] = ["textbox", "searchbox", "spinbutton"];

/// Options by which a role's locator asks for states.
pub(super) fn options(state: &State, language: &dyn Language) -> Vec<(&'static str, String)> {
    let given = state.named().into_iter();
    given
        .filter_map(|(name, is)| Some((name, word(is?, language))))
        .collect()
}

/// Checks of the element that a step acted on.
pub(super) fn of_element(
    state: &State,
    on: &Identity,
    locator: &str,
    limit: &[(&str, String)],
    language: &dyn Language,
) -> Vec<String> {
    let mut lines = Vec::new();
    for (name, is) in state.named() {
        let Some(is) = is else { continue };
        if name == "checked" {
            let mut options = vec![("checked", word(is, language))];
            options.extend(limit.iter().cloned());
            lines.push(language.checked(locator, &options));
        } else if on.role != "summary" {
            // A section says it by its element, which the locator does not find.
            let wanted = format!(
                "{}, {}",
                quoted(&format!("aria-{name}")),
                quoted(&is.to_string())
            );
            lines.push(language.has(locator, &language.args(Some(wanted), limit)));
        }
    }
    let value = state.value.as_ref().filter(|_| is_field(on));
    lines.extend(value.map(|value| language.holds(locator, &language.text(value))));
    lines
}

/// The check of what another element holds, if Playwright can ask it.
pub(super) fn of_thing(thing: &Thing, locator: &str, language: &dyn Language) -> Option<String> {
    let value = thing.state.value.as_ref()?;
    let known = FIELDS.contains(&thing.role.as_str());
    known.then(|| language.holds(locator, &language.text(value)))
}

fn word(is: bool, language: &dyn Language) -> String {
    let word = if is { "true" } else { "false" };
    language.name(word).to_owned()
}

#[cfg(test)]
mod tests {
    use crate::{Format, export, parse};

    const RECIPE: &str = r##"
[recipe]
name = "a"
site = "https://shop.example"
[[step]]
do = "click"
on = { role = "switch", name = "Alerts", css = "#alerts" }
expect = { state = { checked = true } }
[[step]]
do = "click"
on = { role = "tab", name = "Billing", css = "#billing" }
expect = { state = { selected = true, expanded = false }, seconds = 20 }
[[step]]
do = "click"
on = { role = "checkbox", name = "News", type = "checkbox", css = "#news" }
expect = { state = { checked = false }, appears = { role = "textbox", name = "City", state = { value = "Graz" } } }
[[step]]
do = "drag"
on = { role = "listitem", name = "Card", css = "#card" }
to = { role = "list", name = "Done", css = "#done" }
expect = { place = { within = "Done" }, appears = { role = "button", name = "Bold", state = { pressed = true } } }
"##;

    #[test]
    fn states_are_said_where_there_are_words_for_them() {
        let recipe = parse(RECIPE, "a").unwrap();
        let check = |format, lines: &[&str]| {
            let script = export(&recipe, format).unwrap();
            for line in lines {
                assert!(script.contains(line), "{line}\n{script}");
            }
        };
        check(
            Format::Typescript,
            &[
                "    await expect(page.getByRole(\"switch\", { name: \"Alerts\", exact: true })).toBeChecked({ checked: true });",
                ".toHaveAttribute(\"aria-selected\", \"true\", { timeout: 20000 });",
                ".toHaveAttribute(\"aria-expanded\", \"false\", { timeout: 20000 });",
                "    await expect(page.getByRole(\"textbox\", { name: \"City\" }).first()).toHaveValue(\"Graz\");",
                "    await expect(page.getByRole(\"button\", { name: \"Bold\", pressed: true }).first()).toBeVisible();",
            ],
        );
        check(
            Format::Python,
            &[
                ".to_be_checked(checked=True)",
                ".to_be_checked(checked=False)",
                ".to_have_attribute(\"aria-selected\", \"true\", timeout=20000)",
                "page.get_by_role(\"button\", name=\"Bold\", pressed=True).first).to_be_visible()",
            ],
        );
        check(
            Format::Batch,
            &[
                r##""selector":"#alerts[aria-checked=\"true\"]","state":"attached""##,
                r##""selector":"#billing:not([aria-expanded=\"true\"])""##,
                r##""selector":"#news:not(:checked)""##,
                "\"timeout_ms\":20000",
            ],
        );
    }
}
