//! What a client brings back when it calls again: signed, short-lived, and good for one call only.

use std::time::Duration;

use rmcp::model::{ErrorData, RequestStateCodec, SealOptions};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use szk_tools::{Call, Failure, Response};

use super::Way;

/// How long a client may take to come back. A person may have to fetch a token first.
const FRESH: Duration = Duration::from_secs(3600);

/// A call that waits for a person between two requests of the client.
///
/// The client can read it: it holds nothing that the client has not seen or sent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct State {
    /// How the client asks.
    pub(super) way: Way,
    /// The session that was handed over.
    pub(super) session: String,
    /// What the person is asked.
    pub(super) reason: String,
    /// The live view.
    pub(super) url: String,
    /// Whether the person has opened the live view and says there when they are done.
    pub(super) opened: bool,
    /// Requests made for this call so far.
    pub(super) rounds: u32,
    /// What a login returned before the person's part.
    pub(super) login: Option<Before>,
}

/// A call that waits for a person's approval between two requests of the client.
///
/// The client can read it; the token is good only on the keeper's socket, from whoever could do anything
/// there.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Approving {
    /// The keeper's token for the call.
    pub(super) token: String,
    /// Why it was refused.
    pub(super) refused: Failure,
}

/// The answer of a login that needs a person.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Before {
    /// Where it goes on.
    pub(super) tab: String,
    /// Persons asked so far.
    pub(super) parts: u32,
    summary: String,
    data: Value,
    session: Option<String>,
}

impl Before {
    pub(super) fn new(tab: String, parts: u32, response: Response) -> Self {
        Self {
            tab,
            parts,
            summary: response.summary,
            data: response.data,
            session: response.session,
        }
    }

    /// The answer, with what became of the person's part.
    pub(super) fn response(self, ended: &str) -> Response {
        Response {
            summary: format!("{}\n{ended}", self.summary),
            data: self.data,
            session: self.session,
            ..Response::default()
        }
    }
}

/// Signs states with a key of this process.
#[derive(Debug)]
pub(crate) struct Seal(RequestStateCodec);

impl Seal {
    /// A seal with a fresh key.
    ///
    /// # Errors
    /// The system has no randomness.
    pub(crate) fn fresh() -> Result<Self, getrandom::Error> {
        let mut key = [0; RequestStateCodec::MIN_KEY_LENGTH];
        getrandom::fill(&mut key)?;
        Ok(Self(RequestStateCodec::new_unchecked(key)))
    }

    /// A state as text, bound to its call.
    pub(super) fn seal<T: Serialize>(&self, call: &Call, state: &T) -> Result<String, Failure> {
        let bound = bound(call)?;
        let options = SealOptions::new().associated_data(&bound).ttl(FRESH);
        self.0
            .seal_json_with(state, &options)
            .map_err(|error| Failure::internal(error.to_string()))
    }

    /// The state in a text that a client sent with a call.
    ///
    /// # Errors
    /// It is not ours, is too old, or belongs to another call.
    pub(super) fn open<T: DeserializeOwned>(
        &self,
        call: &Call,
        text: &str,
    ) -> Result<T, ErrorData> {
        let bound = bound(call).map_err(|failure| refused(&failure))?;
        self.0
            .open_json_with(text, &bound)
            .map_err(|error| refused(&error))
    }
}

/// What a state is bound to: the operation and its whole input.
fn bound(call: &Call) -> Result<Vec<u8>, Failure> {
    let input = call.encode()?;
    Ok(format!("{}\n{input}", call.spec().name).into_bytes())
}

/// Why a state is not accepted, with the way on.
pub(super) fn refused(why: &dyn std::fmt::Display) -> ErrorData {
    let text = format!("`requestState` is not accepted ({why}): make the call again without it");
    ErrorData::invalid_params(text, None)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn call(reason: &str) -> Call {
        Call::decode("session_handoff", json!({"reason": reason})).unwrap()
    }

    fn state() -> State {
        State {
            way: Way::Url,
            session: "work".into(),
            reason: "a code".into(),
            url: "http://127.0.0.1:1/x/".into(),
            opened: false,
            rounds: 1,
            login: None,
        }
    }

    #[test]
    fn only_the_same_call_opens_a_state() {
        let seal = Seal::fresh().unwrap();
        let text = seal.seal(&call("a"), &state()).unwrap();
        assert_eq!(seal.open::<State>(&call("a"), &text).unwrap(), state());
        let check = |seal: &Seal, call: &Call, text: &str| {
            let refused = seal.open::<State>(call, text).unwrap_err();
            assert_eq!(refused.code.0, -32602, "{refused}");
        };
        check(&seal, &call("b"), &text);
        check(&Seal::fresh().unwrap(), &call("a"), &text);
        check(&seal, &call("a"), "");
        check(&seal, &call("a"), &text.replacen("rs", "sr", 1));
        let mut changed = text.clone();
        let last = changed.pop().unwrap();
        changed.push(if last == 'A' { 'B' } else { 'A' });
        // The last character may hold padding bits; one further in does not.
        let mut inner = text.into_bytes();
        inner[20] = if inner[20] == b'A' { b'B' } else { b'A' };
        check(&seal, &call("a"), &String::from_utf8(inner).unwrap());
    }
}
