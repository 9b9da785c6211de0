//! `clients/python/src/szk/operations.py`.

use std::fmt::Write as _;

use szk_tools::{Code, Spec, specs};

use crate::schema::{Property, Type};
use crate::{WRITTEN, groups, halves, pascal};

/// Words that cannot name a parameter or a field of a class.
const KEYWORDS: &[&str] = &[
    "and", "as", "assert", "async", "await", "break", "class", "continue", "def", "del", "elif",
    "else", "except", "finally", "for", "from", "global", "if", "import", "in", "is", "lambda",
    "nonlocal", "not", "or", "pass", "raise", "return", "try", "while", "with", "yield",
];

/// The file.
#[must_use]
pub fn operations() -> String {
    let mut file = format!("# {WRITTEN}\n\"\"\"Every operation of szk, with its types.\"\"\"\n\n");
    file.push_str(
        "from __future__ import annotations\n\nimport builtins\nfrom typing import Any, Literal, NotRequired, Protocol, TypedDict\n\n\
         from .call import Cancel, OnProgress\nfrom .error import SzkError\n\n",
    );
    let codes: Vec<String> = Code::ALL
        .iter()
        .map(|code| format!("    \"{}\",\n", code.name()))
        .collect();
    let _ = write!(file, "Code = Literal[\n{}]\n", codes.concat());
    for code in Code::ALL {
        let (code, name) = (code.name(), pascal(&code.name()));
        let _ = write!(
            file,
            "\n\nclass {name}Error(SzkError):\n    \"\"\"`{code}`\"\"\"\n"
        );
    }
    file.push_str(
        "\n\n# The class of each kind of failure.\nERRORS: dict[str, type[SzkError]] = {\n",
    );
    for code in Code::ALL {
        let _ = writeln!(
            file,
            "    \"{}\": {}Error,",
            code.name(),
            pascal(&code.name())
        );
    }
    file.push_str("}\n");
    for spec in specs() {
        let mut classes = Vec::new();
        let name = pascal(spec.name);
        // What a call takes are parameters; only what is inside of them needs types of its own.
        for property in Type::read(&(spec.input)()).properties() {
            named(
                &mut classes,
                &format!("{name}{}", pascal(&property.name)),
                &property.of,
            );
        }
        class(
            &mut classes,
            &format!("{name}Output"),
            &Type::read(&(spec.output)()),
            Some(spec),
        );
        file.push_str(&classes.concat());
    }
    routes(&mut file);
    file.push_str(CALLER);
    for group in groups() {
        operations_of(&mut file, group);
    }
    all(&mut file);
    file
}

const CALLER: &str = "

class Caller(Protocol):
    def call(
        self,
        operation: str,
        input: dict[str, Any],
        *,
        on_progress: OnProgress | None = None,
        cancel: Cancel | None = None,
    ) -> Any: ...


def _given(**fields: Any) -> dict[str, Any]:
    return {name.rstrip(\"_\"): value for name, value in fields.items() if value is not None}
";

/// The type of a value in words, after the classes that it needs, which begin with `name`.
fn named(classes: &mut Vec<String>, name: &str, of: &Type) -> String {
    match of {
        Type::Any => "Any".to_owned(),
        Type::Text => "str".to_owned(),
        Type::Integer => "int".to_owned(),
        Type::Number => "float".to_owned(),
        Type::Flag => "bool".to_owned(),
        Type::Words(words) => {
            let words: Vec<String> = words.iter().map(|word| format!("\"{word}\"")).collect();
            format!("Literal[{}]", words.join(", "))
        }
        Type::List(each) => format!("list[{}]", named(classes, name, each)),
        Type::Map(each) => format!("dict[str, {}]", named(classes, name, each)),
        Type::Object(_) => {
            class(classes, name, of, None);
            name.to_owned()
        }
    }
}

fn class(classes: &mut Vec<String>, name: &str, of: &Type, answers: Option<&Spec>) {
    let fields: Vec<(&Property, String)> = of
        .properties()
        .iter()
        .map(|property| {
            let inner = format!("{name}{}", pascal(&property.name));
            let of = named(classes, &inner, &property.of);
            let of = if property.required {
                of
            } else {
                format!("NotRequired[{of}]")
            };
            (property, of)
        })
        .collect();
    let mut text = String::from("\n\n");
    // A field called like a keyword cannot be written in a class.
    if fields
        .iter()
        .any(|(property, _)| KEYWORDS.contains(&property.name.as_str()))
    {
        let _ = write!(text, "{name} = TypedDict(\n    \"{name}\",\n    {{\n");
        for (property, of) in fields {
            let _ = writeln!(text, "        \"{}\": {of:?},", property.name);
        }
        text.push_str("    },\n)\n");
        classes.push(text);
        return;
    }
    let _ = writeln!(text, "class {name}(TypedDict):");
    if let Some(spec) = answers {
        let _ = write!(text, "    \"\"\"What `{}` answers.\"\"\"\n\n", spec.name);
    }
    if fields.is_empty() && answers.is_none() {
        text.push_str("    pass\n");
    }
    for (property, of) in fields {
        let _ = writeln!(text, "    {}: {of}", property.name);
        if !property.about.is_empty() {
            let _ = writeln!(text, "    {}", docstring(&property.about));
        }
    }
    classes.push(text);
}

fn docstring(text: &str) -> String {
    let text = text.replace('\\', "\\\\").replace("\"\"\"", "'''");
    let end = if text.ends_with('"') { " " } else { "" };
    format!("\"\"\"{text}{end}\"\"\"")
}

fn routes(file: &mut String) {
    file.push_str("\n\n# Method and path of each operation over HTTP.\nROUTES: dict[str, tuple[str, str]] = {\n");
    for spec in specs() {
        let route = spec.routes[0];
        let _ = writeln!(
            file,
            "    \"{}\": (\"{}\", \"{}\"),",
            spec.name,
            route.method.name(),
            route.path
        );
    }
    file.push_str("}\n");
}

fn operations_of(file: &mut String, group: &str) {
    let _ = write!(
        file,
        "\n\nclass {}:\n    def __init__(self, caller: Caller) -> None:\n        self._caller = caller\n",
        pascal(group)
    );
    for spec in specs().iter().filter(|spec| halves(spec.name).0 == group) {
        method(file, spec);
    }
}

fn method(file: &mut String, spec: &Spec) {
    let input = Type::read(&(spec.input)());
    let name = pascal(spec.name);
    let _ = write!(
        file,
        "\n    def {}(\n        self,\n        *,\n",
        halves(spec.name).1
    );
    // Those that must be given come first, as people read them.
    let (required, optional): (Vec<_>, Vec<_>) = input
        .properties()
        .iter()
        .partition(|property| property.required);
    for property in required.iter().chain(&optional) {
        let inner = format!("{name}{}", pascal(&property.name));
        // Among the methods `list` is a method.
        let of = named(&mut Vec::new(), &inner, &property.of).replace("list[", "builtins.list[");
        let default = if property.required {
            ""
        } else {
            " | None = None"
        };
        let _ = writeln!(
            file,
            "        {}: {of}{default},",
            parameter(&property.name)
        );
    }
    file.push_str(
        "        on_progress: OnProgress | None = None,\n        cancel: Cancel | None = None,\n",
    );
    let _ = writeln!(file, "    ) -> {name}Output:");
    let _ = writeln!(file, "        {}", docstring(spec.summary));
    let _ = writeln!(file, "        answer: {name}Output = self._caller.call(");
    let _ = writeln!(file, "            \"{}\",", spec.name);
    file.push_str("            _given(\n");
    for property in required.iter().chain(&optional) {
        let parameter = parameter(&property.name);
        let _ = writeln!(file, "                {parameter}={parameter},");
    }
    file.push_str("            ),\n            on_progress=on_progress,\n            cancel=cancel,\n        )\n");
    file.push_str("        return answer\n");
}

/// A field as the name of a parameter.
fn parameter(name: &str) -> String {
    if KEYWORDS.contains(&name) {
        format!("{name}_")
    } else {
        name.to_owned()
    }
}

fn all(file: &mut String) {
    file.push_str("\n\nclass Operations:\n    \"\"\"Every operation, by group.\"\"\"\n\n    def __init__(self, caller: Caller) -> None:\n");
    for group in groups() {
        let _ = writeln!(file, "        self.{group} = {}(caller)", pascal(group));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_keyword_gets_a_mark_as_a_parameter_and_quotes_as_a_field() {
        assert_eq!(
            (parameter("from"), parameter("url")),
            ("from_".into(), "url".into())
        );
        let of = Type::Object(vec![Property {
            name: "from".into(),
            about: String::new(),
            required: true,
            of: Type::Text,
        }]);
        let mut classes = Vec::new();
        assert_eq!(named(&mut classes, "Move", &of), "Move");
        assert!(classes[0].contains("\"from\": \"str\","), "{}", classes[0]);
    }

    #[test]
    fn no_field_is_called_like_what_every_method_takes() {
        for spec in specs() {
            for property in Type::read(&(spec.input)()).properties() {
                assert!(
                    !["self", "on_progress", "cancel"].contains(&property.name.as_str())
                        && !property.name.ends_with('_'),
                    "{}.{}",
                    spec.name,
                    property.name
                );
            }
        }
    }
}
