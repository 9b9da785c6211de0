//! Stacks the layers for one call.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::Serialize;
use toml::Value;

use crate::error::{ConfigErrors, Problem};
use crate::keys::KEYS;
use crate::layer::{self, Entry};
use crate::preset::{self, Preset};
use crate::{CallOptions, Config, Identity, Settings, Source, Viewport, warnings};

/// The settings in force, each with its source.
#[derive(Clone, Debug)]
pub struct Resolved {
    /// The values.
    pub settings: Settings,
    /// What the user should know: what gives the identity away, and which requests the saved identity
    /// overrode.
    pub warnings: Vec<String>,
    stack: Stack,
    saved: Option<Identity>,
    default_store: PathBuf,
}

/// One line of `szk config explain`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Row {
    /// The key's full name.
    pub key: &'static str,
    /// Its value as TOML, logins hidden; `None` if no layer sets it.
    pub value: Option<String>,
    /// Who set it.
    pub source: Source,
    /// What it overrode, strongest first.
    pub overridden: Vec<Overridden>,
}

/// A value that was overridden.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Overridden {
    /// The value as TOML, logins hidden.
    pub value: String,
    /// Who set it.
    pub source: Source,
}

/// All entries of each key, weakest first.
type Stack = BTreeMap<&'static str, Vec<Entry>>;

impl Config {
    /// The settings for one call on a profile with the saved identity `saved`.
    ///
    /// `preset` is a shorthand for [`CallOptions::preset`], which wins if both are given.
    pub fn resolve(
        &self,
        preset: Option<&str>,
        saved: Option<&Identity>,
        call: &CallOptions,
    ) -> Result<Resolved, ConfigErrors> {
        let asked = call.preset.as_deref().or(preset);
        let mut problems: Vec<Problem> = exclusive(asked, call).into_iter().collect();
        let mut stack = Stack::new();
        push(&mut stack, self.layers.iter().flatten().cloned());
        match self.preset_choices(asked, saved) {
            Ok(choices) => push(&mut stack, choices),
            Err(problem) => problems.push(problem),
        }
        let preset = self.chosen_preset(&stack).unwrap_or_else(|problem| {
            problems.push(problem);
            None
        });
        if let Some((_, preset)) = preset {
            let scripts = strongest(&stack, preset::SCRIPTS).map(|entry| entry.value.clone());
            push(&mut stack, preset.entries_over(scripts.as_ref()));
        }
        let saved_layer = saved.map_or_else(|| Ok(Vec::new()), layer::from_saved);
        let (saved_layer, unusable) = usable(saved_layer.unwrap_or_else(|problem| {
            problems.push(problem);
            Vec::new()
        }));
        let call_layer = layer::from_call(call, &self.origin.cwd);
        for layer in [Ok(saved_layer), Ok(self.env.clone()), call_layer] {
            match layer {
                Ok(entries) => push(&mut stack, entries),
                Err(problem) => problems.push(problem),
            }
        }
        let mut settings = Settings::default();
        let in_force = stack.values().filter_map(|entries| entries.last());
        problems.extend(in_force.filter_map(|entry| entry.apply(&mut settings).err()));
        problems.extend(too_narrow(&settings.identity, &stack));
        ConfigErrors::check(problems)?;
        let preset = preset.map(|(name, preset)| preset.info(name));
        Ok(Resolved {
            warnings: [
                unusable,
                warnings::collect(&settings, preset.as_ref(), saved),
            ]
            .concat(),
            settings,
            stack,
            saved: saved.cloned(),
            default_store: self.default_store(),
        })
    }

    /// The preset in force, with its name.
    fn chosen_preset(&self, stack: &Stack) -> Result<Option<(&str, &Preset)>, Problem> {
        let chosen = strongest(stack, "identity.preset");
        let Some((name, source)) =
            chosen.and_then(|entry| Some((entry.value.as_str()?, &entry.source)))
        else {
            return Ok(None);
        };
        match (self.presets.get_key_value(name), source) {
            (Some((name, preset)), _) => Ok(Some((name, preset))),
            // A profile outlives the file that once defined its preset; the profile saved the fields.
            (None, Source::Profile) => Ok(None),
            (None, source) => {
                let asked_by = format!(" ({source})");
                Err(preset::unknown(name, &asked_by, &self.presets).set_by(source))
            }
        }
    }

    /// Who chooses the preset besides the files, weakest first.
    fn preset_choices(
        &self,
        asked: Option<&str>,
        saved: Option<&Identity>,
    ) -> Result<Vec<Entry>, Problem> {
        let env = self.variable("SZK_PRESET");
        let env = env.map(|env| (Some(env.value), env.source));
        let saved = saved.and_then(|saved| saved.preset.as_deref());
        let choices = [
            Some((saved, Source::Profile)),
            env,
            Some((asked, Source::Call)),
        ];
        let entry = |(name, source): (Option<&str>, _)| {
            Some(Entry::new(
                "identity.preset",
                Value::String(name?.to_owned()),
                source,
            ))
        };
        choices.into_iter().flatten().filter_map(entry).collect()
    }
}

impl Resolved {
    /// Who set the key; [`Source::Default`] if nobody did.
    pub fn source(&self, key: &str) -> &Source {
        strongest(&self.stack, key).map_or(&Source::Default, |entry| &entry.source)
    }

    /// The error for a value in force that proved to be unusable, blamed on whoever set it.
    pub fn unusable(&self, key: &str, message: impl Into<String>, hint: &str) -> ConfigErrors {
        let problem = Problem::new(message).with_hint(Some(hint));
        ConfigErrors::of(match strongest(&self.stack, key) {
            Some(entry) => problem.at(entry.at.clone()).set_by(&entry.source),
            None => problem,
        })
    }

    /// Every key with its value, its source and what it overrode.
    pub fn explain(&self) -> Vec<Row> {
        KEYS.iter().map(|key| self.row(key.path)).collect()
    }

    /// What the profile keeps for life: its saved identity or, on first use, the one now in force.
    /// Anything a later call changes applies to that session only.
    ///
    /// A saved identity is recognized by its preset, which every resolved identity has.
    pub fn identity_to_save(&self) -> Identity {
        let saved = self.saved.clone().unwrap_or_default();
        match saved.preset {
            Some(_) => saved,
            None => saved.or(self.settings.identity.clone()),
        }
    }

    /// The folder of the profiles: from the call, `SZK_STORE`, `store.path` or the user's data
    /// directory.
    pub fn store_root(&self) -> PathBuf {
        let named = self.settings.store.path.clone();
        named.unwrap_or_else(|| self.default_store.clone())
    }

    fn row(&self, key: &'static str) -> Row {
        let entries = self.stack.get(key).map_or(&[][..], Vec::as_slice);
        let weaker = entries.iter().rev().skip(1);
        Row {
            key,
            value: entries.last().map(Entry::show),
            source: self.source(key).clone(),
            overridden: weaker.map(Overridden::from).collect(),
        }
    }
}

impl From<&Entry> for Overridden {
    fn from(entry: &Entry) -> Self {
        Self {
            value: entry.show(),
            source: entry.source.clone(),
        }
    }
}

/// A call gives a preset or single fields, not both.
fn exclusive(preset: Option<&str>, call: &CallOptions) -> Option<Problem> {
    let fields = call.identity_fields();
    let preset = preset.filter(|_| !fields.is_empty())?;
    let fields = fields.join("`, `");
    let problem = Problem::new(format!(
        "preset `{preset}` excludes `{fields}` in the same call"
    ));
    Some(problem.with_hint(Some(
        "leave one of them out, or write a preset of your own: `[preset.<name>]`",
    )))
}

/// A profile may have saved unchecked values. It still opens, without them.
fn usable(saved: Vec<Entry>) -> (Vec<Entry>, Vec<String>) {
    let mut good = Vec::new();
    let mut warnings = Vec::new();
    for entry in saved {
        match entry.apply(&mut Settings::default()) {
            Ok(()) => good.push(entry),
            Err(problem) => warnings.push(format!(
                "a value that the profile has saved is left out: {}",
                problem.message()
            )),
        }
    }
    (good, warnings)
}

/// A page narrower than the narrowest window would be wider than it claims. For a size that a profile
/// has already saved, a warning has to do.
fn too_narrow(identity: &Identity, stack: &Stack) -> Option<Problem> {
    let size = warnings::narrow(identity)?;
    let entry = strongest(stack, "identity.viewport")?;
    if entry.source == Source::Profile {
        return None;
    }
    let least = Viewport::NARROWEST_WINDOW;
    let message = format!("`{size}` is too narrow: a window's page is at least {least} wide");
    let hint = format!(
        "did you mean `{least}x{}`? Narrower pages are those of a mobile identity (preset `phone`), or of \
         `browser_emulate` with `device`, which changes one tab",
        size.height
    );
    Some(
        Problem::new(message)
            .with_hint(Some(hint))
            .at(entry.at.clone()),
    )
}

fn push(stack: &mut Stack, entries: impl IntoIterator<Item = Entry>) {
    for entry in entries {
        stack.entry(entry.key.path).or_default().push(entry);
    }
}

fn strongest<'a>(stack: &'a Stack, key: &str) -> Option<&'a Entry> {
    stack.get(key)?.last()
}
