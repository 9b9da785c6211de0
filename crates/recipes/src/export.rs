//! Writes a recipe in other tools' words.

mod batch;
mod mouse;
mod python;
mod states;
mod typescript;

use std::fmt::Write as _;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::recipe::{Do, Expect, Recipe, Step};
use crate::{Identity, State, Thing};
use python::Python;
use typescript::Typescript;

/// Words of what is around an element to find it by.
const AROUND: usize = 8;

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
    /// What comes before the steps, whose lines it gets.
    fn head(&self, recipe: &Recipe, lines: &str) -> String;
    /// A parameter inside of a text.
    fn text(&self, text: &str) -> String;
    fn call(&self, object: &str, method: &str, args: &str) -> String;
    /// The `first` or `last` of what a locator finds.
    fn one(&self, locator: &str, which: &str) -> String;
    fn name(&self, word: &'static str) -> &'static str;
    /// Named arguments.
    fn options(&self, options: &[(&str, String)]) -> String;
    /// Arguments, of which there may be none.
    fn args(&self, first: Option<String>, options: &[(&str, String)]) -> String {
        let options = (!options.is_empty()).then(|| self.options(options));
        let args: Vec<String> = first.into_iter().chain(options).collect();
        args.join(", ")
    }
    fn expect_path(&self, pattern: &str, options: &[(&str, String)]) -> String;
    fn seen(&self, locator: &str, options: &[(&str, String)], seen: bool) -> String;
    /// A check of what the page says, or does not say; the text is written as the language has it.
    fn says(&self, text: &str, options: &str, says: bool) -> String;
    /// A regular expression.
    fn regex(&self, source: &str, flags: &str) -> String;
    fn holds(&self, locator: &str, value: &str) -> String;
    /// A check of whether something is turned on.
    fn checked(&self, locator: &str, options: &[(&str, String)]) -> String;
    /// A check of an attribute: its name, its value, and options.
    fn has(&self, locator: &str, args: &str) -> String;
    /// Calls a function of ours, which stands in the head if a line calls it.
    fn own(&self, function: &str, args: &str) -> String;
    /// Accepts the next dialog.
    fn accepts(&self) -> &'static str;
    fn tail(&self) -> &'static str;
}

fn script(recipe: &Recipe, language: &dyn Language) -> String {
    let mut script = String::new();
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
                let options = mouse::click(step, language);
                Some(language.call(&on, "click", &language.args(None, &options)))
            }
            Do::Fill => Some(language.call(&on, "fill", &value)),
            Do::Type => Some(language.call(&on, language.name("pressSequentially"), &value)),
            Do::Select => {
                let options = step.value.as_deref().unwrap_or_default().lines();
                let options: Vec<String> = options.map(|option| language.text(option)).collect();
                let options = match options.as_slice() {
                    [option] => option.clone(),
                    several => format!("[{}]", several.join(", ")),
                };
                Some(language.call(&on, language.name("selectOption"), &options))
            }
            Do::Press if locator.is_some() => Some(language.call(&on, "press", &value)),
            Do::Press => Some(language.call("page.keyboard", "press", &value)),
            Do::Check => Some(language.call(&on, "check", "")),
            Do::Uncheck => Some(language.call(&on, "uncheck", "")),
            Do::Hover => {
                let options = mouse::hover(step);
                Some(language.call(&on, "hover", &language.args(None, &options)))
            }
            Do::Drag => mouse::drag(step, &on, language),
            Do::Upload => Some(language.call(&on, language.name("setInputFiles"), &value)),
            Do::Wait | Do::Extract | Do::Repeat | Do::Each | Do::Use => None,
        };
        let accepts = step
            .accept
            .filter(|accept| *accept)
            .map(|_| language.accepts().to_owned());
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
    language.head(recipe, &script) + &script + language.tail()
}

fn expected(
    expect: &Expect,
    step: &Step,
    locator: Option<&str>,
    language: &dyn Language,
) -> Vec<String> {
    let mut lines = Vec::new();
    let limit = expect.seconds.map(|seconds| format!("{seconds}000"));
    let limit: Vec<(&str, String)> = limit.into_iter().map(|ms| ("timeout", ms)).collect();
    lines.extend(
        expect
            .navigates
            .as_deref()
            .map(|pattern| language.expect_path(pattern, &limit)),
    );
    let thing = |thing: &Thing| {
        let on = Identity {
            role: thing.role.clone(),
            name: thing.name.clone(),
            ..Identity::default()
        };
        language.one(&plain(&on, &thing.state, language, false), "first")
    };
    lines.extend(
        expect
            .appears
            .as_ref()
            .map(|one| language.seen(&thing(one), &limit, true)),
    );
    let holds = |one: &Thing| states::of_thing(one, &thing(one), language);
    lines.extend(expect.appears.as_ref().and_then(holds));
    lines.extend(
        expect
            .gone
            .as_ref()
            .map(|one| language.seen(&thing(one), &limit, false)),
    );
    for (text, says) in [(&expect.text, true), (&expect.no_text, false)] {
        let Some(text) = text else { continue };
        let exact = regex(text).map(|(source, flags)| language.regex(source, flags));
        // What is no pattern is found whatever its case, as szk does.
        let mut options = Vec::from([(
            language.name("useInnerText"),
            language.name("true").to_owned(),
        )]);
        if exact.is_none() {
            options.push((
                language.name("ignoreCase"),
                language.name("true").to_owned(),
            ));
        }
        let text = exact.unwrap_or_else(|| language.text(text));
        options.extend(limit.clone());
        lines.push(language.says(&text, &language.options(&options), says));
    }
    if let (Some(true), Some(locator), Some(value), Do::Fill) =
        (expect.value, locator, &step.value, step.act)
        && step.on.as_ref().is_some_and(is_field)
    {
        lines.push(language.holds(locator, &language.text(value)));
    }
    if let (Some(on), Some(locator)) = (&step.on, locator) {
        let state = &expect.state;
        lines.extend(states::of_element(state, on, locator, &limit, language));
    }
    lines
}

/// What stands between slashes, and the flags behind them. A text with parameters is none.
fn regex(text: &str) -> Option<(&str, &str)> {
    let (source, flags) = text.strip_prefix('/')?.rsplit_once('/')?;
    let flagged = flags.chars().all(|flag| "imsu".contains(flag));
    (!source.is_empty() && flagged && !text.contains("{{")).then_some((source, flags))
}

fn locator(on: &Identity, language: &dyn Language) -> String {
    let mut located = plain(on, &State::default(), language, true);
    if !on.row.is_empty() {
        let rows = language.text("tr, li, article, [role=row], [role=listitem]");
        let has = language.name("hasText");
        let filter = language.options(&[(has, language.text(&on.row))]);
        located = located.replacen(
            "page.",
            &format!("page.locator({rows}).filter({filter})."),
            1,
        );
    } else if on.of > 1 && on.nth > 0 && !located.contains(".locator(") {
        // Equals have the same role and words; a path is of one element.
        located = format!("{located}.nth({})", on.nth - 1);
    }
    located
}

fn plain(on: &Identity, state: &State, language: &dyn Language, exact: bool) -> String {
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
            options.extend(states::options(state, language));
            format!("page.{by_role}({role}, {})", language.options(&options))
        }
        _ if known && on.of == 1 && is_silent(on) => silent(on, language),
        _ if !on.label.is_empty() => named("getByLabel", &on.label),
        _ if !on.placeholder.is_empty() => named("getByPlaceholder", &on.placeholder),
        _ if !on.css.is_empty() => format!("page.locator({})", language.text(&on.css)),
        _ if !on.name.is_empty() => format!(
            "page.{}({})",
            language.name("getByText"),
            language.text(&on.name)
        ),
        _ => {
            let states = states::options(state, language);
            format!("page.{by_role}({})", language.args(Some(role), &states))
        }
    }
}

/// Whether nothing but the text around an element tells what it is.
fn is_silent(on: &Identity) -> bool {
    let says = [&on.name, &on.label, &on.placeholder, &on.test_id];
    let around = &on.around;
    says.iter().all(|text| text.is_empty()) && !around.is_empty() && !around.contains("{{")
}

/// The element without text of this role in the innermost that has it and the text around it. Playwright
/// reads texts of blocks without the spaces between them.
fn silent(on: &Identity, language: &dyn Language) -> String {
    let words = on.around.split_whitespace().take(AROUND).map(escaped);
    let around = language.regex(&words.collect::<Vec<_>>().join("\\s*"), "");
    let by_role = format!(
        "{}({})",
        language.name("getByRole"),
        language.text(&on.role)
    );
    let place = language.options(&[
        (language.name("hasText"), around),
        ("has", format!("page.{by_role}")),
    ]);
    let place = language.one(&format!("page.locator(\"*\").filter({place})"), "last");
    let wordless = language.options(&[(language.name("hasNotText"), language.regex("\\S", ""))]);
    format!("{place}.{by_role}.filter({wordless})")
}

/// A text as a part of a regular expression.
fn escaped(text: &str) -> String {
    let mut escaped = String::new();
    for c in text.chars() {
        if r"\.+*?()|[]{}^$/-".contains(c) {
            escaped.push('\\');
        }
        escaped.push(c);
    }
    escaped
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
        assert_eq!(steps[4]["input"]["url"], "*/orders/*", "{steps}");
        assert_eq!(steps.as_array().unwrap().len(), 5, "{steps}");
    }

    #[test]
    fn waits_are_exported() {
        let expected = RECIPE.replace(
            "appears = { role = \"row\" } }",
            "text = \"Order {{order}}\", no_text = '/Load\\w+/i', seconds = 60 }",
        );
        let waits = "[[step]]\ndo = \"wait\"\nexpect = { navigates = \"/done\", appears = { name = \"Done\" } }\n";
        let recipe = parse(&format!("{expected}{waits}"), "a").unwrap();
        let script = export(&recipe, Format::Typescript).unwrap();
        for line in [
            "    await page.waitForURL(\"**/orders/**\", { timeout: 60000 });",
            "    await expect(page.locator(\"body\")).toContainText(`Order ${p_order}`, { useInnerText: true, ignoreCase: true, timeout: 60000 });",
            "    await expect(page.locator(\"body\")).not.toContainText(new RegExp(\"Load\\\\w+\", \"i\"), { useInnerText: true, timeout: 60000 });",
            "    await page.waitForURL(\"**/done*\");",
        ] {
            assert!(script.contains(line), "{line}\n{script}");
        }
        let script = export(&recipe, Format::Python).unwrap();
        for line in [
            "import re\n",
            "    page.wait_for_url(\"**/orders/**\", timeout=60000)",
            "    expect(page.locator(\"body\")).to_contain_text(\"Order \" + p_order, use_inner_text=True, ignore_case=True, timeout=60000)",
            "    expect(page.locator(\"body\")).not_to_contain_text(re.compile(\"Load\\\\w+\", re.I), use_inner_text=True, timeout=60000)",
        ] {
            assert!(script.contains(line), "{line}\n{script}");
        }
        let plain = export(&parse(RECIPE, "a").unwrap(), Format::Python).unwrap();
        assert!(!plain.contains("import re\n"), "{plain}");
        let steps: Value = serde_json::from_str(&export(&recipe, Format::Batch).unwrap()).unwrap();
        let waits: Vec<&Value> = steps.as_array().unwrap()[4..]
            .iter()
            .map(|step| &step["input"])
            .collect();
        let expected = [
            serde_json::json!({"kind": "wait", "text": "Order {{order}}", "timeout_ms": 60000}),
            serde_json::json!({"kind": "wait", "text": "/Load\\w+/i", "state": "hidden", "timeout_ms": 60000}),
            serde_json::json!({"kind": "wait", "url": "*/orders/*", "timeout_ms": 60000}),
            serde_json::json!({"kind": "wait", "url": "*/done*"}),
            serde_json::json!({"kind": "wait", "text": "Done"}),
        ];
        assert_eq!(waits, expected.iter().collect::<Vec<_>>());
    }

    #[test]
    fn a_path_is_of_one_element() {
        let nameless = "[[step]]\ndo = \"click\"\non = { role = \"button\", css = \"div > button\", nth = 13, of = 13 }\n";
        let recipe = parse(&format!("{RECIPE}{nameless}"), "a").unwrap();
        let script = export(&recipe, Format::Python).unwrap();
        assert!(
            script.contains("page.locator(\"div > button\").click()"),
            "{script}"
        );
    }
}
