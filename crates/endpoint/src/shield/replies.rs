//! Answers of the browser to the shield.

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;
use szk_cdp::frames::{FrameTree, IsolatedWorld};
use szk_cdp::protocol::dom::{BackendNodeId, DescribeNodeParams, ResolveNodeParams};
use szk_cdp::{RemoteError, SessionId, json};

use super::Shield;
use super::act::{Act, Ask, Frame, Of, Step};
use super::bindings::kept;
use super::contexts::context_of;

/// The answer to `Runtime.evaluate`, or to `DOM.resolveNode`.
#[derive(Deserialize)]
struct Found {
    #[serde(alias = "object")]
    result: Object,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Object {
    object_id: String,
}

/// The answer to `DOM.getFrameOwner`.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Owner {
    backend_node_id: i64,
}

/// The answer to `DOM.describeNode`.
#[derive(Deserialize)]
struct Described {
    node: Node,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Node {
    content_document: Document,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Document {
    backend_node_id: i64,
}

impl Found {
    fn context(&self) -> Option<i64> {
        context_of(&self.result.object_id)
    }
}

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
                let context = text.and_then(read).and_then(|found: Found| found.context());
                let mut acts = match (root, context) {
                    (Some(root), Some(id)) => self.announce(&session, &root, id, ""),
                    _ => Vec::new(),
                };
                acts.extend(self.started(&session));
                acts
            }
            Step::Frame(frame, of) => self.frame(&session, frame, of, text),
        }
    }

    fn tree(&mut self, session: &SessionId, text: Option<&str>) -> Vec<Act> {
        let tree: Option<FrameTree> = text.and_then(read);
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
        answer: Option<&str>,
    ) -> Vec<Act> {
        let here = self
            .realms
            .get(session)
            .and_then(|realm| realm.frames.get(&frame.id));
        let stale = here.is_none_or(|here| here.visit != frame.visit);
        let first = frame.first;
        let followed = answer
            .filter(|_| !stale)
            .and_then(|answer| self.follow(session, frame, of, answer));
        let mut acts = match followed {
            Some(Followed::Asks(act)) => return vec![act],
            Some(Followed::Ends(acts)) => acts,
            None => Vec::new(),
        };
        if first {
            acts.extend(self.started(session));
        }
        acts
    }

    /// `None` if the answer leads nowhere.
    fn follow(
        &mut self,
        session: &SessionId,
        frame: Frame,
        of: Of,
        answer: &str,
    ) -> Option<Followed> {
        match of {
            Of::Main => {
                let id = read::<Found>(answer)?.context()?;
                Some(Followed::Ends(self.announce(session, &frame.id, id, "")))
            }
            Of::World(world) => {
                let id = read::<IsolatedWorld>(answer)?.execution_context_id;
                let acts = self.announce(session, &frame.id, id, &world);
                Some(Followed::Ends(acts))
            }
            Of::Owner => {
                let owner: Owner = read(answer)?;
                let describe = DescribeNodeParams {
                    backend_node_id: Some(BackendNodeId::new(owner.backend_node_id)),
                    ..DescribeNodeParams::default()
                };
                let step = Step::Frame(frame, Of::Document);
                Some(Followed::Asks(Ask::act(session, &describe, step)))
            }
            Of::Document => {
                // Without one it now has a process and a session of its own.
                let document = read::<Described>(answer)?.node.content_document;
                let resolve = ResolveNodeParams {
                    backend_node_id: Some(BackendNodeId::new(document.backend_node_id)),
                    ..ResolveNodeParams::default()
                };
                let step = Step::Frame(frame, Of::Main);
                Some(Followed::Asks(Ask::act(session, &resolve, step)))
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

fn read<T: DeserializeOwned>(text: &str) -> Option<T> {
    json::read(text).ok()
}
