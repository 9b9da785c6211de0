//! The settings reference: `config/defaults.toml`, which already says everything, as a page.

use szk_client::SETTINGS;

use super::GENERATED;

/// Every key with its default and its meaning.
#[must_use]
pub fn config() -> String {
    let mut page = format!("{GENERATED}# Settings\n");
    let mut section = String::new();
    let mut comment: Vec<&str> = Vec::new();
    for line in SETTINGS.lines().chain([""]) {
        if let Some(text) = line.strip_prefix('#') {
            comment.push(text.strip_prefix(' ').unwrap_or(text));
        } else if let Some(name) = line.strip_prefix('[') {
            section = name.trim_end_matches(']').to_owned();
            page.push_str(&format!("\n## `[{section}]`\n"));
            page.push_str(&text(&std::mem::take(&mut comment)));
        } else if let Some((key, value)) = line.split_once(" = ") {
            page.push_str(&format!("\n### `{section}.{key}`\n"));
            page.push_str(&text(&std::mem::take(&mut comment)));
            page.push_str(&format!("\nDefault: `{value}`\n"));
        } else {
            // At the end of a block: a key without a default is its last line.
            let example = comment.last().and_then(|last| last.split_once(" = "));
            match example {
                Some((key, value)) if is_key(key) && !section.is_empty() => {
                    page.push_str(&format!("\n### `{section}.{key}`\n"));
                    page.push_str(&text(&comment[..comment.len() - 1]));
                    page.push_str(&format!("\nNo default; such as `{value}`\n"));
                }
                _ => page.push_str(&text(&comment)),
            }
            comment.clear();
        }
    }
    page
}

fn is_key(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_lowercase() || b == b'_')
}

/// A paragraph; indented lines, such as those of a list, stay separate.
fn text(lines: &[&str]) -> String {
    if lines.is_empty() {
        return String::new();
    }
    let mut text = String::from("\n");
    let mut in_list = false;
    for line in lines {
        let item = line.strip_prefix("  ").map(str::trim_start);
        match item {
            Some(item) if item.starts_with(|c: char| c.is_ascii_digit()) => {
                text.push_str(&format!("{item}\n"));
            }
            Some(item) => text.push_str(&format!("   {item}\n")),
            None if in_list => text.push_str(&format!("\n{line}\n")),
            None => text.push_str(&format!("{line}\n")),
        }
        in_list = item.is_some();
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_key_is_there() {
        let page = config();
        for key in [
            "store.path",
            "browser.headless",
            "identity.preset",
            "identity.geolocation",
            "endpoint.auth",
            "log.level",
        ] {
            assert!(page.contains(&format!("\n### `{key}`\n")), "{key}");
        }
        assert!(page.contains("Default: `\"auto\"`"));
        assert!(page.contains("No default; such as `\"Europe/Warsaw\"`"));
    }
}
