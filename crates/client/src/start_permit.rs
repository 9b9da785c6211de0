//! Starts a keeper in this process: one at a time, as everywhere.

use szk_store::StartLock;
use szk_tools::Failure;
use szk_wire::{Start, failure, names};
use tokio::task::spawn_blocking;

use crate::Client;

/// The right to start the keeper of a profile, for as long as it is held. Starters in other processes
/// wait meanwhile, and then join our keeper.
#[derive(Debug)]
pub struct StartPermit {
    _lock: StartLock,
}

impl Client {
    /// The right to start this profile's keeper, or `None` if it already has one.
    ///
    /// # Errors
    /// `SESSION_LIMIT` if `[session] max_open` sessions are open, or an error of the disk.
    pub async fn start_permit(&self, start: &Start) -> Result<Option<StartPermit>, Failure> {
        let profile = self.store().profile(&names::parse(&start.session)?);
        if !profile.is_live() {
            self.room_for(&profile)?;
        }
        // Waiting for another starter blocks, so it gets a thread of its own.
        let taken = spawn_blocking(move || {
            if profile.is_live() {
                return Ok(None);
            }
            profile.create()?;
            let lock = profile.start_lock()?;
            Ok((!profile.is_live()).then_some(StartPermit { _lock: lock }))
        });
        taken
            .await
            .map_err(|error| Failure::internal(format!("cannot wait for the start lock: {error}")))?
            .map_err(|error| failure::store(&error))
    }
}
