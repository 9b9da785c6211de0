//! Playwright's test runner.

use std::fmt::Write as _;

use super::{Language, glob, ident, quoted, variable};
use crate::Recipe;

pub(super) struct Typescript;

/// Drags by a distance, for which Playwright has no word.
const DRAG_BY: &str = r"
async function dragBy(page, locator, x, y, point) {
  await locator.scrollIntoViewIfNeeded();
  const box = await locator.boundingBox();
  const from = { x: box.x + (point?.x ?? box.width / 2), y: box.y + (point?.y ?? box.height / 2) };
  await page.mouse.move(from.x, from.y);
  await page.mouse.down();
  await page.mouse.move(from.x + x, from.y + y, { steps: 10 });
  await page.mouse.up();
}
";

impl Language for Typescript {
    fn head(&self, recipe: &Recipe, lines: &str) -> String {
        let mut head = String::from(
            "import { expect as check, test } from './szk.mjs';\n\nconst expect = check.configure({ timeout: 10_000 });\n",
        );
        for (name, param) in &recipe.params {
            let default = quoted(param.default.as_deref().unwrap_or_default());
            let variable = variable(name);
            let _ = writeln!(
                head,
                "const {} = process.env.{variable} ?? {default};",
                ident(name)
            );
        }
        if lines.contains("dragBy(") {
            head.push_str(DRAG_BY);
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

    fn one(&self, locator: &str, which: &str) -> String {
        format!("{locator}.{which}()")
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

    fn expect_path(&self, pattern: &str, options: &[(&str, String)]) -> String {
        let glob = self.text(&format!("**{}", glob(pattern)));
        format!("await page.waitForURL({});", self.args(Some(glob), options))
    }

    fn seen(&self, locator: &str, options: &[(&str, String)], seen: bool) -> String {
        let not = if seen { "" } else { ".not" };
        let args = self.args(None, options);
        format!("await expect({locator}){not}.toBeVisible({args});")
    }

    fn says(&self, text: &str, options: &str, says: bool) -> String {
        let not = if says { "" } else { ".not" };
        format!("await expect(page.locator(\"body\")){not}.toContainText({text}, {options});")
    }

    fn regex(&self, source: &str, flags: &str) -> String {
        format!("new RegExp({}, {})", quoted(source), quoted(flags))
    }

    fn holds(&self, locator: &str, value: &str) -> String {
        format!("await expect({locator}).toHaveValue({value});")
    }

    fn checked(&self, locator: &str, options: &[(&str, String)]) -> String {
        let options = self.options(options);
        format!("await expect({locator}).toBeChecked({options});")
    }

    fn has(&self, locator: &str, args: &str) -> String {
        format!("await expect({locator}).toHaveAttribute({args});")
    }

    fn own(&self, function: &str, args: &str) -> String {
        format!("await {function}({args});")
    }

    fn accepts(&self) -> &'static str {
        "page.once('dialog', (dialog) => dialog.accept());"
    }

    fn tail(&self) -> &'static str {
        "});\n"
    }
}
