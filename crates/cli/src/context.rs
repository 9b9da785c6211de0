//! What a command works with: the client, and the way it speaks.

use std::sync::Arc;

use szk_client::{Client, Who};
use szk_tools::{Failure, Operation, Response};

use crate::args::Global;
use crate::error::CliError;
use crate::ui::Ui;

/// Whether keepers should count this process as somebody who is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Presence {
    /// One call and gone.
    Visit,
    /// Until this process ends: a clone lives as long, and a session does not idle out.
    Stay,
}

/// The client of one command.
#[derive(Clone)]
pub(crate) struct Context {
    /// Finds, starts and calls keepers.
    pub(crate) client: Arc<Client>,
    /// How answers are written.
    pub(crate) ui: Ui,
}

impl Context {
    /// Reads the configuration and is ready to call.
    ///
    /// # Errors
    /// `INVALID_CONFIG` with every mistake found.
    pub(crate) fn new(global: &Global, presence: Presence) -> Result<Self, Failure> {
        Ok(Self {
            client: Arc::new(client(global, "cli", presence)?),
            ui: Ui::new(global),
        })
    }

    /// The same for a command that hands the endpoint out: sessions it opens share from the start.
    ///
    /// # Errors
    /// `INVALID_CONFIG` with every mistake found.
    pub(crate) fn sharing(global: &Global, presence: Presence) -> Result<Self, Failure> {
        Ok(Self {
            client: Arc::new(client(global, "cli", presence)?.sharing().for_person()),
            ui: Ui::new(global),
        })
    }

    /// Calls an operation, showing its progress to a person who waits.
    ///
    /// # Errors
    /// What the operation fails with.
    pub(crate) async fn call<O: Operation>(&self, input: &O::Input) -> Result<Response, Failure>
    where
        O::Input: Sync,
    {
        let line = self.ui.progress();
        let report = |progress| line.report(&progress);
        self.client.run::<O>(input.clone(), &report).await
    }

    /// Calls an operation and reads its output.
    ///
    /// # Errors
    /// What the operation fails with.
    pub(crate) async fn output<O: Operation>(&self, input: &O::Input) -> Result<O::Output, CliError>
    where
        O::Input: Sync,
    {
        Ok(self.call::<O>(input).await?.read::<O>()?)
    }
}

/// A client that keepers know as `name`.
pub(crate) fn client(global: &Global, name: &str, presence: Presence) -> Result<Client, Failure> {
    let client = Client::from_process(Who {
        name: name.to_owned(),
        detail: None,
        present: presence == Presence::Stay,
    })?;
    Ok(match &global.store {
        Some(store) => client.with_store(store.clone()),
        None => client,
    })
}
