//! Asks between two requests of the client, as protocol 2026-07-28 has it.
//!
//! The call returns with a question and a sealed state. The client asks its user and calls again, with
//! the answer and the state. A person who opened the live view may need minutes: the call then returns
//! with a state alone before clients lose patience, and the client calls again at once.

use rmcp::model::{
    ElicitationAction, ErrorData, InputRequest, InputRequiredResult, InputResponses,
};
use szk_client::Approver;
use szk_tools::session::{Handoff, HandoffEnd, HandoffInput, HandoffState};
use szk_tools::workflow::{Login, LoginInput, LoginOutput};
use szk_tools::{Call, Code, Failure, Response};
use tokio_util::sync::CancellationToken;

use super::state::{Approving, Before, Seal, State, refused};
use super::{HANDOFF, LOGIN, PARTS, Person, Way, action, approve, begins, end, wait};
use crate::Caller;
use crate::call::{self, Origin};

/// Name of the question.
const PERSON: &str = "person";

/// How long one request waits for a person: clients give up after 60 seconds.
const WAIT_MS: u64 = 45_000;

/// Requests for one call. Clients make at most ten.
const ROUNDS: u32 = 8;

/// What a request comes to.
#[derive(Debug)]
pub(crate) enum Outcome {
    /// The call is over.
    Over(Result<Response, Failure>),
    /// The client must come back.
    Asks(InputRequiredResult),
}

/// One request.
pub(crate) struct Round<'a, C> {
    pub(crate) caller: &'a C,
    pub(crate) origin: &'a Origin,
    pub(crate) stop: &'a CancellationToken,
    pub(crate) seal: &'a Seal,
    /// Whom the client asks, if it can.
    pub(crate) person: Option<Person>,
    /// The approval that the person has given.
    pub(crate) agreed: Option<String>,
}

impl<C: Caller> Round<'_, C> {
    /// Runs a call, or goes on with one.
    ///
    /// # Errors
    /// A state that is not accepted.
    pub(crate) async fn run(
        &self,
        call: Call,
        state: Option<&str>,
        said: Option<&InputResponses>,
    ) -> Result<Outcome, ErrorData> {
        if let Some(text) = state
            && let Ok(approving) = self.seal.open::<Approving>(&call, text)
        {
            let said = said.and_then(|said| action(said.get(PERSON)?));
            return self.answered(call, approving, said).await;
        }
        self.begin(call, state, said).await
    }

    /// The person has been asked whether the call may be made.
    async fn answered(
        &self,
        call: Call,
        approving: Approving,
        said: Option<ElicitationAction>,
    ) -> Result<Outcome, ErrorData> {
        match said {
            Some(ElicitationAction::Accept) => {
                let again = Round {
                    agreed: Some(approving.token),
                    ..*self
                };
                Box::pin(again.begin(call, None, None)).await
            }
            Some(_) => Ok(Outcome::Over(Err(approve::declined(approving.refused)))),
            None => Ok(Outcome::Over(Err(approve::unanswered(approving.refused)))),
        }
    }

    async fn begin(
        &self,
        call: Call,
        state: Option<&str>,
        said: Option<&InputResponses>,
    ) -> Result<Outcome, ErrorData> {
        let asked = call.clone();
        let outcome = match (state, &call) {
            (Some(text), Call::SessionHandoff(_) | Call::WorkflowLogin(_)) => {
                let state = self.seal.open::<State>(&call, text)?;
                let said = said.and_then(|said| action(said.get(PERSON)?));
                self.resume(&call, state, said).await
            }
            (Some(_), _) => return Err(refused(&"this call asks nobody")),
            (None, _) => match (self.person.map(|person| person.way), call) {
                (Some(way), Call::SessionHandoff(input)) => self.handoff(way, input).await,
                (Some(way), Call::WorkflowLogin(input)) => {
                    self.login(way, &input.clone().into(), input, 0, 1).await
                }
                (_, call) => self.call(call).await.map(Next::over),
            },
        };
        Ok(match outcome {
            Ok(Next::Over(response)) => Outcome::Over(Ok(*response)),
            Ok(Next::Asks(asks)) => Outcome::Asks(*asks),
            Err(failure) if state.is_none() => self.refused(&asked, failure),
            Err(failure) => Outcome::Over(Err(failure)),
        })
    }

    /// Asks whether a call may be made that was refused because nobody has approved it.
    fn refused(&self, call: &Call, failure: Failure) -> Outcome {
        let Some(approval) = &failure.approval else {
            return Outcome::Over(Err(failure));
        };
        let approving = Approving {
            token: approval.token.clone(),
            refused: failure.clone(),
        };
        let text = self.seal.seal(call, &approving);
        match (approve::question(&failure), text) {
            (Some(question), Ok(text)) => {
                let questions = [(PERSON.to_owned(), InputRequest::Elicitation(question))];
                let asks = InputRequiredResult::new(Some(questions.into()), Some(text));
                Outcome::Asks(asks)
            }
            _ => Outcome::Over(Err(failure)),
        }
    }

    async fn call(&self, call: impl Into<Call>) -> Result<Response, Failure> {
        let approver = match &self.agreed {
            Some(token) => Approver::Agreed(token),
            None if self.person.is_some_and(|person| person.forms) => Approver::Person,
            None => Approver::Nobody,
        };
        call::run(self.caller, call.into(), approver, self.origin, self.stop).await
    }

    async fn handoff(&self, way: Way, input: HandoffInput) -> Result<Next, Failure> {
        if !begins(&input) {
            return self.call(input).await.map(Next::over);
        }
        let first = HandoffInput {
            wait: None,
            ..input.clone()
        };
        let response = self.call(first).await?;
        let Ok(open) = response.read::<Handoff>() else {
            return Ok(Next::over(response));
        };
        let Some(url) = open.url.filter(|_| open.state == HandoffState::Waiting) else {
            return Ok(Next::over(response));
        };
        let state = State {
            way,
            session: open.session,
            reason: input.reason.clone().unwrap_or_else(|| HANDOFF.to_owned()),
            url,
            opened: false,
            rounds: 1,
            login: None,
        };
        self.asks(&input.into(), &state)
    }

    /// Signs in as far as it goes; `call` is what the client asked for, `input` where it stands.
    async fn login(
        &self,
        way: Way,
        call: &Call,
        input: LoginInput,
        parts: u32,
        rounds: u32,
    ) -> Result<Next, Failure> {
        let response = self.call(input).await?;
        let Ok(LoginOutput {
            session,
            tab,
            handoff_url: Some(url),
            ..
        }) = response.read::<Login>()
        else {
            return Ok(Next::over(response));
        };
        if parts == PARTS || rounds == ROUNDS {
            return Ok(Next::over(response));
        }
        let state = State {
            way,
            session,
            reason: LOGIN.to_owned(),
            url,
            opened: false,
            rounds,
            login: Some(Before::new(tab, parts + 1, response)),
        };
        self.asks(call, &state)
    }

    /// The client is back.
    async fn resume(
        &self,
        call: &Call,
        mut state: State,
        said: Option<ElicitationAction>,
    ) -> Result<Next, Failure> {
        let ended = match (said, state.way) {
            _ if state.opened => self.wait(&state).await?,
            (Some(ElicitationAction::Accept), Way::Url) => {
                state.opened = true;
                self.wait(&state).await?
            }
            (Some(ElicitationAction::Accept), Way::Form) => {
                self.end(&state, HandoffEnd::Done).await?
            }
            (Some(_), _) => self.end(&state, HandoffEnd::GivenUp).await?,
            // It brought no answer.
            (None, _) if state.rounds < ROUNDS => {
                state.rounds += 1;
                return self.asks(call, &state);
            }
            (None, _) => self.wait(&state).await?,
        };
        let how = ended.read::<Handoff>()?.state;
        if how == HandoffState::Waiting && state.rounds < ROUNDS {
            state.rounds += 1;
            let text = self.seal.seal(call, &state)?;
            return Ok(Next::asks(InputRequiredResult::from_request_state(text)));
        }
        match (state.login, call) {
            (Some(before), Call::WorkflowLogin(input)) if how == HandoffState::Done => {
                // From where the person left the page.
                let input = LoginInput {
                    url: None,
                    session: Some(state.session),
                    tab: Some(before.tab),
                    ..input.clone()
                };
                self.login(state.way, call, input, before.parts, state.rounds + 1)
                    .await
            }
            (Some(before), _) => Ok(Next::over(before.response(&ended.summary))),
            (None, _) => Ok(Next::over(ended)),
        }
    }

    async fn wait(&self, state: &State) -> Result<Response, Failure> {
        self.call(wait(&state.session, Some(WAIT_MS))).await
    }

    /// Ends the hand-off; the person may have done so before, in the live view.
    async fn end(&self, state: &State, how: HandoffEnd) -> Result<Response, Failure> {
        match self.call(end(&state.session, how)).await {
            Err(failure) if failure.code == Code::NotFound => self.wait(state).await,
            ended => ended,
        }
    }

    fn asks(&self, call: &Call, state: &State) -> Result<Next, Failure> {
        let question = state
            .way
            .question(&state.reason, &state.url)
            .ok_or_else(|| Failure::internal("the question to the person could not be written"))?;
        let questions = [(PERSON.to_owned(), InputRequest::Elicitation(question))];
        let text = self.seal.seal(call, state)?;
        Ok(Next::asks(InputRequiredResult::new(
            Some(questions.into()),
            Some(text),
        )))
    }
}

/// What a step comes to.
enum Next {
    Over(Box<Response>),
    Asks(Box<InputRequiredResult>),
}

impl Next {
    fn over(response: Response) -> Self {
        Self::Over(Box::new(response))
    }

    fn asks(result: InputRequiredResult) -> Self {
        Self::Asks(Box::new(result))
    }
}
