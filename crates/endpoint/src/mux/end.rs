//! How a client's connection ends.

use tokio_tungstenite::tungstenite::protocol::CloseFrame;
use tokio_tungstenite::tungstenite::protocol::frame::coding::CloseCode;

/// Why it ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    /// The client hung up.
    Left,
    /// It closed the browser, as far as it is concerned.
    Goodbye,
    /// It sent a message that is too big.
    TooBig,
    /// It sent what is no WebSocket message.
    NotWebSocket,
    /// It does not read.
    Slow,
    /// The target that it is attached to went away.
    TargetGone,
    /// The browser went away, or was replaced by another.
    BrowserGone,
    /// Somebody sent it away.
    Disconnected,
    /// The endpoint closes.
    ListenerClosed,
}

impl End {
    /// What the client is told; `None` where it would not hear it.
    pub(super) fn frame(self) -> Option<CloseFrame> {
        let (code, reason) = match self {
            Self::Left | Self::Slow => return None,
            Self::Goodbye => (CloseCode::Normal, ""),
            Self::TooBig => (CloseCode::Size, "the message is too big"),
            Self::NotWebSocket => (CloseCode::Protocol, ""),
            Self::TargetGone => (CloseCode::Normal, "the target went away"),
            Self::BrowserGone => (CloseCode::Restart, "the browser went away; connect again"),
            Self::Disconnected => (
                CloseCode::Policy,
                "disconnected by the owner of the profile",
            ),
            Self::ListenerClosed => (CloseCode::Away, "the endpoint is closing"),
        };
        Some(CloseFrame {
            code,
            reason: reason.into(),
        })
    }
}
