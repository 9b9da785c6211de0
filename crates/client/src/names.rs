//! Decides which session a call means.

use szk_store::{Name, Store};
use szk_tools::{Code, Failure};
use szk_wire::failure;
pub(crate) use szk_wire::names::{free_profile, parse};

use crate::Client;

/// The session if the call names none and none is open.
pub(crate) const DEFAULT: &str = "default";

/// The named session, else the only open one, else `default`.
pub(crate) async fn or_default(client: &Client, named: Option<&str>) -> Result<Name, Failure> {
    match named {
        Some(name) => parse(name),
        None => match only_open(client).await? {
            Some(name) => Ok(name),
            None => {
                must_be_visible(client.store(), DEFAULT)?;
                parse(DEFAULT)
            }
        },
    }
}

impl Client {
    /// The session of a call without a name: the only open one, else `default`.
    ///
    /// # Errors
    /// `AMBIGUOUS` with the names if several are open.
    pub async fn usual_session(&self) -> Result<String, Failure> {
        let name = or_default(self, None).await?;
        Ok(name.to_string())
    }
}

/// The named session, else the only open one.
pub(crate) async fn of_open(client: &Client, named: Option<&str>) -> Result<Name, Failure> {
    match named {
        Some(name) => parse(name),
        None => only_open(client).await?.ok_or_else(|| {
            Failure::new(Code::SessionNotFound, "no session is open")
                .hint("open one with `session_open` (`szk open`)")
        }),
    }
}

/// Refuses a name that this client's store does not show, as if there were nothing of that name.
pub(crate) fn must_be_visible(store: &Store, named: &str) -> Result<(), Failure> {
    match Name::parse(named) {
        Ok(name) if !store.admits(&name) => Err(unknown(store, &name)),
        // Whoever uses an invalid name refuses it; a pattern finds only visible profiles.
        _ => Ok(()),
    }
}

/// The patterns of sessions, with those of their clones.
pub(crate) fn with_clones(patterns: &[String]) -> impl Iterator<Item = String> {
    patterns
        .iter()
        .flat_map(|pattern| [pattern.clone(), format!("{pattern}.clone-??????")])
}

/// Refuses a name that is neither stored nor open.
pub(crate) fn must_exist(store: &Store, name: &Name) -> Result<(), Failure> {
    let profile = store.profile(name);
    if profile.exists() || profile.is_live() {
        return Ok(());
    }
    Err(unknown(store, name))
}

/// The failure for a profile that does not exist, with the nearest name that does.
pub(crate) fn unknown(store: &Store, name: &Name) -> Failure {
    let failure = not_open(name, false);
    let profiles = store.list().unwrap_or_default();
    let near = profiles
        .iter()
        .map(|profile| {
            (
                strsim::jaro_winkler(profile.name().as_str(), name.as_str()),
                profile,
            )
        })
        .filter(|(nearness, _)| *nearness > 0.8)
        .max_by(|(a, _), (b, _)| a.total_cmp(b));
    match near {
        Some((_, profile)) => failure.hint(format!(
            "did you mean `{}`? `session_open` (`szk open {name}`) creates a new one",
            profile.name()
        )),
        None => failure,
    }
}

/// The failure for a session that should be open but is not.
pub(crate) fn not_open(name: &Name, stored: bool) -> Failure {
    let message = if stored {
        format!("session `{name}` is not open")
    } else {
        format!("there is no session `{name}`")
    };
    let hint = if stored {
        format!("open it with `session_open` (`szk open {name}`)")
    } else {
        format!(
            "create it with `session_open` (`szk open {name}`), or list the sessions with `session_list` (`szk list`)"
        )
    };
    Failure::new(Code::SessionNotFound, message).hint(hint)
}

/// A new name for an ephemeral copy: the profile's, shortened if needed, and six random digits.
pub(crate) fn of_clone(name: &Name) -> Result<Name, Failure> {
    use std::hash::{BuildHasher, Hasher};
    // The system seeds RandomState; the lock refuses a name that is taken by chance.
    let random = std::hash::RandomState::new().build_hasher().finish() & 0xff_ffff;
    let head: String = name.as_str().chars().take(50).collect();
    parse(&format!("{head}.clone-{random:06x}"))
}

/// Whether a name is one that [`of_clone`] makes.
pub(crate) fn is_clone(name: &Name) -> bool {
    name.as_str()
        .rsplit_once(".clone-")
        .is_some_and(|(_, digits)| {
            digits.len() == 6 && digits.bytes().all(|digit| digit.is_ascii_hexdigit())
        })
}

async fn only_open(client: &Client) -> Result<Option<Name>, Failure> {
    let profiles = client
        .store()
        .list()
        .map_err(|error| failure::store(&error))?;
    let mut open = profiles.into_iter().filter(|profile| profile.is_live());
    match (open.next(), open.next()) {
        (None, _) => Ok(None),
        (Some(only), None) => Ok(Some(only.name().clone())),
        (Some(first), Some(second)) => {
            let rest = open
                .map(|profile| format!(", `{}`", profile.name()))
                .collect::<String>();
            Err(Failure::new(
                Code::Ambiguous,
                format!(
                    "several sessions are open: `{}`, `{}`{rest}",
                    first.name(),
                    second.name()
                ),
            )
            .hint("name one with `session`"))
        }
    }
}
