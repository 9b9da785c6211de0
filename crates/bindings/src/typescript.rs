//! `clients/typescript/src/operations.ts`.

use std::fmt::Write as _;

use szk_tools::{Code, Spec, specs};

use crate::schema::{Property, Type};
use crate::{WRITTEN, groups, halves, pascal};

/// The file.
#[must_use]
pub fn operations() -> String {
    let mut file = format!(
        "// {WRITTEN}\n\nimport type {{ CallOptions }} from './call.js';\nimport {{ SzkError }} from './error.js';\n"
    );
    codes(&mut file);
    for spec in specs() {
        interface(&mut file, spec, "Input", &Type::read(&(spec.input)()));
        interface(&mut file, spec, "Output", &Type::read(&(spec.output)()));
    }
    routes(&mut file);
    class(&mut file);
    file
}

fn codes(file: &mut String) {
    file.push_str("\n/** Which kind of failure. */\nexport type Code =\n");
    for code in Code::ALL {
        line(file, 1, &format!("| '{}'", code.name()));
    }
    file.pop();
    file.push_str(";\n\n");
    for code in Code::ALL {
        let name = pascal(&code.name());
        line(
            file,
            0,
            &format!("export class {name}Error extends SzkError {{}}"),
        );
    }
    file.push_str("\n/** The class of each kind of failure. */\nexport const ERRORS: Record<string, typeof SzkError> = {\n");
    for code in Code::ALL {
        line(
            file,
            1,
            &format!("{}: {}Error,", code.name(), pascal(&code.name())),
        );
    }
    file.push_str("};\n");
}

fn interface(file: &mut String, spec: &Spec, half: &str, of: &Type) {
    let about = match half {
        "Input" => format!("What `{}` takes.", spec.name),
        _ => format!("What `{}` answers.", spec.name),
    };
    let name = format!("{}{half}", pascal(spec.name));
    if of.properties().is_empty() {
        let _ = write!(
            file,
            "\n/** {about} */\nexport type {name} = Record<string, never>;\n"
        );
        return;
    }
    let _ = write!(file, "\n/** {about} */\nexport interface {name} ");
    object(file, of.properties(), 0);
    file.push('\n');
}

fn object(file: &mut String, properties: &[Property], depth: usize) {
    file.push_str("{\n");
    for property in properties {
        if !property.about.is_empty() {
            let about = property.about.replace("*/", "*\u{200b}/");
            line(file, depth + 1, &format!("/** {about} */"));
        }
        let mark = if property.required { "" } else { "?" };
        let mut of = String::new();
        write_type(&mut of, &property.of, depth + 1);
        line(
            file,
            depth + 1,
            &format!("{}{mark}: {of};", key(&property.name)),
        );
    }
    file.push_str(&"  ".repeat(depth));
    file.push('}');
}

fn write_type(file: &mut String, of: &Type, depth: usize) {
    match of {
        Type::Any => file.push_str("unknown"),
        Type::Text => file.push_str("string"),
        Type::Integer | Type::Number => file.push_str("number"),
        Type::Flag => file.push_str("boolean"),
        Type::Words(words) => {
            let words: Vec<String> = words.iter().map(|word| format!("'{word}'")).collect();
            file.push_str(&words.join(" | "));
        }
        Type::List(each) => {
            file.push_str("Array<");
            write_type(file, each, depth);
            file.push('>');
        }
        Type::Map(each) => {
            file.push_str("Record<string, ");
            write_type(file, each, depth);
            file.push('>');
        }
        Type::Object(properties) => object(file, properties, depth),
    }
}

/// A name as a key: as it is where that is an identifier.
fn key(name: &str) -> String {
    let plain = name
        .chars()
        .all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '$');
    if plain && !name.starts_with(|c: char| c.is_ascii_digit()) {
        name.to_owned()
    } else {
        format!("'{name}'")
    }
}

fn routes(file: &mut String) {
    file.push_str("\n/** Where each operation is over HTTP. */\n");
    file.push_str("export const ROUTES: Record<string, { method: 'GET' | 'POST' | 'DELETE'; path: string }> = {\n");
    for spec in specs() {
        let route = spec.routes[0];
        line(
            file,
            1,
            &format!(
                "{}: {{ method: '{}', path: '{}' }},",
                spec.name,
                route.method.name(),
                route.path
            ),
        );
    }
    file.push_str("};\n");
}

fn class(file: &mut String) {
    file.push_str("\n/** Every operation of szk. */\nexport abstract class Operations {\n");
    line(file, 1, "/** Calls an operation by its name. */");
    line(
        file,
        1,
        "abstract call<T>(operation: string, input: object, options?: CallOptions): Promise<T>;",
    );
    for group in groups() {
        file.push('\n');
        line(file, 1, &format!("readonly {group} = {{"));
        for spec in specs().iter().filter(|spec| halves(spec.name).0 == group) {
            method(file, spec);
        }
        line(file, 1, "};");
    }
    file.push_str("}\n");
}

fn method(file: &mut String, spec: &Spec) {
    let pascal = pascal(spec.name);
    let name = camel(halves(spec.name).1);
    let input = Type::read(&(spec.input)());
    let default = if input.properties().iter().any(|field| field.required) {
        ""
    } else {
        " = {}"
    };
    line(
        file,
        2,
        &format!("/** {} */", spec.summary.replace("*/", "*\u{200b}/")),
    );
    line(
        file,
        2,
        &format!("{name}: (input: {pascal}Input{default}, options?: CallOptions) =>"),
    );
    line(
        file,
        3,
        &format!(
            "this.call<{pascal}Output>('{}', input, options),",
            spec.name
        ),
    );
}

/// `run_code` as `runCode`.
fn camel(name: &str) -> String {
    let (first, rest) = halves(name);
    match first {
        "" => rest.to_owned(),
        first => format!("{first}{}", pascal(rest)),
    }
}

fn line(file: &mut String, depth: usize, text: &str) {
    file.push_str(&"  ".repeat(depth));
    file.push_str(text);
    file.push('\n');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_as_the_language_writes_them() {
        assert_eq!(camel("run_code"), "runCode");
        assert_eq!(camel("open"), "open");
        assert_eq!(
            (key("a_b"), key("x-y"), key("1st")),
            ("a_b".into(), "'x-y'".into(), "'1st'".into())
        );
    }

    #[test]
    fn nested_types_are_written_in_place() {
        let of = Type::List(Box::new(Type::Object(vec![Property {
            name: "kind".into(),
            about: "Which.".into(),
            required: false,
            of: Type::Words(vec!["a".into(), "b".into()]),
        }])));
        let mut written = String::new();
        write_type(&mut written, &of, 0);
        assert_eq!(written, "Array<{\n  /** Which. */\n  kind?: 'a' | 'b';\n}>");
    }
}
