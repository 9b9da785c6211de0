//! Answers of the browser to the shield.

use serde_json::value::RawValue;
use serde_json::{Value, json};
use szk_cdp::frames::FrameTree;
use szk_cdp::{RemoteError, SessionId};

use super::Shield;
use super::act::{Act, Ask, Frame, Of, Step};
use super::bindings::kept;
use super::contexts::context_of;

impl Shield {
    /// Handles an answer, and returns what follows from it.
    pub(crate) fn reply(
        &mut self,
        ask: Ask,
        result: &Result<Box<RawValue>, RemoteError>,
    ) -> Vec<Act> {
        let Ask { session, step } = ask;
        let text = result.as_ref().ok().map(|result| result.get());
        match step {
            Step::Nothing => Vec::new(),
            Step::StandIn(name) => {
                self.stands_in(&session, &name, text.and_then(read));
                Vec::new()
            }
            Step::Kept(name, context) => {
                kept(&session, &name, context, text.and_then(read)).collect()
            }
            Step::Tree => self.tree(&session, text),
            Step::Worker => {
                let root = self.realms.get(&session).map(|realm| realm.root.clone());
                let context = text.and_then(read).and_then(|it| context_of(&it["result"]));
                let mut acts = match (root, context) {
                    (Some(root), Some(id)) => self.announce(&session, &root, id, ""),
                    _ => Vec::new(),
                };
                acts.extend(self.started(&session));
                acts
            }
            Step::Frame(frame, of) => self.frame(&session, frame, of, text.and_then(read)),
        }
    }

    fn tree(&mut self, session: &SessionId, text: Option<&str>) -> Vec<Act> {
        let tree: Option<FrameTree> = text.and_then(|text| serde_json::from_str(text).ok());
        let mut acts = Vec::new();
        for info in tree.iter().flat_map(FrameTree::iter) {
            // Attached since the tree was asked for; `Page.frameNavigated` is yet to come.
            let begins = |frame: &super::realm::Frame| !frame.asked && info.url.is_empty();
            let realm = self.realms.get(session);
            if realm
                .and_then(|realm| realm.frames.get(&info.id))
                .is_some_and(begins)
            {
                continue;
            }
            acts.extend(self.arrive(session, info.clone(), true));
        }
        acts.extend(self.started(session));
        acts
    }

    fn frame(
        &mut self,
        session: &SessionId,
        frame: Frame,
        of: Of,
        answer: Option<Value>,
    ) -> Vec<Act> {
        let here = self
            .realms
            .get(session)
            .and_then(|realm| realm.frames.get(&frame.id));
        let stale = here.is_none_or(|here| here.visit != frame.visit);
        let first = frame.first;
        let mut acts = match answer.filter(|_| !stale) {
            Some(answer) => match self.follow(session, frame, of, &answer) {
                Followed::Asks(act) => return vec![act],
                Followed::Ends(acts) => acts,
            },
            None => Vec::new(),
        };
        if first {
            acts.extend(self.started(session));
        }
        acts
    }

    fn follow(&mut self, session: &SessionId, frame: Frame, of: Of, answer: &Value) -> Followed {
        match of {
            Of::Main => match context_of(&answer["result"]).or(context_of(&answer["object"])) {
                Some(id) => Followed::Ends(self.announce(session, &frame.id, id, "")),
                None => Followed::Ends(Vec::new()),
            },
            Of::World(world) => match answer["executionContextId"].as_i64() {
                Some(id) => Followed::Ends(self.announce(session, &frame.id, id, &world)),
                None => Followed::Ends(Vec::new()),
            },
            Of::Owner => {
                let params = json!({"backendNodeId": answer["backendNodeId"]});
                let step = Step::Frame(frame, Of::Document);
                Followed::Asks(Ask::act(session, "DOM.describeNode", &params, step))
            }
            Of::Document => {
                let document = &answer["node"]["contentDocument"]["backendNodeId"];
                if document.is_null() {
                    // It now has a process and a session of its own.
                    return Followed::Ends(Vec::new());
                }
                let params = json!({"backendNodeId": document});
                let step = Step::Frame(frame, Of::Main);
                Followed::Asks(Ask::act(session, "DOM.resolveNode", &params, step))
            }
        }
    }

    /// One of the questions that `Runtime.enable` waits for is answered; with the last one, so is
    /// `Runtime.enable`.
    fn started(&mut self, session: &SessionId) -> Option<Act> {
        let starting = &mut self.realms.get_mut(session)?.starting;
        let (_, left) = starting.as_mut()?;
        *left = left.saturating_sub(1);
        if *left > 0 {
            return None;
        }
        starting.take().map(|(caller, _)| Act::Answer(caller))
    }
}

enum Followed {
    /// One answer leads to another question.
    Asks(Act),
    Ends(Vec<Act>),
}

fn read(text: &str) -> Option<Value> {
    serde_json::from_str(text).ok()
}
