//! Which model carries out tasks, and within which limits.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use szk_client::AgentSettings;
use szk_tools::Failure;
use szk_tools::doctor::Check;

use crate::model::{ChatModel, Endpoint, Format, ModelError, OverHttp, PlayedBack, Unconfigured};

/// Providers, and where they are.
const PROVIDERS: [(&str, &str); 4] = [
    ("openai", "https://api.openai.com/v1"),
    ("anthropic", "https://api.anthropic.com/v1"),
    ("gemini", "https://generativelanguage.googleapis.com/v1beta"),
    ("ollama", "http://localhost:11434/v1"),
];

/// What is before the folder of a run whose answers are repeated.
const PLAYED: &str = "played:";

/// The first wait before a request is repeated.
const PAUSE: Duration = Duration::from_millis(500);

/// The limits of one task.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Limits {
    /// Answers of the model.
    pub steps: u64,
    /// Tokens; 0 means any number.
    pub tokens: u64,
    /// US dollars; 0 means any amount.
    pub budget: f64,
    /// US dollars for a million tokens read and written.
    pub prices: Option<(f64, f64)>,
    /// How long it may take.
    #[serde(skip)]
    pub time: Option<Duration>,
}

impl Limits {
    /// Those of the configuration, and of the call.
    ///
    /// # Errors
    /// `INVALID_INPUT` for a budget without prices.
    pub fn of(
        settings: &AgentSettings,
        steps: Option<u64>,
        budget: Option<f64>,
    ) -> Result<Self, Failure> {
        let limits = Self {
            steps: steps.unwrap_or(settings.max_steps),
            tokens: settings.max_tokens,
            budget: budget.unwrap_or(settings.budget),
            prices: settings.price_in.zip(settings.price_out),
            time: None,
        };
        limits.check()?;
        Ok(limits)
    }

    /// Checks that they can be kept.
    pub(crate) fn check(&self) -> Result<(), Failure> {
        if !self.budget.is_finite() || self.budget < 0.0 {
            return Err(Failure::invalid("a budget is an amount of US dollars"));
        }
        if self.budget > 0.0 && self.prices.is_none() {
            return Err(Failure::invalid("a budget needs the prices of the model")
                .hint("set `price_in` and `price_out` of `[agent]` in your configuration"));
        }
        Ok(())
    }

    /// Those of the configuration, which a program may only lower.
    ///
    /// # Errors
    /// `INVALID_INPUT` for no steps, and for a budget without prices.
    pub(crate) fn capped(
        settings: &AgentSettings,
        steps: Option<u64>,
        budget: Option<f64>,
    ) -> Result<Self, Failure> {
        if steps == Some(0) {
            return Err(Failure::invalid("`max_steps` is at least 1").about(["max_steps"]));
        }
        let most = settings.budget;
        let budget = budget.map(|asked| match most > 0.0 {
            // 0 means any amount.
            true if asked == 0.0 => most,
            true => asked.min(most),
            false => asked,
        });
        let steps = steps.map(|asked| asked.min(settings.max_steps));
        Self::of(settings, steps, budget)
    }
}

/// The configured model; without one, something that fails when it is asked.
///
/// # Errors
/// `MODEL_FAILED` if it cannot be asked from here.
pub fn model_of(settings: &AgentSettings) -> Result<Box<dyn ChatModel>, Failure> {
    let played = settings.model.as_ref();
    if let Some(folder) = played.and_then(|name| name.strip_prefix(PLAYED)) {
        return Ok(Box::new(PlayedBack::from_folder(folder.as_ref())?));
    }
    match over_http(settings)? {
        Some(model) => Ok(Box::new(model)),
        None => Ok(Box::new(Unconfigured)),
    }
}

fn over_http(settings: &AgentSettings) -> Result<Option<OverHttp>, Failure> {
    let Some((format, model, base_url)) = named(settings) else {
        return Ok(None);
    };
    OverHttp::new(Endpoint {
        format,
        model,
        base_url,
        key: settings.key.as_ref().map(|key| key.reveal().to_owned()),
        timeout: Duration::from_secs(settings.request_timeout),
        pause: PAUSE,
    })
    .map(Some)
}

/// What `szk doctor` says of the model; the key is in none of it.
pub async fn check(settings: &AgentSettings) -> Check {
    let subject = "model";
    let Some(name) = &settings.model else {
        return Check::ok(subject, "none is configured; only `szk do` needs one");
    };
    if let Some(folder) = name.strip_prefix(PLAYED) {
        return match PlayedBack::from_folder(folder.as_ref()) {
            Ok(_) => Check::ok(subject, format!("plays back {folder}")),
            Err(failure) => Check::warn(subject, failure.to_string()),
        };
    }
    let model = match over_http(settings) {
        Ok(Some(model)) => model,
        Ok(None) => return Check::ok(subject, "none is configured"),
        Err(failure) => return Check::warn(subject, failure.to_string()),
    };
    let (_, _, address) = named(settings).unwrap_or_default();
    let key = match settings.key {
        Some(_) => "with a key",
        None => "without a key",
    };
    let at = format!("{name} at {address}, {key}");
    match model.is_listed().await {
        Ok(Some(true)) => Check::ok(subject, at),
        Ok(None) => Check::ok(subject, format!("{at}; the provider lists no models")),
        Ok(Some(false)) => Check::warn(subject, format!("{at}: the provider does not list it"))
            .fix("export SZK_AGENT_MODEL=PROVIDER:MODEL"),
        Err(error) => {
            let check = Check::warn(subject, format!("{at}: {error}"));
            match error {
                ModelError::Key { .. } => check.fix("export SZK_AGENT_KEY=KEY"),
                _ => check.fix("export SZK_AGENT_BASE_URL=ADDRESS"),
            }
        }
    }
}

/// What its provider speaks, its name there, and where that is.
fn named(settings: &AgentSettings) -> Option<(Format, String, String)> {
    let name = settings.model.as_ref()?;
    let known = |(provider, address): &(&str, &'static str)| {
        let model = name.strip_prefix(provider)?.strip_prefix(':')?;
        Some((model.to_owned(), *address))
    };
    let (model, usual) = PROVIDERS
        .iter()
        .find_map(known)
        .unwrap_or_else(|| (name.clone(), PROVIDERS[0].1));
    let base_url = settings.base_url.clone();
    let is_compatible = |base: &String| base.trim_end_matches('/').ends_with("/openai");
    let format = match name.split(':').next() {
        Some("anthropic") => Format::Anthropic,
        // Gemini has chat completions, too.
        Some("gemini") if !base_url.as_ref().is_some_and(is_compatible) => Format::Gemini,
        _ => Format::Chat,
    };
    Some((format, model, base_url.unwrap_or_else(|| usual.to_owned())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_model_names_its_provider_or_none() {
        let check = |name: &str, base_url: Option<&str>, expected: (&str, &str)| {
            let settings = AgentSettings {
                model: Some(name.to_owned()),
                base_url: base_url.map(str::to_owned),
                ..AgentSettings::default()
            };
            let (format, model, address) = named(&settings).unwrap();
            assert_eq!(format == Format::Anthropic, name.starts_with("anthropic"));
            assert_eq!((&*model, &*address), expected, "{name}");
        };
        check("gpt-5", None, ("gpt-5", "https://api.openai.com/v1"));
        let gemini = |base_url: Option<&str>| {
            let settings = AgentSettings {
                model: Some("gemini:g".to_owned()),
                base_url: base_url.map(str::to_owned),
                ..AgentSettings::default()
            };
            named(&settings).unwrap().0
        };
        assert_eq!(gemini(None), Format::Gemini);
        assert_eq!(
            gemini(Some("https://x.example/v1beta/openai/")),
            Format::Chat
        );
        check(
            "anthropic:claude",
            None,
            ("claude", "https://api.anthropic.com/v1"),
        );
        check(
            "llama3:8b",
            Some("http://localhost:8000/v1"),
            ("llama3:8b", "http://localhost:8000/v1"),
        );
        check(
            "ollama:llama3:8b",
            None,
            ("llama3:8b", "http://localhost:11434/v1"),
        );
        assert!(named(&AgentSettings::default()).is_none());
    }

    #[test]
    fn a_budget_needs_prices() {
        let settings = AgentSettings::default();
        assert!(Limits::of(&settings, None, Some(1.0)).is_err());
        assert!(Limits::of(&settings, None, None).is_ok());
        let priced = AgentSettings {
            price_in: Some(1.0),
            price_out: Some(2.0),
            ..settings
        };
        assert!(Limits::of(&priced, None, Some(1.0)).is_ok());
        assert!(Limits::of(&priced, None, Some(-1.0)).is_err());
    }

    #[test]
    fn a_program_only_lowers_the_limits() {
        let settings = AgentSettings {
            max_steps: 50,
            budget: 2.0,
            price_in: Some(1.0),
            price_out: Some(2.0),
            ..AgentSettings::default()
        };
        let check = |steps, budget, expected| {
            let limits = Limits::capped(&settings, steps, budget).unwrap();
            assert_eq!((limits.steps, limits.budget), expected);
        };
        check(None, None, (50, 2.0));
        check(Some(10), Some(0.5), (10, 0.5));
        check(Some(1000), Some(100.0), (50, 2.0));
        check(None, Some(0.0), (50, 2.0));
        assert!(Limits::capped(&settings, Some(0), None).is_err());
    }
}
