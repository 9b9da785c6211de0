//! Writes a recipe in other tools' words.

mod batch;

use std::fmt::Write as _;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::recipe::{Do, Expect, Recipe, Step};
use crate::{Identity, Thing};

/// What a recipe is exported to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Format {
    /// A Playwright test in TypeScript.
    #[default]
    Typescript,
    /// A Playwright program in Python.
    Python,
    /// Steps for `szk batch`.
    Batch,
}

/// The recipe in this format.
///
/// # Errors
/// The words of the first step that has no counterpart there.
pub fn export(recipe: &Recipe, format: Format) -> Result<String, String> {
    for step in &recipe.steps {
        let control = matches!(step.act, Do::Repeat | Do::Each | Do::Use | Do::Extract);
        if control || step.when.is_some() {
            return Err(step.words());
        }
    }
    match format {
        Format::Typescript => Ok(script(recipe, &Typescript)),
        Format::Python => Ok(script(recipe, &Python)),
        Format::Batch => batch::batch(recipe),
    }
}

/// What differs between the languages of Playwright.
trait Language {
    fn head(&self, recipe: &Recipe) -> String;
    /// A parameter inside of a text.
    fn text(&self, text: &str) -> String;
    fn call(&self, object: &str, method: &str, args: &str) -> String;
    fn name(&self, word: &'static str) -> &'static str;
    /// Named arguments.
    fn options(&self, options: &[(&str, String)]) -> String;
    fn expect_path(&self, pattern: &str) -> String;
    fn seen(&self, locator: &str, seen: bool) -> String;
    fn holds(&self, locator: &str, value: &str) -> String;
    /// Accepts the next dialog.
    fn accepts(&self) -> &'static str;
    fn tail(&self) -> &'static str;
}

fn script(recipe: &Recipe, language: &dyn Language) -> String {
    let mut script = language.head(recipe);
    for step in &recipe.steps {
        let locator = step.on.as_ref().map(|on| locator(on, language));
        let value = step.value.as_deref().map(|value| language.text(value));
        let value = value.unwrap_or_default();
        let page = || "page".to_owned();
        let on = locator.clone().unwrap_or_else(page);
        let line = match step.act {
            Do::Navigate => {
                let url = step.value.as_deref().unwrap_or_default();
                let url = match url.starts_with('/') {
                    true => format!("{}{url}", recipe.head.site),
                    false => url.to_owned(),
                };
                Some(language.call("page", "goto", &language.text(&url)))
            }
            Do::Click => {
                let count = step.times.map(|times| times.to_string());
                let named = |count| language.options(&[(language.name("clickCount"), count)]);
                Some(language.call(&on, "click", &count.map(named).unwrap_or_default()))
            }
            Do::Fill => Some(language.call(&on, "fill", &value)),
            Do::Type => Some(language.call(&on, language.name("pressSequentially"), &value)),
            Do::Select => Some(language.call(&on, language.name("selectOption"), &value)),
            Do::Press if locator.is_some() => Some(language.call(&on, "press", &value)),
            Do::Press => Some(language.call("page.keyboard", "press", &value)),
            Do::Check => Some(language.call(&on, "check", "")),
            Do::Uncheck => Some(language.call(&on, "uncheck", "")),
            Do::Hover => Some(language.call(&on, "hover", "")),
            Do::Drag => step.to.as_ref().map(|to| {
                let to = self::locator(to, language);
                language.call(&on, language.name("dragTo"), &to)
            }),
            Do::Upload => Some(language.call(&on, language.name("setInputFiles"), &value)),
            Do::Wait | Do::Extract | Do::Repeat | Do::Each | Do::Use => None,
        };
        let accepts = step.accept.map(|_| language.accepts().to_owned());
        let mut lines: Vec<String> = accepts.into_iter().collect();
        let presses = step.times.filter(|_| step.act == Do::Press);
        for _ in 0..presses.unwrap_or(1) {
            lines.extend(line.clone());
        }
        lines.extend(
            step.expect
                .iter()
                .flat_map(|expect| expected(expect, step, locator.as_deref(), language)),
        );
        for line in lines {
            let _ = writeln!(script, "    {line}");
        }
    }
    script + language.tail()
}

fn expected(
    expect: &Expect,
    step: &Step,
    locator: Option<&str>,
    language: &dyn Language,
) -> Vec<String> {
    let mut lines = Vec::new();
    lines.extend(
        expect
            .navigates
            .as_deref()
            .map(|pattern| language.expect_path(pattern)),
    );
    let thing = |thing: &Thing| {
        let on = Identity {
            role: thing.role.clone(),
            name: thing.name.clone(),
            ..Identity::default()
        };
        language
            .call(&plain(&on, language, false), "first", "")
            .replace("await ", "")
            .trim_end_matches(';')
            .to_owned()
    };
    lines.extend(
        expect
            .appears
            .as_ref()
            .map(|one| language.seen(&thing(one), true)),
    );
    lines.extend(
        expect
            .gone
            .as_ref()
            .map(|one| language.seen(&thing(one), false)),
    );
    if let (Some(true), Some(locator), Some(value), Do::Fill) =
        (expect.value, locator, &step.value, step.act)
        && step.on.as_ref().is_some_and(is_field)
    {
        lines.push(language.holds(locator, &language.text(value)));
    }
    lines
}

fn locator(on: &Identity, language: &dyn Language) -> String {
    let mut located = plain(on, language, true);
    if !on.row.is_empty() {
        let rows = language.text("tr, li, article, [role=row], [role=listitem]");
        let has = language.name("hasText");
        let filter = language.options(&[(has, language.text(&on.row))]);
        located = located.replacen(
            "page.",
            &format!("page.locator({rows}).filter({filter})."),
            1,
        );
    } else if on.of > 1 && on.nth > 0 {
        located = format!("{located}.nth({})", on.nth - 1);
    }
    located
}

fn plain(on: &Identity, language: &dyn Language, exact: bool) -> String {
    let (role, by_role) = (language.text(&on.role), language.name("getByRole"));
    let exactly = ("exact", language.name("true").to_owned());
    let named = |method: &'static str, text: &str| {
        let options = language.options(std::slice::from_ref(&exactly));
        format!(
            "page.{}({}, {options})",
            language.name(method),
            language.text(text)
        )
    };
    // For Playwright, a password field has no role.
    let known = !matches!(on.role.as_str(), "" | "generic") && on.kind != "password";
    match on {
        _ if known && !on.name.is_empty() => {
            let mut options = vec![("name", language.text(&on.name))];
            options.extend(exact.then_some(exactly));
            format!("page.{by_role}({role}, {})", language.options(&options))
        }
        _ if !on.label.is_empty() => named("getByLabel", &on.label),
        _ if !on.placeholder.is_empty() => named("getByPlaceholder", &on.placeholder),
        _ if !on.css.is_empty() => format!("page.locator({})", language.text(&on.css)),
        _ if !on.name.is_empty() => format!(
            "page.{}({})",
            language.name("getByText"),
            language.text(&on.name)
        ),
        _ => format!("page.{by_role}({role})"),
    }
}

struct Typescript;

impl Language for Typescript {
    fn head(&self, recipe: &Recipe) -> String {
        let mut head = String::from("import { expect, test } from './szk.mjs';\n\n");
        for (name, param) in &recipe.params {
            let default = quoted(param.default.as_deref().unwrap_or_default());
            let variable = variable(name);
            let _ = writeln!(
                head,
                "const {} = process.env.{variable} ?? {default};",
                ident(name)
            );
        }
        let _ = write!(
            head,
            "\ntest({}, async ({{ page }}) => {{\n",
            quoted(&recipe.head.name)
        );
        head
    }

    fn text(&self, text: &str) -> String {
        if !text.contains("{{") {
            return quoted(text);
        }
        let text = text
            .replace('\\', "\\\\")
            .replace('`', "\\`")
            .replace("${", "\\${");
        let mut filled = String::new();
        for part in text.split_inclusive("}}") {
            match part
                .strip_suffix("}}")
                .and_then(|part| part.split_once("{{"))
            {
                Some((before, name)) => {
                    filled.push_str(&format!("{before}${{{}}}", ident(name.trim())))
                }
                None => filled.push_str(part),
            }
        }
        format!("`{filled}`")
    }

    fn call(&self, object: &str, method: &str, args: &str) -> String {
        format!("await {object}.{method}({args});")
    }

    fn name(&self, word: &'static str) -> &'static str {
        word
    }

    fn options(&self, options: &[(&str, String)]) -> String {
        let options: Vec<String> = options
            .iter()
            .map(|(name, value)| format!("{name}: {value}"))
            .collect();
        format!("{{ {} }}", options.join(", "))
    }

    fn expect_path(&self, pattern: &str) -> String {
        let glob = self.text(&format!("**{}", glob(pattern)));
        format!("await page.waitForURL({glob});")
    }

    fn seen(&self, locator: &str, seen: bool) -> String {
        let not = if seen { "" } else { ".not" };
        format!("await expect({locator}){not}.toBeVisible();")
    }

    fn holds(&self, locator: &str, value: &str) -> String {
        format!("await expect({locator}).toHaveValue({value});")
    }

    fn accepts(&self) -> &'static str {
        "page.once('dialog', (dialog) => dialog.accept());"
    }

    fn tail(&self) -> &'static str {
        "});\n"
    }
}

struct Python;

impl Language for Python {
    fn head(&self, recipe: &Recipe) -> String {
        let mut head = String::from(
            "import os\n\nfrom playwright.sync_api import expect, sync_playwright\n\n",
        );
        for (name, param) in &recipe.params {
            let default = quoted(param.default.as_deref().unwrap_or_default());
            let variable = quoted(&variable(name));
            let _ = writeln!(
                head,
                "{} = os.environ.get({variable}, {default})",
                ident(name)
            );
        }
        head.push_str("\nwith sync_playwright() as playwright:\n");
        head.push_str("    browser = playwright.chromium.connect_over_cdp(os.environ[\"SZK_CDP_ENDPOINT\"])\n");
        head.push_str("    page = browser.contexts[0].new_page()\n");
        head
    }

    fn text(&self, text: &str) -> String {
        let mut parts = Vec::new();
        for part in text.split_inclusive("}}") {
            match part
                .strip_suffix("}}")
                .and_then(|part| part.split_once("{{"))
            {
                Some((before, name)) => {
                    parts.extend((!before.is_empty()).then(|| quoted(before)));
                    parts.push(ident(name.trim()));
                }
                None => parts.push(quoted(part)),
            }
        }
        if parts.is_empty() {
            parts.push(quoted(""));
        }
        parts.join(" + ")
    }

    fn call(&self, object: &str, method: &str, args: &str) -> String {
        match method {
            "first" => format!("{object}.first"),
            _ => format!("{object}.{method}({args})"),
        }
    }

    fn name(&self, word: &'static str) -> &'static str {
        match word {
            "getByRole" => "get_by_role",
            "getByLabel" => "get_by_label",
            "getByPlaceholder" => "get_by_placeholder",
            "getByText" => "get_by_text",
            "pressSequentially" => "press_sequentially",
            "selectOption" => "select_option",
            "dragTo" => "drag_to",
            "setInputFiles" => "set_input_files",
            "hasText" => "has_text",
            "clickCount" => "click_count",
            "true" => "True",
            word => word,
        }
    }

    fn options(&self, options: &[(&str, String)]) -> String {
        let options: Vec<String> = options
            .iter()
            .map(|(name, value)| format!("{name}={value}"))
            .collect();
        options.join(", ")
    }

    fn expect_path(&self, pattern: &str) -> String {
        let glob = self.text(&format!("**{}", glob(pattern)));
        format!("page.wait_for_url({glob})")
    }

    fn seen(&self, locator: &str, seen: bool) -> String {
        let check = if seen {
            "to_be_visible"
        } else {
            "not_to_be_visible"
        };
        format!("expect({locator}).{check}()")
    }

    fn holds(&self, locator: &str, value: &str) -> String {
        format!("expect({locator}).to_have_value({value})")
    }

    fn accepts(&self) -> &'static str {
        "page.once(\"dialog\", lambda dialog: dialog.accept())"
    }

    fn tail(&self) -> &'static str {
        "    page.close()\n"
    }
}

/// Whether an element has a value, as Playwright means it. An editor without a field has text.
fn is_field(on: &Identity) -> bool {
    [&on.kind, &on.field, &on.placeholder]
        .iter()
        .any(|known| !known.is_empty())
}

/// A pattern of a recipe as Playwright's: `?` is a character there, and a path may have a query.
fn glob(pattern: &str) -> String {
    let pattern = pattern.replace('*', "**");
    match pattern.contains('?') || pattern.ends_with('*') {
        true => pattern,
        false => format!("{pattern}*"),
    }
}

/// A text in double quotes, as both languages read it.
fn quoted(text: &str) -> String {
    Value::from(text).to_string()
}

fn ident(name: &str) -> String {
    let kept = |c: char| {
        if c.is_ascii_alphanumeric() {
            c.to_ascii_lowercase()
        } else {
            '_'
        }
    };
    format!("p_{}", name.chars().map(kept).collect::<String>())
}

fn variable(name: &str) -> String {
    format!("TEST_{}", &ident(name)[2..].to_uppercase())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse;

    const RECIPE: &str = r##"
[recipe]
name = "find \"it\""
site = "https://shop.example"
[params.order]
default = "7"
[[step]]
do = "navigate"
value = "/orders"
[[step]]
do = "fill"
value = "{{order}}"
on = { role = "searchbox", name = "Order number", type = "search" }
expect = { value = true }
[[step]]
do = "fill"
value = "a note"
on = { role = "textbox", name = "Note" }
expect = { value = true }
[[step]]
do = "click"
on = { role = "button", name = "Open", row = "{{order}}" }
expect = { navigates = "/orders/*", appears = { role = "row" } }
"##;

    #[test]
    fn exports_say_the_same_in_other_words() {
        let recipe = parse(RECIPE, "a").unwrap();
        let script = export(&recipe, Format::Typescript).unwrap();
        for line in [
            "const p_order = process.env.TEST_ORDER ?? \"7\";",
            "test(\"find \\\"it\\\"\", async ({ page }) => {",
            "    await page.goto(\"https://shop.example/orders\");",
            "    await page.getByRole(\"searchbox\", { name: \"Order number\", exact: true }).fill(`${p_order}`);",
            ".filter({ hasText: `${p_order}` }).getByRole(\"button\", { name: \"Open\", exact: true }).click();",
            ".fill(`${p_order}`);\n    await expect(page.getByRole(\"searchbox\", { name: \"Order number\", exact: true })).toHaveValue(`${p_order}`);",
            "{ name: \"Note\", exact: true }).fill(",
            "    await page.waitForURL(\"**/orders/**\");",
            "    await expect(page.getByRole(\"row\").first()).toBeVisible();",
        ] {
            assert!(script.contains(line), "{line}\n{script}");
        }
        // An editor has no value.
        assert_eq!(script.matches("toHaveValue").count(), 1, "{script}");
        let script = export(&recipe, Format::Python).unwrap();
        for line in [
            "p_order = os.environ.get(\"TEST_ORDER\", \"7\")",
            "    page.get_by_role(\"searchbox\", name=\"Order number\", exact=True).fill(p_order)",
            "    expect(page.get_by_role(\"row\").first).to_be_visible()",
        ] {
            assert!(script.contains(line), "{line}\n{script}");
        }
        let steps: Value = serde_json::from_str(&export(&recipe, Format::Batch).unwrap()).unwrap();
        assert_eq!(steps[1]["input"]["text"], "{{order}}");
        assert_eq!(steps[3]["input"]["name"], "Open");
    }
}
