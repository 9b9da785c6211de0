//! The list of operations. The keeper does not compile until each has a handler.

use std::path::Path;

use serde_json::Value;

use crate::{
    Failure, Input, Operation, Reach, Spec, TabUse, agent, browser, decode, recipe, session,
    workflow,
};

macro_rules! catalogue {
    ($($variant:ident => $operation:ty,)*) => {
        /// A call: one operation with its decoded input.
        #[derive(Debug, Clone)]
        pub enum Call {
            $(
                #[doc = concat!("`", stringify!($operation), "`")]
                $variant(<$operation as Operation>::Input),
            )*
        }

        impl Call {
            /// Decodes the input of the operation called `name`.
            ///
            /// # Errors
            /// `INVALID_INPUT` for an unknown operation, unknown fields (with the nearest name) or
            /// wrong types (with their place).
            pub fn decode(name: &str, input: Value) -> Result<Self, Failure> {
                match name {
                    $(<$operation as Operation>::NAME => decode::input::<$operation>(input).map(Self::$variant),)*
                    other => Err(decode::unknown_operation(other)),
                }
            }

            /// The input as JSON, as [`Call::decode`] reads it: with the operation's name it is the call
            /// on a wire.
            ///
            /// # Errors
            /// `INTERNAL` for what JSON cannot hold, such as a path that is not UTF-8.
            pub fn encode(&self) -> Result<Value, Failure> {
                let encoded = match self {
                    $(Self::$variant(input) => serde_json::to_value(input),)*
                };
                encoded.map_err(|error| {
                    let name = self.spec().name;
                    Failure::internal(format!("cannot encode the input of `{name}`: {error}"))
                })
            }

            /// The input of whichever operation.
            #[must_use]
            pub fn input(&self) -> &dyn Input {
                match self {
                    $(Self::$variant(input) => input,)*
                }
            }

            /// The same, mutable.
            pub fn input_mut(&mut self) -> &mut dyn Input {
                match self {
                    $(Self::$variant(input) => input,)*
                }
            }

            /// The spec of the call's operation.
            #[must_use]
            pub fn spec(&self) -> &'static Spec {
                match self {
                    $(Self::$variant(_) => const { &Spec::of::<$operation>() },)*
                }
            }
        }

        $(
            impl From<<$operation as Operation>::Input> for Call {
                fn from(input: <$operation as Operation>::Input) -> Self {
                    Self::$variant(input)
                }
            }
        )*

        /// Checks that `data` is what the operation called `name` answers.
        ///
        /// # Errors
        /// `INTERNAL`, with what does not match.
        pub fn check_answer(name: &str, data: Value) -> Result<(), Failure> {
            match name {
                $(<$operation as Operation>::NAME => {
                    serde_json::from_value::<<$operation as Operation>::Output>(data)
                        .map(drop)
                        .map_err(|error| Failure::internal(format!("cannot decode the answer to `{name}`: {error}")))
                })*
                other => Err(decode::unknown_operation(other)),
            }
        }

        /// All operations, in display order.
        #[must_use]
        pub fn specs() -> &'static [Spec] {
            const { &[$(Spec::of::<$operation>()),*] }
        }
    };
}

catalogue! {
    SessionOpen => session::Open,
    SessionClose => session::Close,
    SessionList => session::List,
    SessionDelete => session::Delete,
    SessionEndpoint => session::Endpoint,
    SessionState => session::State,
    SessionHandoff => session::Handoff,
    WorkflowLogin => workflow::Login,
    WorkflowFillForm => workflow::FillForm,
    WorkflowScrape => workflow::Scrape,
    WorkflowCrawl => workflow::Crawl,
    SessionRunTest => session::RunTestIn,
    BrowserNavigate => browser::Navigate,
    BrowserSnapshot => browser::Snapshot,
    BrowserFind => browser::Find,
    BrowserExtract => browser::Extract,
    BrowserAct => browser::Act,
    BrowserRunCode => browser::RunCode,
    BrowserRunFile => browser::RunFile,
    BrowserRunTest => browser::RunTest,
    BrowserScreenshot => browser::Screenshot,
    BrowserPdf => browser::Pdf,
    BrowserTabs => browser::Tabs,
    BrowserEmulate => browser::Emulate,
    BrowserLogs => browser::Logs,
    BrowserArm => browser::Arm,
    BrowserBatch => browser::Batch,
    RecipeList => recipe::List,
    RecipeShow => recipe::Show,
    RecipeRecord => recipe::Record,
    RecipeSave => recipe::Save,
    RecipeRun => recipe::Run,
    RecipeCheck => recipe::Check,
    RecipeExport => recipe::Export,
    RecipeDelete => recipe::Delete,
    AgentRun => agent::Run,
}

impl Call {
    /// What the call does to the tab it works in.
    #[must_use]
    pub fn tab_use(&self) -> TabUse {
        let usual = match self.spec().reach {
            Reach::Read => TabUse::Reads,
            Reach::Write | Reach::Destroy => TabUse::Writes,
        };
        self.input().tab_use().unwrap_or(usual)
    }

    /// Resolves the call's relative paths against `folder`, and works there if the call names no folder,
    /// so that the call means the same in every working directory.
    pub fn begin_at(&mut self, folder: &Path) {
        let input = self.input_mut();
        // Collecting the parts drops each `.` of `./page.pdf`.
        input.each_path(&mut |path| *path = folder.join(&*path).components().collect());
        input.work_in(folder);
    }
}

/// The operation called `name`.
#[must_use]
pub fn find(name: &str) -> Option<&'static Spec> {
    specs().iter().find(|spec| spec.name == name)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[track_caller]
    fn refused(name: &str, input: Value) -> String {
        let failure = Call::decode(name, input).expect_err("it should be refused");
        format!("{failure}")
    }

    #[test]
    fn every_schema_is_an_object_without_references() {
        for spec in specs() {
            for schema in [(spec.input)(), (spec.output)()] {
                assert_eq!(schema["type"], "object", "{}", spec.name);
                assert!(!schema.to_string().contains("$ref"), "{}", spec.name);
                assert!(schema["properties"].is_object(), "{}", spec.name);
            }
        }
    }

    #[test]
    fn every_field_and_operation_describes_itself() {
        for spec in specs() {
            assert!(spec.summary.len() > 20, "{}", spec.name);
            for (field, schema) in (spec.input)()["properties"].as_object().unwrap() {
                assert!(schema["description"].is_string(), "{}.{field}", spec.name);
            }
        }
    }

    #[test]
    fn what_a_call_does_to_its_tab_follows_from_its_operation() {
        let check = |name: &str, input: Value, expected: TabUse| {
            let call = Call::decode(name, input.clone());
            let call = call.unwrap_or_else(|failure| panic!("{name} {input}: {failure}"));
            assert_eq!(call.tab_use(), expected, "{name} {input}");
        };
        check("browser_snapshot", json!({}), TabUse::Reads);
        check("browser_navigate", json!({}), TabUse::Writes);
        check("browser_act", json!({"kind": "click"}), TabUse::Writes);
        check("browser_act", json!({"kind": "wait"}), TabUse::Reads);
        check("browser_tabs", json!({}), TabUse::Leaves);
        check("browser_tabs", json!({"action": "focus"}), TabUse::Writes);
        check("browser_batch", json!({"steps": []}), TabUse::Leaves);
        check("session_open", json!({}), TabUse::Reads);
    }

    #[test]
    fn null_counts_as_no_input() {
        assert!(matches!(
            Call::decode("session_list", Value::Null),
            Ok(Call::SessionList(_))
        ));
    }

    #[test]
    fn unknown_fields_are_all_named_with_the_nearest() {
        let text = refused("session_open", json!({"sesion": "a", "zzz": 1}));
        assert!(
            text.contains("`sesion` (did you mean `session`?)"),
            "{text}"
        );
        assert!(text.contains("`zzz`"), "{text}");
    }

    #[test]
    fn wrong_types_say_where() {
        let text = refused("session_open", json!({"session": 5}));
        assert!(text.contains("at `session`"), "{text}");
        let text = refused("session_open", json!([1]));
        assert!(text.contains("must be an object"), "{text}");
    }

    #[test]
    fn unknown_operations_get_the_nearest_name() {
        let text = refused("session_opne", Value::Null);
        assert!(text.contains("did you mean `session_open`?"), "{text}");
        assert!(refused(&"x".repeat(5000), Value::Null).len() < 300);
    }
}
