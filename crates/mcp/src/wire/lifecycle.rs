//! Which messages may come when: the handshake of each protocol generation.
//!
//! rmcp ends a session whose first message is neither a request nor part of a handshake, so such a
//! message must not reach it before the session is open.

use rmcp::model::{
    ClientJsonRpcMessage, ClientRequest, ErrorCode, GetMeta as _, JsonRpcMessage, ProtocolVersion,
    ServerJsonRpcMessage, ServerResult,
};

use super::decode::Refusal;

/// Progress of the handshake.
#[derive(Debug, Default)]
pub(crate) struct Lifecycle {
    /// Whether an `initialize`, or a request with the 2026-07-28 `_meta`, has passed.
    open: bool,
    /// The version negotiated by `initialize`.
    agreed: Option<ProtocolVersion>,
}

/// Whether to pass a message on.
#[derive(Debug)]
pub(crate) enum Admission {
    /// Pass it on.
    Admitted,
    /// Drop it; it wants no answer.
    Ignored,
    /// Reject it with this answer.
    Refused(Refusal),
}

impl Lifecycle {
    /// Judges a message from the client.
    pub(crate) fn admit(&mut self, message: &ClientJsonRpcMessage) -> Admission {
        if self.open {
            return Admission::Admitted;
        }
        let JsonRpcMessage::Request(request) = message else {
            return Admission::Ignored;
        };
        let meta = request.request.get_meta();
        match &request.request {
            ClientRequest::InitializeRequest(_) => self.open = true,
            ClientRequest::PingRequest(_) | ClientRequest::DiscoverRequest(_) => {}
            _ => match meta.protocol_version() {
                None => {
                    return Admission::Refused(Refusal::new(
                        Some(request.id.clone()),
                        ErrorCode::INVALID_REQUEST,
                        "not initialized: send `initialize` first, or, from protocol 2026-07-28 on, \
                         name the protocol version and the client's capabilities in `params._meta`",
                    ));
                }
                // The same condition by which rmcp opens a session; it rejects the rest itself.
                Some(version) => {
                    self.open = ProtocolVersion::KNOWN_VERSIONS.contains(&version)
                        && meta
                            .missing_required_keys(&ProtocolVersion::V_2026_07_28)
                            .is_empty();
                }
            },
        }
        Admission::Admitted
    }

    /// Records what a message to the client settles.
    pub(crate) fn note(&mut self, message: &ServerJsonRpcMessage) {
        if let JsonRpcMessage::Response(response) = message
            && let ServerResult::InitializeResult(result) = &response.result
        {
            self.agreed = Some(result.protocol_version.clone());
        }
    }

    /// Why a batch of `len` messages is rejected, if it is.
    pub(crate) fn refuse_batch(&self, len: usize) -> Option<Refusal> {
        if self.agreed != Some(ProtocolVersion::V_2025_03_26) {
            return Some(Refusal::invalid(
                "batches exist in protocol 2025-03-26 only: send one message a line",
            ));
        }
        (len == 0).then(|| Refusal::invalid("a batch must not be empty"))
    }
}
