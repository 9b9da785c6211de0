//! What a command works with: the client, and how it prints.

use std::sync::Arc;

use szk_client::{Approver, Caller, Client, Identity};
use szk_tools::{Failure, Operation, Response};

use crate::args::Global;
use crate::commands::confirm;
use crate::error::CliError;
use crate::render::spoken::Speech;
use crate::render::text::printable_lines;
use crate::ui::Ui;

/// Whether keepers should count this process as present.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Presence {
    /// For one call only.
    Visit,
    /// Until this process exits: a clone lives that long, and a session does not idle out.
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
    /// Reads the configuration and prepares to call.
    ///
    /// # Errors
    /// `INVALID_CONFIG` with every mistake found.
    pub(crate) fn new(global: &Global, presence: Presence) -> Result<Self, Failure> {
        Ok(Self {
            client: Arc::new(client(global, Identity::of_terminal(), presence)?),
            ui: Ui::new(global),
        })
    }

    /// The same for a command that hands out the endpoint: the sessions it opens share it from the
    /// start.
    ///
    /// # Errors
    /// `INVALID_CONFIG` with every mistake found.
    pub(crate) fn sharing(global: &Global, presence: Presence) -> Result<Self, Failure> {
        Ok(Self {
            client: Arc::new(
                client(global, Identity::of_terminal(), presence)?
                    .sharing()
                    .for_person(),
            ),
            ui: Ui::new(global),
        })
    }

    /// Calls an operation and shows its progress to a waiting person.
    ///
    /// # Errors
    /// The operation's failure.
    pub(crate) async fn call<O: Operation>(&self, input: &O::Input) -> Result<Response, Failure> {
        let line = self.ui.progress();
        let report = |progress| line.report(&progress);
        let approver = match confirm::somebody() {
            true => Approver::Person,
            false => Approver::Nobody,
        };
        let asked = self
            .client
            .call_approved(input.clone().into(), approver, &report);
        let mut outcome = asked.await;
        drop(line);
        // What a call turns out to do is asked once it is known: there may be several questions.
        while let Err(Failure {
            approval: Some(_), ..
        }) = &outcome
        {
            outcome = self.asked::<O>(input, outcome).await;
        }
        outcome
    }

    /// Asks the person about a call that was refused, and makes it again if they agree.
    async fn asked<O: Operation>(
        &self,
        input: &O::Input,
        outcome: Result<Response, Failure>,
    ) -> Result<Response, Failure> {
        let failure = match outcome {
            Err(failure) => failure,
            done => return done,
        };
        let Some(approval) = &failure.approval else {
            return Err(failure);
        };
        let question = format!(
            "{}\nLet this happen, once?",
            Speech::default().message(&printable_lines(&failure.message))
        );
        if confirm::ask(&question, "").is_err() {
            return Err(Failure {
                message: format!("the person said no: {}", failure.message),
                approval: None,
                ..failure
            });
        }
        let line = self.ui.progress();
        let report = |progress| line.report(&progress);
        let approver = Approver::Agreed(&approval.token);
        let again = self
            .client
            .call_approved(input.clone().into(), approver, &report);
        again.await
    }

    /// Calls an operation and decodes its output.
    ///
    /// # Errors
    /// The operation's failure.
    pub(crate) async fn output<O: Operation>(
        &self,
        input: &O::Input,
    ) -> Result<O::Output, CliError> {
        Ok(self.call::<O>(input).await?.read::<O>()?)
    }
}

/// A client that keepers know by what `--client` says, else by `usual`.
pub(crate) fn client(
    global: &Global,
    usual: Identity,
    presence: Presence,
) -> Result<Client, Failure> {
    let named = global.client_name.as_deref();
    let named = named.map(|name| Identity::named(name).through(&usual));
    let client = Client::from_process(Caller {
        client: named.unwrap_or(usual),
        present: presence == Presence::Stay,
    })?;
    Ok(match &global.store {
        Some(store) => client.with_store(store.clone()),
        None => client,
    })
}
