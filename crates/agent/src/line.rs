//! Events in one line, for people who wait.

use crate::Event;

impl Event {
    /// One line; empty for what has none. It may hold what pages say: not yet fit for a terminal.
    #[must_use]
    pub fn line(&self) -> String {
        match self {
            Self::Began { model, origins, .. } => {
                format!("works within {}, with {model}", origins.join(", "))
            }
            Self::Resumed { model } => format!("the run goes on with {model}"),
            Self::Replayed {
                recipe,
                steps,
                stopped,
            } => match stopped {
                None => format!(
                    "recipe {recipe}: {}, without the model",
                    szk_text::counted(steps.len() as u64, "step")
                ),
                Some(_) => format!("recipe {recipe}: stopped, the model goes on"),
            },
            Self::Answer { .. } | Self::Ended { .. } => String::new(),
            Self::Acted {
                step,
                tool,
                arguments,
                failed,
                ..
            } => {
                let mark = if *failed { " (failed)" } else { "" };
                let tool = szk_text::line(tool, 60);
                format!("{step}. {tool} {}{mark}", szk_text::line(arguments, 100))
            }
            Self::Planned { plan: None, .. } => "round in circles, and no other plan".to_owned(),
            Self::Planned {
                plan: Some(plan), ..
            } => {
                format!(
                    "round in circles; a new plan: {}",
                    szk_text::line(plan, 200)
                )
            }
            Self::Judged { done, why, .. } => match done {
                Some(true) => format!("the judge agrees: {why}"),
                Some(false) => format!("the judge does not agree: {why}"),
                None => "the judge gives no verdict".to_owned(),
            },
        }
    }
}
