//! `session_run_test`: the session is opened here, and the rest is its keeper's.

use serde_json::Value;
use szk_tools::session::{Afterwards, Open, OpenInput, RunTestInInput, Started};
use szk_tools::{Failure, Progress, Response};

use crate::{Client, names};

/// Operations that work in a folder of the caller.
const IN_A_FOLDER: [&str; 3] = ["browser_run_code", "browser_run_test", "session_run_test"];

impl Client {
    /// A folder that is not named is the caller's: a keeper has another one.
    pub(crate) fn in_own_folder(&self, name: &str, input: &mut Value) {
        let folder = self.origin.cwd.to_string_lossy();
        if IN_A_FOLDER.contains(&name) {
            if input.is_null() {
                *input = Value::Object(serde_json::Map::new());
            }
            if let Value::Object(fields) = &mut *input
                && fields.get("dir").is_none_or(Value::is_null)
                && (name != "browser_run_code"
                    || fields.get("runner") == Some(&"playwright".into()))
            {
                fields.insert("dir".to_owned(), folder.as_ref().into());
            }
        }
        if let Some(Value::Array(steps)) = input.get_mut("steps") {
            for step in steps.iter_mut().filter_map(Value::as_object_mut) {
                let tool = step.get("tool").and_then(Value::as_str).map(str::to_owned);
                if let Some(tool) = tool.filter(|tool| IN_A_FOLDER.contains(&tool.as_str())) {
                    self.in_own_folder(&tool, step.entry("input").or_insert(Value::Null));
                }
            }
        }
    }

    /// Opens what is to be tested, and has it tested.
    pub(crate) async fn run_test(
        &self,
        mut run: RunTestInInput,
        input: Value,
        progress: &(dyn Fn(Progress) + Send + Sync),
    ) -> Result<Response, Failure> {
        let clone = run.clone.unwrap_or(false);
        match (run.then, clone) {
            (Some(Afterwards::Save), true) => {
                return Err(Failure::invalid("a clone is not saved: `then` is `save`")
                    .hint("`keep` it, and close it with `session_close` and `keep_as`"));
            }
            (Some(Afterwards::Destroy), false) => {
                return Err(
                    Failure::invalid("only a clone can be destroyed: `then` is `destroy`")
                        .hint("test in a `clone`; `session_delete` deletes profiles"),
                );
            }
            _ => {}
        }
        let name = names::or_default(self, &input).await?;
        if !names::is_unnamed(&input) {
            names::must_exist(self.store(), &name)?;
        }
        let ask = OpenInput {
            session: Some(name.to_string()),
            clone: clone.then_some(true),
            ..OpenInput::default()
        };
        // Boxed: it is a call within a call.
        let opened = Box::pin(self.run::<Open>(&ask, progress)).await?;
        let opened = opened.read::<Open>()?;
        let otherwise = match (clone, opened.started) {
            (true, _) => Afterwards::Destroy,
            (false, Started::Joined) => Afterwards::Keep,
            (false, Started::Started) => Afterwards::Save,
        };
        run.then = run.then.or(Some(otherwise));
        run.session = Some(opened.session.clone());
        let input = serde_json::to_value(&run).map_err(|error| {
            Failure::internal(format!("the input of a test cannot be written: {error}"))
        })?;
        let session = names::parse(&opened.session)?;
        self.on_open(&session, "session_run_test", &input, progress)
            .await
    }
}
