//! How a client's connection ends.

use tokio_tungstenite::tungstenite::protocol::CloseFrame;
use tokio_tungstenite::tungstenite::protocol::frame::coding::CloseCode;

/// The reason.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    /// The client disconnected.
    Left,
    /// It closed the browser, from its point of view.
    Goodbye,
    /// It sent a message that is too large.
    TooBig,
    /// It sent something other than WebSocket messages.
    NotWebSocket,
    /// It does not read its messages.
    Slow,
    /// The target it is attached to went away.
    TargetGone,
    /// The browser went away, or was replaced by another.
    BrowserGone,
    /// Someone disconnected it.
    Disconnected,
    /// The endpoint closes.
    ListenerClosed,
}

impl End {
    /// The reason for the client; `None` if it would not receive it.
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
