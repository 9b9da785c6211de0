//! Playwright in Python.

use std::fmt::Write as _;

use super::{Language, glob, ident, quoted, variable};
use crate::Recipe;

pub(super) struct Python;

/// Drags by a distance, for which Playwright has no word.
const DRAG_BY: &str = r#"

def drag_by(page, locator, x, y, point=None):
    locator.scroll_into_view_if_needed()
    box = locator.bounding_box()
    point = point or {"x": box["width"] / 2, "y": box["height"] / 2}
    start_x, start_y = box["x"] + point["x"], box["y"] + point["y"]
    page.mouse.move(start_x, start_y)
    page.mouse.down()
    page.mouse.move(start_x + x, start_y + y, steps=10)
    page.mouse.up()

"#;

impl Language for Python {
    fn head(&self, recipe: &Recipe, lines: &str) -> String {
        let import = match lines.contains("re.compile(") {
            true => "import re\n",
            false => "",
        };
        let mut head = format!(
            "import os\n{import}\nfrom playwright.sync_api import expect, sync_playwright\n\nexpect.set_options(timeout=10_000)\n",
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
        if lines.contains("drag_by(") {
            head.push_str(DRAG_BY);
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
        format!("{object}.{method}({args})")
    }

    fn one(&self, locator: &str, which: &str) -> String {
        format!("{locator}.{which}")
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
            "dragBy" => "drag_by",
            "sourcePosition" => "source_position",
            "targetPosition" => "target_position",
            "setInputFiles" => "set_input_files",
            "hasText" => "has_text",
            "clickCount" => "click_count",
            "hasNotText" => "has_not_text",
            "useInnerText" => "use_inner_text",
            "ignoreCase" => "ignore_case",
            "true" => "True",
            "false" => "False",
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

    fn expect_path(&self, pattern: &str, options: &[(&str, String)]) -> String {
        let glob = self.text(&format!("**{}", glob(pattern)));
        format!("page.wait_for_url({})", self.args(Some(glob), options))
    }

    fn seen(&self, locator: &str, options: &[(&str, String)], seen: bool) -> String {
        let check = if seen {
            "to_be_visible"
        } else {
            "not_to_be_visible"
        };
        format!("expect({locator}).{check}({})", self.args(None, options))
    }

    fn says(&self, text: &str, options: &str, says: bool) -> String {
        let check = match says {
            true => "to_contain_text",
            false => "not_to_contain_text",
        };
        format!("expect(page.locator(\"body\")).{check}({text}, {options})")
    }

    fn regex(&self, source: &str, flags: &str) -> String {
        let flags: Vec<String> = flags
            .chars()
            .filter(|flag| *flag != 'u')
            .map(|flag| format!("re.{}", flag.to_ascii_uppercase()))
            .collect();
        let flags = match flags.is_empty() {
            true => "0".to_owned(),
            false => flags.join(" | "),
        };
        format!("re.compile({}, {flags})", quoted(source))
    }

    fn holds(&self, locator: &str, value: &str) -> String {
        format!("expect({locator}).to_have_value({value})")
    }

    fn checked(&self, locator: &str, options: &[(&str, String)]) -> String {
        let options = self.options(options);
        format!("expect({locator}).to_be_checked({options})")
    }

    fn has(&self, locator: &str, args: &str) -> String {
        format!("expect({locator}).to_have_attribute({args})")
    }

    fn own(&self, function: &str, args: &str) -> String {
        format!("{function}({args})")
    }

    fn accepts(&self) -> &'static str {
        "page.once(\"dialog\", lambda dialog: dialog.accept())"
    }

    fn tail(&self) -> &'static str {
        "    page.close()\n"
    }
}
