//! Who makes calls: what several clients of one session are told apart by.

use std::fmt::Write as _;

use serde::{Deserialize, Serialize};
use szk_store::process;

/// Header with the [`Client`] of a call, as JSON in ASCII.
pub const IDENTITY_HEADER: &str = "x-szk-client-identity";

/// Longest name, in characters.
const NAME: usize = 80;
/// Longest id, in bytes.
const ID: usize = 400;

/// One client of a session: an MCP connection, a terminal, or whoever shares a name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Client {
    /// The same for all its calls, and no other client's.
    pub id: String,
    /// Its name for people, such as `Claude Code` or `terminal 4711`.
    pub name: String,
    /// The process that it lives as long as, for a client that keeps no connection open.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub process: Option<Process>,
    /// Through which front end it calls: `mcp`, `cli` or `http`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub front: Option<String>,
    /// The name of its token of `szk serve`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token: Option<String>,
}

/// A process, distinguished from later ones with the same pid.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Process {
    /// Its pid.
    pub pid: u32,
    /// When it started, if the system says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub started: Option<u64>,
}

impl Client {
    /// A connection that this process serves: `front` and a number tell it apart from its others.
    #[must_use]
    pub fn of_connection(front: &str, number: u64) -> Self {
        let own = Process::of(std::process::id());
        let (pid, started) = (own.pid, own.started.unwrap_or_default());
        Self {
            id: format!("{front}-{pid}-{started}-{number}"),
            name: format!("{front}, pid {pid}"),
            process: Some(own),
            front: Some(front.to_owned()),
            token: None,
        }
    }

    /// The terminal session of this process: all commands typed in one shell are one client.
    #[must_use]
    pub fn of_terminal() -> Self {
        let leader = Process::of(process::session_leader());
        let started = leader.started.unwrap_or_default();
        Self {
            id: format!("terminal-{}-{started}", leader.pid),
            name: format!("terminal {}", leader.pid),
            process: Some(leader),
            front: Some("cli".to_owned()),
            token: None,
        }
    }

    /// Who uses `szk serve` with this token, and calls itself `name` if it says so: the same client for
    /// every server of this store.
    #[must_use]
    pub fn of_token(token: &str, name: Option<&str>) -> Self {
        let whole = match name {
            Some(name) => format!("{name} ({token})"),
            None => token.to_owned(),
        };
        let named = Self::named(&whole);
        Self {
            id: format!("token-{}", named.id),
            process: Some(Process::of(std::process::id())),
            front: Some("http".to_owned()),
            token: Some(token.to_owned()),
            ..named
        }
    }

    /// Whoever calls itself this, from wherever it calls.
    #[must_use]
    pub fn named(name: &str) -> Self {
        let mut id = String::from("name-");
        for byte in name.bytes().take(ID) {
            match byte {
                b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' => {
                    id.push(char::from(byte));
                }
                other => {
                    // Writing to a string does not fail.
                    let _ = write!(id, "%{other:02X}");
                }
            }
        }
        Self {
            id,
            name: shown(name),
            process: Self::of_terminal().process,
            front: None,
            token: None,
        }
    }

    /// The same client, which calls through the front end of another one.
    #[must_use]
    pub fn through(self, other: &Self) -> Self {
        Self {
            front: other.front.clone(),
            token: other.token.clone(),
            ..self
        }
    }

    /// Whether somebody chose its name, and so which calls are one client's.
    #[must_use]
    pub fn is_named(&self) -> bool {
        self.id.starts_with("name-")
    }

    /// Whether it is who uses a token of `szk serve`: what names the server's own client says nothing of it.
    #[must_use]
    pub fn has_token(&self) -> bool {
        self.id.starts_with("token-")
    }

    /// The same client under the name that its program gives itself.
    #[must_use]
    pub fn called(mut self, name: &str) -> Self {
        let name = shown(name);
        if !name.is_empty() {
            self.name = name;
        }
        self
    }

    /// The value of [`IDENTITY_HEADER`].
    #[must_use]
    pub fn header(&self) -> String {
        let text = serde_json::to_string(self).unwrap_or_default();
        let mut ascii = String::with_capacity(text.len());
        for c in text.chars() {
            if c.is_ascii() {
                ascii.push(c);
            } else {
                let mut units = [0; 2];
                for unit in c.encode_utf16(&mut units) {
                    let _ = write!(ascii, "\\u{unit:04x}");
                }
            }
        }
        ascii
    }

    /// Reads [`IDENTITY_HEADER`]. A client without one, of an older szk, is known by its `label` alone.
    #[must_use]
    pub fn read(header: Option<&str>, label: &str) -> Self {
        let read = header.and_then(|header| serde_json::from_str::<Self>(header).ok());
        let known = read.filter(|client| !client.id.is_empty() && client.id.len() <= 4 * ID);
        let client = known.unwrap_or_else(|| Self {
            id: format!("label-{label}"),
            name: label.to_owned(),
            process: None,
            front: None,
            token: None,
        });
        Self {
            name: shown(&client.name),
            front: client.front.as_deref().map(shown),
            token: client.token.as_deref().map(shown),
            ..client
        }
    }

    /// Whether the process that it lives as long as still runs; true for one that names none.
    #[must_use]
    pub fn may_live(&self) -> bool {
        self.process
            .is_none_or(|Process { pid, started }| process::is_alive(pid, started))
    }
}

impl Process {
    fn of(pid: u32) -> Self {
        Self {
            pid,
            started: process::start_time(pid),
        }
    }
}

/// A name on one line, without anything that steers a terminal, and not endless.
fn shown(name: &str) -> String {
    let printable = name.chars().filter(|c| !c.is_control());
    let name: String = printable.take(NAME).collect();
    name.trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_client_survives_the_header_whatever_its_name() {
        let client = Client::of_connection("mcp", 1).called("Zażółć \"x\"\n🦀");
        let header = client.header();
        assert!(header.is_ascii() && !header.contains('\n'), "{header}");
        let read = Client::read(Some(&header), "mcp");
        assert_eq!(read, client);
        assert_eq!(read.name, "Zażółć \"x\"🦀");
        assert!(read.may_live());
    }

    #[test]
    fn names_are_clients_and_different_names_are_different_ones() {
        assert_eq!(Client::named("ci").id, Client::named("ci").id);
        assert_ne!(Client::named("ć").id, Client::named("ś").id);
        assert_eq!(Client::of_terminal(), Client::of_terminal());
        assert!(Client::named("ci").is_named() && !Client::named("ci").has_token());
        assert!(Client::of_token("ci", None).has_token());
        assert_ne!(
            Client::of_connection("mcp", 1).id,
            Client::of_connection("mcp", 2).id
        );
    }

    #[test]
    fn a_client_of_an_older_szk_is_known_by_its_label() {
        for header in [None, Some(""), Some("{}"), Some(r#"{"id":"","name":"x"}"#)] {
            let client = Client::read(header, "mcp");
            assert_eq!((&*client.id, &*client.name), ("label-mcp", "mcp"));
        }
    }

    #[test]
    fn a_client_ends_with_its_process() {
        let mut client = Client::of_terminal();
        if let Some(process) = &mut client.process {
            process.started = Some(1);
        }
        assert!(!client.may_live() || cfg!(not(target_os = "linux")));
    }
}
