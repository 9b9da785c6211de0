//! What an input says about itself, so that no other code looks into its fields.

use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::{Permission, TabUse};

/// Questions that every operation's input answers, each beside its own fields.
pub trait Input {
    /// The session it names.
    fn session(&self) -> Option<&str>;

    /// Names the session.
    fn set_session(&mut self, name: String);

    /// The tab it names.
    fn tab(&self) -> Option<&str> {
        None
    }

    /// Names the tab, if the operation has one.
    fn set_tab(&mut self, _tab: String) {}

    /// What the call does to its tab, if that differs from what its operation's
    /// [`Reach`](crate::Reach) says: `Read` reads, everything else writes.
    fn tab_use(&self) -> Option<TabUse> {
        None
    }

    /// Whether it takes the tab from another client that works there.
    fn takes_tab(&self) -> bool {
        false
    }

    /// The time it gives the operation, in milliseconds.
    fn timeout_ms(&self) -> Option<u64> {
        None
    }

    /// Sets the operation's time, if it takes one.
    fn set_timeout_ms(&mut self, _millis: u64) {}

    /// Extra time to answer once that time is up: a program has to end, and its session.
    fn ending(&self) -> Duration {
        Duration::ZERO
    }

    /// Visits each path on the caller's machine. A path that is missed would be relative to the keeper's
    /// working directory; a test looks for those.
    fn each_path(&mut self, _visit: &mut dyn FnMut(&mut PathBuf)) {}

    /// Sets the folder to work in, if the operation needs one and the input names none.
    fn work_in(&mut self, _folder: &Path) {}

    /// Whether the operation creates a profile that does not exist. All others refuse an unknown name,
    /// because it is a typo.
    fn makes_profile(&self) -> bool {
        false
    }

    /// The profile that it creates besides the session it names.
    fn new_profile(&self) -> Option<&str> {
        None
    }

    /// The addresses that it makes a tab go to.
    fn goes_to(&self) -> Vec<&str> {
        Vec::new()
    }

    /// The secrets that it names as such.
    fn secrets(&self) -> Vec<&str> {
        Vec::new()
    }

    /// Whether only the answer tells which session the call has opened: a clone has a name of its own.
    fn answer_names_session(&self) -> bool {
        false
    }

    /// What a token must allow for these fields, besides what the operation needs.
    fn needs(&self) -> Vec<Permission> {
        Vec::new()
    }

    /// The caller may not have secrets filled in. Only what does not say by its fields whether it fills in
    /// any takes this; the keeper refuses then.
    fn without_secrets(&mut self) {}
}

/// Implements [`Input`] for the fields that most inputs have, by their names.
macro_rules! fields {
    (session $(, $($rest:tt)+)?) => {
        fn session(&self) -> Option<&str> {
            self.session.as_deref()
        }

        fn set_session(&mut self, name: String) {
            self.session = Some(name);
        }
        $(fields!($($rest)+);)?
    };
    (tab $(, $($rest:tt)+)?) => {
        fn tab(&self) -> Option<&str> {
            self.tab.as_deref()
        }

        fn set_tab(&mut self, tab: String) {
            self.tab = Some(tab);
        }
        $(fields!($($rest)+);)?
    };
    ($($part:ident).+) => {
        fn timeout_ms(&self) -> Option<u64> {
            self.$($part).+
        }

        fn set_timeout_ms(&mut self, millis: u64) {
            self.$($part).+ = Some(millis);
        }
    };
}

#[cfg(test)]
pub(crate) mod tests {
    use serde_json::{Value, json};

    use crate::{Call, Spec, Time, specs};

    /// Paths that are not relative to the caller: `config` is looked up in `dir`.
    const ELSEWHERE: [&str; 2] = ["browser_run_test/config", "session_run_test/config"];

    /// serde's description of a field whose type is a path.
    const PATH: &str = "expected path string";

    /// An input with every required field.
    pub(crate) fn least(spec: &Spec) -> Value {
        object(&(spec.input)())
    }

    fn object(schema: &Value) -> Value {
        let mut input = json!({});
        for field in schema["required"].as_array().into_iter().flatten() {
            let field = field.as_str().unwrap();
            input[field] = some(&schema["properties"][field]);
        }
        input
    }

    fn some(schema: &Value) -> Value {
        match (&schema["enum"][0], schema["type"].as_str()) {
            (Value::String(first), _) => first.as_str().into(),
            (_, Some("array")) => json!([]),
            (_, Some("object")) => object(schema),
            _ => "x".into(),
        }
    }

    /// Every place in an object of this schema that can hold a text, as a function that puts one there.
    fn texts(
        schema: &Value,
        at: &str,
        found: &mut Vec<(String, Value)>,
        put: &dyn Fn(Value) -> Value,
    ) {
        match schema["type"].as_str() {
            Some("string") => found.push((at.to_owned(), put("PLACE".into()))),
            Some("array") => texts(&schema["items"], at, found, &|value| put(json!([value]))),
            Some("object") => {
                for (name, field) in schema["properties"].as_object().into_iter().flatten() {
                    let with = |value: Value| {
                        let mut filled = object(schema);
                        filled[name] = value;
                        put(filled)
                    };
                    texts(field, &format!("{at}/{name}"), found, &with);
                }
            }
            _ => {}
        }
    }

    fn filled(input: &Value, value: &Value) -> Value {
        let text = input.to_string();
        serde_json::from_str(&text.replace("\"PLACE\"", &value.to_string())).unwrap()
    }

    #[test]
    fn every_path_is_visited() {
        let mut visited = Vec::new();
        for spec in specs() {
            let mut places = Vec::new();
            texts(&(spec.input)(), spec.name, &mut places, &|value| value);
            for (place, input) in places {
                let wrong = Call::decode(spec.name, filled(&input, &json!(5)));
                let is_path = wrong.is_err_and(|failure| failure.message.contains(PATH));
                if !is_path || ELSEWHERE.contains(&&*place) {
                    continue;
                }
                let mut call = Call::decode(spec.name, filled(&input, &json!("a/b"))).unwrap();
                call.input_mut()
                    .each_path(&mut |path| *path = std::path::Path::new("/here").join(&*path));
                let encoded = call.encode().unwrap().to_string();
                assert!(encoded.contains("\"/here/a/b\""), "{place}: {encoded}");
                visited.push(place);
            }
        }
        // Fails if paths can no longer be told apart.
        for place in [
            "session_open/extensions",
            "workflow_fill_form/fields/paths",
            "browser_pdf/path",
        ] {
            assert!(visited.iter().any(|found| found == place), "{visited:?}");
        }
    }

    #[test]
    fn fields_are_set_as_they_are_read() {
        for spec in specs() {
            let schema = (spec.input)();
            let has = |field: &str| schema["properties"].get(field).is_some();
            let mut call = Call::decode(spec.name, least(spec)).unwrap();
            let input = call.input_mut();
            input.set_session("work".to_owned());
            input.set_tab("t7".to_owned());
            input.set_timeout_ms(1234);
            let (tab, time) = (has("tab"), has("timeout_ms"));
            assert_eq!(input.session(), Some("work"), "{}", spec.name);
            assert_eq!(input.tab(), tab.then_some("t7"), "{}", spec.name);
            assert_eq!(input.timeout_ms(), time.then_some(1234), "{}", spec.name);
            assert!(time || spec.time != Time::Usual, "{}", spec.name);
            let encoded = call.encode().unwrap();
            assert_eq!(encoded["session"], "work");
            assert_eq!(encoded.get("tab").is_some(), tab, "{encoded}");
            assert_eq!(encoded.get("timeout_ms").is_some(), time, "{encoded}");
        }
    }

    #[test]
    fn steps_of_a_batch_are_visited_like_calls() {
        let steps = json!([
            {"tool": "browser_pdf", "input": {"path": "a.pdf"}},
            {"tool": "browser_run_test"},
            {"tool": "browser_run_code", "input": {"code": "1"}},
            {"tool": "browser_pdf", "input": {"paht": "a.pdf"}},
        ]);
        let mut call = Call::decode("browser_batch", json!({"steps": steps})).unwrap();
        call.begin_at(std::path::Path::new("/here"));
        let encoded = call.encode().unwrap();
        let input = |step: usize| &encoded["steps"][step]["input"];
        assert_eq!(input(0)["path"], "/here/a.pdf");
        assert_eq!(input(1)["dir"], "/here");
        assert_eq!(input(2).get("dir"), None);
        // An invalid step stays as it is, for the handler to report.
        assert_eq!(input(3)["paht"], "a.pdf");
    }
}
