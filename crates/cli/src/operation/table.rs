//! What the types of an operation do not say about its command.

use clap::{Arg, Command};

/// How a field is given, if not as its type suggests: a flag, a value, a value that can be repeated.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Form {
    /// A flag of this name that says false.
    No(&'static str),
    /// A flag that also takes `=false`.
    Switch,
    /// A flag for each word, with its name.
    Flags(&'static [(&'static str, &'static str)]),
    /// `NAME` and value with this between them, in place of `=`.
    Parted(char),
    /// Not from an argument of its type: see [`Table::made`].
    Made,
}

/// Changes a derived argument in clap's own words.
pub(crate) type Tweak = fn(Arg) -> Arg;

/// What a command adds to the types of its operation, or of one of its actions.
#[derive(Debug, Clone, Default)]
pub(crate) struct Table {
    pub(crate) about: Option<&'static str>,
    pub(crate) alias: Option<&'static str>,
    pub(super) details: Option<&'static str>,
    pub(super) examples: &'static [&'static str],
    pub(super) only: Option<&'static [&'static str]>,
    pub(super) without: &'static [&'static str],
    pub(super) heading: Option<&'static str>,
    pub(super) positions: &'static [&'static str],
    pub(super) forms: Vec<(&'static str, Form)>,
    pub(super) values: Vec<(&'static str, &'static str)>,
    pub(super) helps: Vec<(&'static str, &'static str)>,
    pub(super) tweaks: Vec<(&'static str, Tweak)>,
    pub(super) own: Option<fn(Command) -> Command>,
    pub(super) action: Option<&'static str>,
    pub(super) actions: Vec<(&'static str, Table)>,
}

impl Table {
    /// A command of these examples.
    pub(crate) fn new(examples: &'static [&'static str]) -> Self {
        Self {
            examples,
            ..Self::default()
        }
    }

    /// What the command does, in place of the operation's title.
    pub(crate) fn about(mut self, about: &'static str) -> Self {
        self.about = Some(about);
        self
    }

    /// More about it in the long help, in place of the operation's summary.
    pub(crate) fn details(mut self, details: &'static str) -> Self {
        self.details = Some(details);
        self
    }

    /// Another name of the command.
    pub(crate) fn alias(mut self, alias: &'static str) -> Self {
        self.alias = Some(alias);
        self
    }

    /// Takes only these fields.
    pub(crate) fn only(mut self, fields: &'static [&'static str]) -> Self {
        self.only = Some(fields);
        self
    }

    /// Takes all fields but these.
    pub(crate) fn without(mut self, fields: &'static [&'static str]) -> Self {
        self.without = fields;
        self
    }

    /// Lists options under this heading.
    pub(crate) fn heading(mut self, heading: &'static str) -> Self {
        self.heading = Some(heading);
        self
    }

    /// Fields that are given by position, in this order.
    pub(crate) fn positions(mut self, fields: &'static [&'static str]) -> Self {
        self.positions = fields;
        self
    }

    /// Gives a field in another form than its type suggests.
    pub(crate) fn form(mut self, field: &'static str, form: Form) -> Self {
        self.forms.push((field, form));
        self
    }

    /// Derives no argument for this field, for a reason: the command makes it of what [`Table::own`]
    /// adds, or of something else.
    pub(crate) fn made(self, field: &'static str, _reason: &'static str) -> Self {
        self.form(field, Form::Made)
    }

    /// Says what stands for the value of a field, in place of its name.
    pub(crate) fn value(mut self, field: &'static str, name: &'static str) -> Self {
        self.values.push((field, name));
        self
    }

    /// Says what a field is for, where the terminal's form of it needs other words than its type has.
    pub(crate) fn help(mut self, field: &'static str, help: &'static str) -> Self {
        self.helps.push((field, help));
        self
    }

    /// Changes the argument of a field.
    pub(crate) fn arg(mut self, field: &'static str, tweak: Tweak) -> Self {
        self.tweaks.push((field, tweak));
        self
    }

    /// Adds what only the terminal has: arguments and groups. Arguments come after the operation's own
    /// and before those that say where.
    pub(crate) fn own(mut self, own: fn(Command) -> Command) -> Self {
        self.own = Some(own);
        self
    }

    /// Makes a word of this field a command of its own.
    pub(crate) fn action(mut self, field: &'static str, word: &'static str, table: Table) -> Self {
        self.action = Some(field);
        self.actions.push((word, table));
        self
    }

    /// The field whose words are commands of their own.
    pub(crate) fn action_field(&self) -> Option<&'static str> {
        self.action
    }

    /// Whether the flag of this field says false.
    pub(crate) fn says_no(&self, field: &str) -> bool {
        matches!(self.form_of(field), Some(Form::No(_)))
    }

    /// Whether the command takes this field itself.
    pub(super) fn takes(&self, field: &str) -> bool {
        let chosen = self.only.is_none_or(|only| only.contains(&field));
        let chosen = chosen && !self.without.contains(&field);
        chosen && self.action != Some(field) && !matches!(self.form_of(field), Some(Form::Made))
    }

    pub(super) fn form_of(&self, field: &str) -> Option<Form> {
        let found = self.forms.iter().find(|(name, _)| *name == field);
        found.map(|(_, form)| *form)
    }

    pub(super) fn tweaked(&self, field: &str, arg: Arg) -> Arg {
        let of_field = |(name, _): &&(&str, &'static str)| *name == field;
        let arg = match self.values.iter().find(of_field) {
            Some((_, value)) => arg.value_name(value),
            None => arg,
        };
        let arg = match self.helps.iter().find(of_field) {
            Some((_, help)) => arg.help(help),
            None => arg,
        };
        let arg = match self.heading {
            Some(heading) if !arg.is_positional() => arg.help_heading(heading),
            _ => arg,
        };
        let tweaks = self.tweaks.iter().filter(|(name, _)| *name == field);
        tweaks.fold(arg, |arg, (_, tweak)| tweak(arg))
    }
}
