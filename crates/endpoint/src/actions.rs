//! The actions of a client's message, in terms of `[policy]`; [`Bounds`] decides whether they are
//! allowed.
//!
//! `methods.txt` has the decision for each method. [`super::policy`] keeps clients from harming each
//! other; this module keeps them within what the person has allowed.

mod params;

use std::collections::HashMap;
use std::path::Path;
use std::sync::LazyLock;

use serde_json::value::RawValue;
use szk_config::{Action, Bounds, Denied};

use params::{Params, Value};

/// The decisions, by method.
const TABLE: &str = include_str!("methods.txt");

/// What a method does, as far as `[policy]` is concerned. `methods.txt` says more of each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Does {
    Free,
    Evaluate,
    Script,
    Reload,
    Condition,
    InPage,
    Export,
    Visit,
    Request,
    Fetch,
    Files,
    Drag,
    Downloads,
    Context,
    Unlimited,
}

impl Does {
    fn named(name: &str) -> Self {
        match name {
            "free" => Self::Free,
            "evaluate" => Self::Evaluate,
            "script" => Self::Script,
            "reload" => Self::Reload,
            "condition" => Self::Condition,
            "in-page" => Self::InPage,
            "export" => Self::Export,
            "visit" => Self::Visit,
            "request" => Self::Request,
            "fetch" => Self::Fetch,
            "files" => Self::Files,
            "drag" => Self::Drag,
            "downloads" => Self::Downloads,
            "context" => Self::Context,
            // A misspelt name must not allow anything.
            _ => Self::Unlimited,
        }
    }
}

/// By `Domain.method`.
static METHODS: LazyLock<HashMap<String, Does>> = LazyLock::new(|| read(TABLE).collect());

fn read(table: &str) -> impl Iterator<Item = (String, Does)> {
    let lines = table.lines().filter(|line| !line.starts_with('#'));
    let mut does = Does::Unlimited;
    lines.flat_map(move |line| {
        if let Some(name) = line.strip_prefix('[') {
            does = Does::named(name.trim_end_matches(']'));
        }
        let (domain, methods) = line.split_once(": ").unwrap_or_default();
        let names = methods.split_whitespace();
        let here = does;
        names
            .map(move |method| (format!("{domain}.{method}"), here))
            .collect::<Vec<_>>()
    })
}

/// A world to run code in, as a client names it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Named {
    /// By its context.
    Context(i64),
    /// By the context's unique id.
    Unique(String),
    /// By an object in it.
    Object(String),
}

/// Checks whether a client may send a message. `isolated` recognises worlds other than the page's own.
///
/// # Errors
/// [`Denied`], with the key that forbids it.
pub(super) fn check(
    bounds: &Bounds,
    method: &str,
    params: Option<&RawValue>,
    isolated: impl Fn(&Named) -> bool,
) -> Result<(), Denied> {
    let does = METHODS.get(method).copied();
    // `file:` addresses and files of the store are closed without any limit, too.
    let is_bound = matches!(
        does,
        Some(
            Does::Visit | Does::Request | Does::Fetch | Does::Files | Does::Drag | Does::Downloads
        )
    );
    if does == Some(Does::Free) || (!is_bound && !bounds.policy().limits_anything()) {
        return Ok(());
    }
    let params = Params::read(params);
    let code_unless_blank = |name: &str| match params.all(name).all(|value| value.is_blank()) {
        true => Ok(()),
        false => bounds.check(Action::RunInPage),
    };
    match does.unwrap_or(Does::Unlimited) {
        Does::Free => Ok(()),
        Does::Evaluate => {
            bounds.check(Action::RunCode)?;
            let worlds = params.worlds();
            if !worlds.is_empty() && worlds.iter().all(isolated) {
                return Ok(());
            }
            bounds.check(Action::RunInPage)
        }
        Does::Script => {
            let blank = |name| params.all(name).all(|value: &Value| value.is_blank());
            if blank("source") && blank("scriptSource") {
                return Ok(());
            }
            bounds.check(match blank("worldName") {
                true => Action::RunInPage,
                false => Action::RunCode,
            })
        }
        Does::Reload => code_unless_blank("scriptToEvaluateOnLoad"),
        Does::Condition => code_unless_blank("condition"),
        Does::InPage => bounds.check(Action::RunInPage),
        Does::Export => bounds.check(Action::Export),
        Does::Visit => each(&params, "url", |url| bounds.check(Action::Visit(url))),
        Does::Request => each(&params, "url", |url| bounds.check(Action::Document(url))),
        Does::Fetch => {
            bounds.check(Action::Export)?;
            each(&params, "url", |url| bounds.check(Action::Document(url)))
        }
        Does::Files => params.files().try_for_each(|path| read_file(bounds, &path)),
        Does::Drag => params
            .inside("data")
            .try_for_each(|data| data.files().try_for_each(|path| read_file(bounds, &path))),
        Does::Downloads => downloads(bounds, &params),
        Does::Context if params.all("proxyServer").all(|value| value.is_blank()) => Ok(()),
        Does::Context | Does::Unlimited => bounds.check(Action::Unlimited("the method")),
    }
}

/// Checks every value of a name: of duplicates, it is unknown which one counts.
fn each(
    params: &Params,
    name: &str,
    check: impl Fn(&str) -> Result<(), Denied>,
) -> Result<(), Denied> {
    params.all(name).try_for_each(|value| match value {
        Value::Text(text) => check(text),
        // Chromium refuses anything but a string.
        Value::Other(_) => Ok(()),
        Value::Unreadable => Err(unreadable(name)),
    })
}

fn read_file(bounds: &Bounds, path: &Value) -> Result<(), Denied> {
    match path {
        Value::Text(path) => bounds.check(Action::Read(Path::new(path))),
        Value::Other(_) => Ok(()),
        Value::Unreadable => Err(unreadable("files")),
    }
}

/// For a client that manages its own downloads: whether it may download, and where to.
fn downloads(bounds: &Bounds, params: &Params) -> Result<(), Denied> {
    each(params, "behavior", |behavior| match behavior {
        "deny" => Ok(()),
        "allow" | "allowAndName" => bounds.check(Action::Download),
        _ => {
            bounds.check(Action::Download)?;
            bounds.check(Action::Write(Path::new("/")))
        }
    })?;
    each(params, "downloadPath", |path| {
        bounds.check(Action::Write(Path::new(path)))
    })
}

fn unreadable(name: &str) -> Denied {
    Denied {
        message: format!("cannot read `{name}`"),
        hint: "write it as a plain string".to_owned(),
    }
}

#[cfg(test)]
mod tests;
