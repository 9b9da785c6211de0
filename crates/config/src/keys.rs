//! The list of keys, each with the code that reads it.
//!
//! A key exists only if it is in this list, so what files may hold, what is checked and what ends up
//! in [`Settings`] cannot drift apart.

use std::borrow::Borrow;
use std::str::FromStr;

use serde::de::DeserializeOwned;
use toml::Value;

use crate::check::{self, Checked};
use crate::{InvalidValue, Settings, agent_action, locale, switches, timezone};

/// One key of the configuration.
pub(crate) struct Key {
    /// Its full name, such as `browser.headless`.
    pub(crate) path: &'static str,
    /// How its value is treated before it is read.
    pub(crate) kind: Kind,
    set: fn(&mut Settings, Value) -> Checked,
}

/// How a value is treated before it is read and when it is shown.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Taken as is.
    Plain,
    /// A path or a list of paths, relative to where it was written.
    Path,
    /// May hold a password.
    Secret,
    /// Only the user's own file and the environment of the process may set it: it decides who gets a key.
    Own,
    /// The same for the key itself, which is never shown.
    OwnSecret,
}

use Kind::{Own, OwnSecret, Path, Plain, Secret};

/// All keys, in the order of `config/defaults.toml`.
pub(crate) static KEYS: &[Key] = &[
    key("store.path", Path, |s, v| {
        optional(v, &mut s.store.path, check::path)
    }),
    key("browser.chromium", Path, |s, v| {
        optional(v, &mut s.browser.chromium, check::path)
    }),
    key("browser.headless", Plain, |s, v| {
        read(v, &mut s.browser.headless)
    }),
    key("browser.xvfb", Plain, |s, v| read(v, &mut s.browser.xvfb)),
    key("browser.args", Plain, |s, v| {
        checked(v, &mut s.browser.args, switches::check)
    }),
    key("browser.extensions", Path, |s, v| {
        checked(v, &mut s.browser.extensions, check::paths)
    }),
    key("browser.block", Plain, |s, v| read(v, &mut s.browser.block)),
    key("identity.preset", Plain, |s, v| {
        read(v, &mut s.identity.preset)
    }),
    key("identity.label", Plain, |s, v| {
        read(v, &mut s.identity.label)
    }),
    key("identity.user_agent", Plain, |s, v| {
        optional(v, &mut s.identity.user_agent, check::user_agent)
    }),
    key("identity.locale", Plain, |s, v| {
        optional(v, &mut s.identity.locale, locale::check)
    }),
    key("identity.timezone", Plain, |s, v| {
        optional(v, &mut s.identity.timezone, timezone::check)
    }),
    key("identity.viewport", Plain, |s, v| {
        parsed(v, &mut s.identity.viewport, check::viewport)
    }),
    key("identity.screen", Plain, |s, v| {
        parsed(v, &mut s.identity.screen, |_| Ok(()))
    }),
    key("identity.device_scale_factor", Plain, |s, v| {
        optional(v, &mut s.identity.device_scale_factor, check::scale)
    }),
    key("identity.mobile", Plain, |s, v| {
        read(v, &mut s.identity.mobile)
    }),
    key("identity.touch", Plain, |s, v| {
        read(v, &mut s.identity.touch)
    }),
    key("identity.orientation", Plain, |s, v| {
        read(v, &mut s.identity.orientation)
    }),
    key("identity.proxy", Secret, |s, v| {
        parsed(v, &mut s.identity.proxy, |_| Ok(()))
    }),
    key("identity.geolocation", Plain, |s, v| {
        optional(v, &mut s.identity.geolocation, check::geolocation)
    }),
    key("session.linger_minutes", Plain, |s, v| {
        checked(v, &mut s.session.linger_minutes, check::linger)
    }),
    key("session.timeout_seconds", Plain, |s, v| {
        checked(v, &mut s.session.timeout_seconds, check::timeout_seconds)
    }),
    key("session.max_open", Plain, |s, v| {
        read(v, &mut s.session.max_open)
    }),
    key("session.restore_tabs", Plain, |s, v| {
        read(v, &mut s.session.restore_tabs)
    }),
    key("session.save_seconds", Plain, |s, v| {
        checked(v, &mut s.session.save_seconds, check::save_seconds)
    }),
    key("session.hold_seconds", Plain, |s, v| {
        checked(v, &mut s.session.hold_seconds, check::hold_seconds)
    }),
    key("session.dialog_seconds", Plain, |s, v| {
        checked(v, &mut s.session.dialog_seconds, check::dialog_seconds)
    }),
    key("session.dialogs", Plain, |s, v| {
        read(v, &mut s.session.dialogs)
    }),
    key("session.input", Plain, |s, v| read(v, &mut s.session.input)),
    key("session.keyboard", Plain, |s, v| {
        read(v, &mut s.session.keyboard)
    }),
    key("endpoint.auth", Plain, |s, v| read(v, &mut s.endpoint.auth)),
    key("endpoint.allowed_origins", Plain, |s, v| {
        checked(v, &mut s.endpoint.allowed_origins, check::origins)
    }),
    key("endpoint.shield", Plain, |s, v| {
        read(v, &mut s.endpoint.shield)
    }),
    key("endpoint.identity", Plain, |s, v| {
        read(v, &mut s.endpoint.identity)
    }),
    key("endpoint.contexts", Plain, |s, v| {
        read(v, &mut s.endpoint.contexts)
    }),
    key("endpoint.deny", Plain, |s, v| {
        checked(v, &mut s.endpoint.deny, check::methods)
    }),
    key("endpoint.tabs", Plain, |s, v| read(v, &mut s.endpoint.tabs)),
    key("endpoint.max_clients", Plain, |s, v| {
        checked(v, &mut s.endpoint.max_clients, check::max_clients)
    }),
    key("endpoint.raw_port", Plain, |s, v| {
        optional(v, &mut s.endpoint.raw_port, check::raw_port)
    }),
    key("server.max_sessions", Plain, |s, v| {
        read(v, &mut s.server.max_sessions)
    }),
    key("server.max_queue", Plain, |s, v| {
        checked(v, &mut s.server.max_queue, check::max_queue)
    }),
    key("server.memory_floor", Plain, |s, v| {
        read(v, &mut s.server.memory_floor)
    }),
    key("server.idle", Plain, |s, v| read(v, &mut s.server.idle)),
    key("server.client_idle", Plain, |s, v| {
        read(v, &mut s.server.client_idle)
    }),
    key("server.requests_per_minute", Plain, |s, v| {
        read(v, &mut s.server.requests_per_minute)
    }),
    key("server.request_timeout", Plain, |s, v| {
        checked(v, &mut s.server.request_timeout, check::request_timeout)
    }),
    key("server.max_upload", Plain, |s, v| {
        checked(v, &mut s.server.max_upload, check::max_upload)
    }),
    key("server.upload_quota", Plain, |s, v| {
        checked(v, &mut s.server.upload_quota, check::upload_quota)
    }),
    key("server.tls_cert", Path, |s, v| {
        optional(v, &mut s.server.tls_cert, check::path)
    }),
    key("server.tls_key", Path, |s, v| {
        optional(v, &mut s.server.tls_key, check::path)
    }),
    key("agent.model", Own, |s, v| {
        optional(v, &mut s.agent.model, check::not_empty)
    }),
    key("agent.base_url", Own, |s, v| {
        optional(v, &mut s.agent.base_url, check::http_address)
    }),
    key("agent.key", OwnSecret, |s, v| {
        optional(v, &mut s.agent.key, check::agent_key)
    }),
    key("agent.max_steps", Plain, |s, v| {
        checked(v, &mut s.agent.max_steps, check::max_steps)
    }),
    key("agent.max_tokens", Plain, |s, v| {
        read(v, &mut s.agent.max_tokens)
    }),
    key("agent.budget", Plain, |s, v| {
        checked(v, &mut s.agent.budget, check::dollars)
    }),
    key("agent.price_in", Plain, |s, v| {
        optional(v, &mut s.agent.price_in, check::dollars)
    }),
    key("agent.price_out", Plain, |s, v| {
        optional(v, &mut s.agent.price_out, check::dollars)
    }),
    key("agent.request_timeout", Plain, |s, v| {
        checked(v, &mut s.agent.request_timeout, check::model_timeout)
    }),
    key("agent.actions", Own, |s, v| {
        checked(v, &mut s.agent.actions, agent_action::check)
    }),
    key("stealth.scripts", Path, |s, v| {
        checked(v, &mut s.stealth.scripts, check::paths)
    }),
    key("policy.allowed_origins", Plain, |s, v| {
        read(v, &mut s.policy.allowed_origins)
    }),
    key("policy.denied_origins", Plain, |s, v| {
        read(v, &mut s.policy.denied_origins)
    }),
    key("policy.file_urls", Plain, |s, v| {
        read(v, &mut s.policy.file_urls)
    }),
    key("policy.read", Path, |s, v| {
        optional(v, &mut s.policy.read, check::paths)
    }),
    key("policy.write", Path, |s, v| {
        optional(v, &mut s.policy.write, check::paths)
    }),
    key("policy.downloads", Plain, |s, v| {
        read(v, &mut s.policy.downloads)
    }),
    key("policy.run_code", Plain, |s, v| {
        read(v, &mut s.policy.run_code)
    }),
    key("policy.main_world", Plain, |s, v| {
        read(v, &mut s.policy.main_world)
    }),
    key("policy.programs", Plain, |s, v| {
        read(v, &mut s.policy.programs)
    }),
    key("policy.export_cookies", Plain, |s, v| {
        read(v, &mut s.policy.export_cookies)
    }),
    key("policy.approve", Plain, |s, v| {
        read(v, &mut s.policy.approve)
    }),
    key("policy.approve_seconds", Plain, |s, v| {
        checked(v, &mut s.policy.approve_seconds, check::approve_seconds)
    }),
    key("log.level", Plain, |s, v| {
        checked(v, &mut s.log.level, check::log_level)
    }),
    key("log.format", Plain, |s, v| read(v, &mut s.log.format)),
    key("audit.log", Plain, |s, v| read(v, &mut s.audit.log)),
];

impl Key {
    /// The key named `path`.
    pub(crate) fn find(path: &str) -> Option<&'static Self> {
        KEYS.iter().find(|key| key.path == path)
    }

    /// Whether only the user may set it, and no project.
    pub(crate) fn is_own(&self) -> bool {
        matches!(self.kind, Own | OwnSecret)
    }

    /// Reads the value into its field.
    pub(crate) fn set(&self, settings: &mut Settings, value: &Value) -> Checked {
        (self.set)(settings, value.clone())
    }

    /// The value in a form that is safe to show.
    pub(crate) fn show(&self, value: &Value) -> String {
        match (self.kind, value) {
            (Secret, Value::String(url)) => {
                Value::String(crate::proxy::hidden_login(url)).to_string()
            }
            (Secret | OwnSecret, _) => "***".to_owned(),
            (_, value) => value.to_string(),
        }
    }
}

/// The sections, each once, in order.
pub(crate) fn sections() -> Vec<&'static str> {
    let mut sections: Vec<_> = KEYS
        .iter()
        .filter_map(|key| Some(key.path.split_once('.')?.0))
        .collect();
    sections.dedup();
    sections
}

/// What was expected, in words for people who do not know what a `u64` is.
pub(crate) fn plain_words(message: &str) -> String {
    message
        .replace("expected u64", "expected a whole number, 0 or more")
        .replace("expected u32", "expected a whole number, 0 or more")
        .replace("expected usize", "expected a whole number, 0 or more")
        .replace("expected u16", "expected a whole number, 0 to 65535")
        .replace("expected f64", "expected a number")
        .replace("expected a sequence", "expected a list")
}

const fn key(path: &'static str, kind: Kind, set: fn(&mut Settings, Value) -> Checked) -> Key {
    Key { path, kind, set }
}

fn read<T: DeserializeOwned>(value: Value, slot: &mut T) -> Checked {
    *slot = T::deserialize(value).map_err(|e| InvalidValue::new(plain_words(e.message())))?;
    Ok(())
}

/// Reads a value that must pass a check. `B` is what the check takes: `str` for a `String`.
fn checked<T, B>(value: Value, slot: &mut T, rule: fn(&B) -> Checked) -> Checked
where
    T: DeserializeOwned + Borrow<B>,
    B: ?Sized,
{
    let new = T::deserialize(value).map_err(|e| InvalidValue::new(plain_words(e.message())))?;
    rule(new.borrow())?;
    *slot = new;
    Ok(())
}

/// The same for a key without a default.
fn optional<T, B>(value: Value, slot: &mut Option<T>, rule: fn(&B) -> Checked) -> Checked
where
    T: DeserializeOwned + Borrow<B>,
    B: ?Sized,
{
    let new = T::deserialize(value).map_err(|e| InvalidValue::new(plain_words(e.message())))?;
    rule(new.borrow())?;
    *slot = Some(new);
    Ok(())
}

/// The same for a value with a syntax of its own: the error for a bad one suggests what was meant.
fn parsed<T>(value: Value, slot: &mut Option<T>, rule: fn(&T) -> Checked) -> Checked
where
    T: DeserializeOwned + FromStr<Err = InvalidValue>,
{
    let Value::String(text) = value else {
        return optional(value, slot, rule);
    };
    let new = text.parse()?;
    rule(&new)?;
    *slot = Some(new);
    Ok(())
}
