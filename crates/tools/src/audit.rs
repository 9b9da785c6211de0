//! Which values of an input may be written into the audit log. Each field says so beside its declaration, and
//! one that does not say so does not compile.

/// Says what the audit log may show of its fields.
pub trait Audited {
    /// Its fields by the names of Rust, each with what may be shown of it.
    fn audited() -> &'static [(&'static str, Audit)];
}

/// What the audit log shows of a field that was given. Of what people type, of code, headers and credentials it
/// shows nothing, nor of the key of a press: passwords can be typed key by key.
#[derive(Debug, Clone, Copy)]
pub enum Audit {
    /// Its text, or those of its list.
    Shown,
    /// Its address or addresses, without logins and secret parameters.
    Address,
    /// Numbers and switches, and no text that comes in their place.
    Number,
    /// That it was given.
    Hidden,
    /// Nothing: the line names the session by itself.
    Session,
    /// Steps of a batch, each as the call that it is.
    Steps,
    /// The input of such a step.
    StepInput,
    /// The fields of the part that is flattened into the input.
    Flat(fn() -> &'static [(&'static str, Audit)]),
}

/// The fields of `T` by their names in JSON, with those of flattened parts.
#[must_use]
pub fn of<T: Audited>() -> Vec<(&'static str, Audit)> {
    let mut all = Vec::new();
    add(&mut all, T::audited());
    all
}

fn add(all: &mut Vec<(&'static str, Audit)>, fields: &[(&'static str, Audit)]) {
    for (name, audit) in fields {
        match audit {
            Audit::Flat(part) => add(all, part()),
            audit => all.push((name.strip_prefix("r#").unwrap_or(name), *audit)),
        }
    }
}

/// Implements [`Audited`] for a struct, and fails to compile if a field is missing.
macro_rules! audited {
    ($input:ident { $($field:ident: $audit:expr,)* }) => {
        impl $crate::audit::Audited for $input {
            fn audited() -> &'static [(&'static str, $crate::audit::Audit)] {
                #[allow(unused_imports, reason = "not every input has fields of each kind")]
                use $crate::audit::Audit::{
                    Address, Flat, Hidden, Number, Session, Shown, StepInput, Steps,
                };
                let _ = |input: &Self| {
                    let Self { $($field: _),* } = input;
                };
                const { &[$((stringify!($field), $audit)),*] }
            }
        }
    };
}

#[cfg(test)]
mod tests {
    use crate::specs;

    #[test]
    fn every_field_of_every_operation_has_decided() {
        for spec in specs() {
            let audited = (spec.audited)();
            for field in (spec.fields)() {
                // A field may have another name in JSON than in Rust.
                let decided = audited.iter().any(|(name, _)| *name == field.name);
                assert!(decided, "{}.{}", spec.name, field.name);
            }
        }
    }
}
