//! Commands that the endpoint sends in a client's name.

use szk_cdp::{Command, SendError, SessionId};

use super::client::Client;
use super::end::End;
use super::pending::{OnReply, PendingCommand};

impl Client {
    /// Sends a command of ours on a session of the client. Returns `then` if there will be no reply: the
    /// session has just ended, or the pipe is full.
    pub(super) fn order(
        &mut self,
        session: &SessionId,
        command: &impl Command,
        then: OnReply,
    ) -> Result<Option<OnReply>, End> {
        let number = self.pending.insert(PendingCommand::ours(then));
        match self.lease.member.post(number, session, command) {
            Ok(()) => Ok(None),
            Err(SendError::Closed) => Err(End::BrowserGone),
            Err(SendError::NotYours | SendError::Full) => {
                Ok(self.pending.take(number).map(|command| command.then))
            }
        }
    }

    /// Sends such a command without waiting for its answer.
    pub(super) fn tell(&mut self, session: &SessionId, command: &impl Command) -> Result<(), End> {
        self.order(session, command, OnReply::Nothing).map(drop)
    }
}
