//! Steps that `[policy] approve` names: the person has agreed to their kind beforehand, or is asked.

use szk_client::Approver;
use szk_tools::failure::Approval;
use szk_tools::{Call, Failure, Response};

use crate::effect;
use crate::running::Running;

impl Running<'_> {
    /// Calls an operation within the origins of the task, and again when the person agrees to what it would
    /// do.
    pub(super) async fn call(&mut self, call: Call) -> Result<Response, Failure> {
        let came = self.called(&call).await;
        if let Ok(Response {
            live_view: Some(view),
            ..
        }) = &came
        {
            (self.agent.live_view)(view);
        }
        if !effect::only_looks(&call) {
            self.effect.note(came.as_ref().map(|_| ()));
        }
        came
    }

    async fn called(&self, call: &Call) -> Result<Response, Failure> {
        let (agent, task) = (self.agent, self.task);
        let approver = match agent.agree.is_some() || !task.approve.is_empty() {
            true => Approver::Person,
            // A person who looks at the live view is asked there.
            false => Approver::Nobody,
        };
        let mut approval: Option<Box<Approval>> = None;
        loop {
            let approver = match &approval {
                Some(approval) => Approver::Agreed(&approval.token),
                None => approver,
            };
            // What an act turns out to do is known only once it begins: there may be several questions.
            let client = agent.client;
            let called = client.call_within(call.clone(), &self.origins, approver, &|_| {});
            let failure = match called.await {
                Err(failure) if failure.approval.is_some() => failure,
                outcome => return outcome,
            };
            let offered = failure.approval.clone();
            approval = match offered {
                Some(offered) if self.agrees(&failure).await => Some(offered),
                _ => None,
            };
            if approval.is_none() {
                return Err(Failure {
                    approval: None,
                    ..failure
                });
            }
        }
    }

    async fn agrees(&self, failure: &Failure) -> bool {
        let known = |kind: &String| self.task.approve.contains(kind);
        let beforehand = !failure.approve.is_empty() && failure.approve.iter().all(known);
        beforehand || self.agent.agrees(&failure.message).await
    }
}
