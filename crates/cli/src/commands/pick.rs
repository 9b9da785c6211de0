//! Arguments that several commands share: session, tab and time budget.

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, error::ErrorKind};
use serde::de::{DeserializeOwned, IntoDeserializer, value};
use serde_json::Value;
use szk_tools::browser::SnapshotMode;

use crate::complete;

/// The session of a page command.
#[derive(Debug, Clone, Args)]
pub(crate) struct Page {
    /// Session [default: the only open one, else `default`]
    #[arg(short = 's', long, value_name = "PROFILE", add = complete::profiles())]
    pub(crate) session: Option<String>,
    /// Tab id such as `t3` [default: the last one used]
    #[arg(short = 't', long, value_name = "TAB")]
    pub(crate) tab: Option<String>,
    /// Time budget in milliseconds [default: 30000]
    #[arg(long, value_name = "MS")]
    pub(crate) timeout_ms: Option<u64>,
}

/// Whether a command also shows the page.
#[derive(Debug, Clone, Args)]
pub(crate) struct Show {
    /// Also show the page once it has settled: `interactive` by default, `full` or `minimal`
    #[arg(
        long,
        value_name = "MODE",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "interactive",
        value_parser = word::<SnapshotMode>(&["interactive", "full", "minimal"])
    )]
    pub(crate) snapshot: Option<SnapshotMode>,
}

/// Parses one of `words` as the catalogue's type of that name, so every front end shares one list of
/// words.
pub(crate) fn word<T>(words: &'static [&'static str]) -> impl TypedValueParser<Value = T>
where
    T: DeserializeOwned + Clone + Send + Sync + 'static,
{
    PossibleValuesParser::new(words).try_map(|word| {
        let from = IntoDeserializer::<value::Error>::into_deserializer(word.as_str());
        T::deserialize(from).map_err(|_| clap::Error::new(ErrorKind::InvalidValue))
    })
}

/// Parses a JSON value.
pub(crate) fn json(text: &str) -> Result<Value, String> {
    serde_json::from_str(text).map_err(|error| format!("not JSON: {error}"))
}
