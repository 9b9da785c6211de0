//! From a file's text to entries, collecting every problem on the way.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use serde::Deserialize;
use toml::Spanned;
use toml::de::{DeString, DeTable, DeValue, ValueDeserializer};

use crate::check;
use crate::error::{Location, Problem};
use crate::file::SourceFile;
use crate::keys::{self, Key, plain_words};
use crate::layer::{Entry, own};
use crate::nearest::{home_of, nearest, siblings};
use crate::preset::{self, Preset};
use crate::{Settings, Source};

/// Which file is being read; this decides the source of its values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FileLayer {
    /// Compiled in.
    Default,
    /// The user's.
    User,
    /// The project's.
    Project,
    /// Beside the project's.
    Local,
}

/// What a file contains.
#[derive(Default)]
pub(crate) struct Parsed {
    pub(crate) entries: Vec<Entry>,
    pub(crate) presets: BTreeMap<String, Preset>,
    pub(crate) problems: Vec<Problem>,
}

/// Reads a file's text. After a syntax error it reports only syntax errors: anything after one is
/// guesswork.
pub(crate) fn parse(file: SourceFile, layer: FileLayer) -> Parsed {
    let file = Arc::new(file);
    let (table, errors) = DeTable::parse_recoverable(&file.text);
    let mut reader = Reader {
        file: &file,
        layer,
        parsed: Parsed::default(),
    };
    for error in &errors {
        let end = file.text.len();
        reader.problem(
            Problem::new(error.message()),
            error.span().unwrap_or(end..end),
        );
    }
    if errors.is_empty() {
        reader.root(table.get_ref());
    }
    let mut parsed = reader.parsed;
    // The parser sorts by key; people read by line.
    parsed.problems.sort_by_key(Problem::position);
    parsed
}

type Item<'a, 'i> = (&'a Spanned<DeString<'i>>, &'a Spanned<DeValue<'i>>);

struct Reader<'a> {
    file: &'a Arc<SourceFile>,
    layer: FileLayer,
    parsed: Parsed,
}

impl Reader<'_> {
    fn root(&mut self, table: &DeTable<'_>) {
        for item @ (key, value) in table {
            let name = key.get_ref().as_ref();
            match value.get_ref().as_table() {
                Some(presets) if name == "preset" => self.presets(presets),
                Some(keys) if keys::sections().contains(&name) => self.section(name, keys),
                _ => self.stranger(item),
            }
        }
    }

    fn section(&mut self, section: &str, table: &DeTable<'_>) {
        for item @ (name, _) in table {
            let path = format!("{section}.{}", name.get_ref());
            match Key::find(&path) {
                // A folder that somebody else wrote must not turn it off.
                Some(_) if section == "audit" && self.of_project() => {
                    let problem =
                        Problem::new(format!("`{path}` cannot be set in a project's file"));
                    let hint = "set it in config.toml in your configuration folder";
                    self.problem(problem.with_hint(Some(hint)), name.span());
                }
                Some(key) => {
                    let entry = self.entry(key, item);
                    self.parsed.entries.extend(entry);
                }
                None => self.unknown(item, section, siblings(section)),
            }
        }
    }

    fn of_project(&self) -> bool {
        matches!(self.layer, FileLayer::Project | FileLayer::Local)
    }

    fn presets(&mut self, table: &DeTable<'_>) {
        for (name, fields) in table {
            let name_text = name.get_ref().as_ref();
            if let Err(wrong) = check::preset_name(name_text) {
                self.problem(Problem::new(wrong.to_string()), name.span());
            }
            match fields.get_ref().as_table() {
                Some(fields) => {
                    let preset = self.preset(name_text, fields);
                    let presets = &mut self.parsed.presets;
                    presets.insert(name_text.to_owned(), preset);
                }
                None => self.problem(not_a_table(&format!("preset.{name_text}")), fields.span()),
            }
        }
    }

    /// A preset holds the keys of `[identity]` except `preset`, plus its own init scripts and
    /// warnings.
    fn preset(&mut self, name: &str, table: &DeTable<'_>) -> Preset {
        let mut preset = Preset::default();
        for item @ (field, value) in table {
            let field = field.get_ref().as_ref();
            let key = match field {
                "preset" => None,
                "scripts" => Key::find(preset::SCRIPTS),
                field => Key::find(&format!("identity.{field}")),
            };
            match key {
                Some(key) => {
                    let source = self.preset_source(name, value.span().start);
                    let entry = self.entry(key, item);
                    preset
                        .entries
                        .extend(entry.map(|entry| Entry { source, ..entry }));
                }
                None if field == "warnings" => preset.warnings = self.read(value),
                None => {
                    let fields = siblings("identity").filter(|key| *key != "preset");
                    let fields = fields.chain(["scripts", "warnings"]);
                    self.unknown(item, &format!("preset.{name}"), fields);
                }
            }
        }
        preset
    }

    /// The entry of a known key, if its value is valid.
    fn entry(&mut self, key: &'static Key, (_, value): Item<'_, '_>) -> Option<Entry> {
        let at = Location {
            file: Arc::clone(self.file),
            span: value.span(),
        };
        let base = self.file.path.parent().unwrap_or(&self.file.path);
        let entry = Entry {
            key,
            value: self.read(value)?,
            source: self.source(value.span().start),
            at: Some(at),
        };
        if key.is_own() && matches!(self.layer, FileLayer::Project | FileLayer::Local) {
            let problem = Problem::new(format!("a project may not set `{}`", key.path));
            let problem = problem.with_hint(Some(own(key))).at(entry.at);
            self.parsed.problems.push(problem);
            return None;
        }
        // Checked here and not only when it takes effect: an overridden mistake is still a mistake.
        match entry.apply(&mut Settings::default()) {
            Ok(()) => Some(entry.anchored(base)),
            Err(problem) => {
                self.parsed.problems.push(problem);
                None
            }
        }
    }

    fn read<T: for<'de> Deserialize<'de>>(&mut self, value: &Spanned<DeValue<'_>>) -> Option<T> {
        match T::deserialize(ValueDeserializer::from(value.clone())) {
            Ok(value) => Some(value),
            Err(wrong) => {
                let span = wrong.span().unwrap_or(value.span());
                self.problem(Problem::new(plain_words(wrong.message())), span);
                None
            }
        }
    }

    fn unknown<'k>(
        &mut self,
        (name, _): Item<'_, '_>,
        section: &str,
        siblings: impl Iterator<Item = &'k str>,
    ) {
        let name_text = name.get_ref().as_ref();
        let hint = match nearest(name_text, siblings) {
            Some(near) => Some(format!("did you mean `{near}`?")),
            None => home_of(name_text),
        };
        let problem = Problem::new(format!("unknown key `{section}.{name_text}`"));
        self.problem(problem.with_hint(hint), name.span());
    }

    /// Something at the top level that is neither a section nor the presets table.
    fn stranger(&mut self, (key, value): Item<'_, '_>) {
        let name = key.get_ref().as_ref();
        let sections = keys::sections();
        let problem = if name == "preset" {
            not_a_table(name)
        } else if sections.contains(&name) {
            Problem::new(format!("`{name}` is a section: write `[{name}]`"))
        } else {
            let near = nearest(name, sections.into_iter().chain(["preset"]));
            let near = near.map(|near| format!("did you mean `{near}`?"));
            let kind = match value.get_ref() {
                DeValue::Table(_) => "section",
                _ => "key",
            };
            Problem::new(format!("unknown {kind} `{name}`")).with_hint(home_of(name).or(near))
        };
        self.problem(problem, key.span());
    }

    fn problem(&mut self, problem: Problem, span: Range<usize>) {
        let at = Location {
            file: Arc::clone(self.file),
            span,
        };
        self.parsed.problems.push(problem.at(Some(at)));
    }

    fn preset_source(&self, name: &str, offset: usize) -> Source {
        let own = self.layer != FileLayer::Default;
        Source::Preset {
            name: name.to_owned(),
            path: own.then(|| self.file.path.clone()),
            line: own.then(|| self.file.position(offset).0),
        }
    }

    fn source(&self, offset: usize) -> Source {
        let path = self.file.path.clone();
        let (line, _) = self.file.position(offset);
        match self.layer {
            FileLayer::Default => Source::Default,
            FileLayer::User => Source::User { path, line },
            FileLayer::Project => Source::Project { path, line },
            FileLayer::Local => Source::Local { path, line },
        }
    }
}

/// "preset" means two things: choosing one and defining one.
fn not_a_table(name: &str) -> Problem {
    Problem::new(format!("`{name}` is not a table")).with_hint(Some(
        "choose a preset with `preset = \"…\"` under `[identity]`, make one with `[preset.<name>]`",
    ))
}
