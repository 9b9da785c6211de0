//! Adds an entry to a text and leaves the comments, order and spacing of the rest alone.

use jsonc_parser::ParseOptions;
use jsonc_parser::cst::{CstInputValue, CstRootNode};
use toml_edit::{Array, DocumentMut, Item, Table, value};

/// The format of a client's file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Format {
    /// JSON, possibly with comments, with the servers under a key.
    Json {
        /// `mcpServers` or `servers`.
        key: &'static str,
        /// Whether entries carry the type `stdio`.
        typed: bool,
    },
    /// TOML with `[mcp_servers.<name>]`.
    Toml,
}

/// The entry to add.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Entry {
    /// Name of the server.
    pub(crate) name: String,
    /// The program.
    pub(crate) command: String,
    /// Its arguments.
    pub(crate) args: Vec<String>,
}

/// Why a text was left unchanged.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum EditError {
    /// It does not parse; changing it could lose something.
    #[error("it does not parse: {0}")]
    Unreadable(String),
    /// The name is taken by something else.
    #[error("it already has another server `{0}`")]
    Taken(String),
}

/// The text with the entry in it; `None` if it is there already. Replaces another entry of that name
/// only with `force`.
pub(crate) fn edited(
    text: &str,
    format: Format,
    entry: &Entry,
    force: bool,
) -> Result<Option<String>, EditError> {
    match format {
        Format::Json { key, typed } => json(text, key, typed, entry, force),
        Format::Toml => toml(text, entry, force),
    }
}

fn json(
    text: &str,
    key: &str,
    typed: bool,
    entry: &Entry,
    force: bool,
) -> Result<Option<String>, EditError> {
    let text = if text.trim().is_empty() { "{}\n" } else { text };
    let root = CstRootNode::parse(text, &ParseOptions::default())
        .map_err(|error| EditError::Unreadable(error.to_string()))?;
    let not_an_object = |what: &str| EditError::Unreadable(format!("{what} is not an object"));
    let object = root
        .object_value()
        .ok_or_else(|| not_an_object("what is in it"))?;
    let servers = object
        .object_value_or_create(key)
        .ok_or_else(|| not_an_object(&format!("`{key}`")))?;
    let text = |text: &str| CstInputValue::String(text.to_owned());
    let mut fields = Vec::new();
    if typed {
        fields.push(("type".to_owned(), text("stdio")));
    }
    fields.push(("command".to_owned(), text(&entry.command)));
    let args = entry.args.iter().map(|arg| text(arg)).collect();
    fields.push(("args".to_owned(), CstInputValue::Array(args)));
    let new = CstInputValue::Object(fields);
    match servers.get(&entry.name) {
        None => {
            servers.append(&entry.name, new);
        }
        Some(there) => {
            let same =
                there.value().and_then(|node| node.to_serde_value()) == Some(as_json(entry, typed));
            if same {
                return Ok(None);
            }
            if !force {
                return Err(EditError::Taken(entry.name.clone()));
            }
            there.set_value(new);
        }
    }
    Ok(Some(root.to_string()))
}

fn as_json(entry: &Entry, typed: bool) -> serde_json::Value {
    let mut fields = serde_json::json!({ "command": entry.command, "args": entry.args });
    if typed {
        fields["type"] = "stdio".into();
    }
    fields
}

fn toml(text: &str, entry: &Entry, force: bool) -> Result<Option<String>, EditError> {
    let mut document: DocumentMut = text
        .parse()
        .map_err(|error: toml_edit::TomlError| EditError::Unreadable(error.to_string()))?;
    let servers = document
        .entry("mcp_servers")
        .or_insert_with(|| {
            let mut table = Table::new();
            // Only its subtables get a heading.
            table.set_implicit(true);
            Item::Table(table)
        })
        .as_table_mut()
        .ok_or_else(|| EditError::Unreadable("`mcp_servers` is not a table".to_owned()))?;
    if let Some(there) = servers.get(&entry.name) {
        let command = there.get("command").and_then(Item::as_str);
        let args: Option<Vec<&str>> = there
            .get("args")
            .and_then(Item::as_array)
            .map(|args| args.iter().filter_map(|arg| arg.as_str()).collect());
        if command == Some(&entry.command) && args.is_some_and(|args| args == entry.args) {
            return Ok(None);
        }
        if !force {
            return Err(EditError::Taken(entry.name.clone()));
        }
    }
    let mut table = Table::new();
    table["command"] = value(&entry.command);
    table["args"] = value(entry.args.iter().collect::<Array>());
    servers.insert(&entry.name, Item::Table(table));
    Ok(Some(document.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const SERVERS: Format = Format::Json {
        key: "mcpServers",
        typed: false,
    };
    const TYPED: Format = Format::Json {
        key: "servers",
        typed: true,
    };

    fn entry() -> Entry {
        Entry {
            name: "szk".into(),
            command: "/usr/bin/szk".into(),
            args: vec!["mcp".into()],
        }
    }

    fn put(text: &str, format: Format) -> String {
        let new = edited(text, format, &entry(), false).unwrap().unwrap();
        assert_eq!(edited(&new, format, &entry(), false), Ok(None), "{new}");
        new
    }

    fn json(text: &str) -> serde_json::Value {
        serde_json::from_str(text).unwrap()
    }

    #[test]
    fn a_new_file() {
        for text in ["", "\n", "{}"] {
            let new = json(&put(text, SERVERS));
            let expected = serde_json::json!({"mcpServers": {"szk": {"command": "/usr/bin/szk", "args": ["mcp"]}}});
            assert_eq!(new, expected);
        }
        let new = json(&put("", TYPED));
        assert_eq!(new["servers"]["szk"]["type"], "stdio");
        let new = put("", Format::Toml);
        assert_eq!(
            new,
            "[mcp_servers.szk]\ncommand = \"/usr/bin/szk\"\nargs = [\"mcp\"]\n"
        );
    }

    #[test]
    fn everything_else_stays_to_the_letter() {
        let old = "{\n    // mine\n    \"a\":   1e2,\n    \"mcpServers\": {\n        \"other\": { \"command\": \"x\" }\n    },\n    \"z\": [1,2,\n3]\n}\n";
        let new = put(old, SERVERS);
        for part in [
            "    // mine\n    \"a\":   1e2,\n",
            "\"other\": { \"command\": \"x\" }",
            "\"z\": [1,2,\n3]\n}\n",
        ] {
            assert!(new.contains(part), "{part}\n{new}");
        }
        let kept: Vec<&str> = new
            .lines()
            .filter(|line| old.contains(line.trim_end_matches(',')))
            .collect();
        assert!(kept.len() >= old.lines().count(), "{new}");
        let old =
            "# mine\nmodel   = \"o\" # keep\n\n[mcp_servers.other]\ncommand='x'\n\n[z]\na=1\n";
        let new = put(old, Format::Toml);
        for line in old.lines() {
            assert!(new.lines().any(|l| l == line), "{line}\n{new}");
        }
    }

    #[test]
    fn another_one_of_that_name_is_replaced_only_by_force() {
        for (text, format) in [
            (
                r#"{"mcpServers": {"szk": {"command": "old"}, "b": {}}}"#,
                SERVERS,
            ),
            (
                "[mcp_servers.szk]\ncommand = \"old\"\n[mcp_servers.b]\n",
                Format::Toml,
            ),
        ] {
            let refused = edited(text, format, &entry(), false);
            assert_eq!(refused, Err(EditError::Taken("szk".into())));
            let new = edited(text, format, &entry(), true).unwrap().unwrap();
            assert!(
                !new.contains("old") && new.contains("/usr/bin/szk") && new.contains('b'),
                "{new}"
            );
        }
    }

    #[test]
    fn what_cannot_be_understood_is_left_alone() {
        for (text, format) in [
            ("{\"mcpServers\": {", SERVERS),
            ("[]", SERVERS),
            ("{\"mcpServers\": []}", SERVERS),
            ("{} {}", SERVERS),
            ("a = ", Format::Toml),
            ("mcp_servers = 1", Format::Toml),
        ] {
            let refused = edited(text, format, &entry(), true);
            assert!(
                matches!(refused, Err(EditError::Unreadable(_))),
                "{text}: {refused:?}"
            );
        }
    }
}
