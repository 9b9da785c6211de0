//! What the shield knows about one session with a page, a frame or a worker.

use std::collections::{BTreeMap, VecDeque};

use serde_json::Value;

use super::act::Caller;

/// The kind of a session's target.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A page, or a frame in a process of its own.
    Frames,
    /// A worker or worklet of any kind.
    Worker,
}

/// One session.
#[derive(Debug)]
pub(super) struct Realm {
    pub(super) kind: Kind,
    /// The frame at its root, which has the id of the target.
    pub(super) root: String,
    /// Whether the client enabled `Runtime`.
    pub(super) enabled: bool,
    /// Whether the client enabled `Page` and `Console`, and whether the shield did.
    pub(super) page: Domain,
    pub(super) console: Domain,
    pub(super) frames: BTreeMap<String, Frame>,
    /// Worlds that every new document gets.
    pub(super) worlds: Vec<World>,
    pub(super) bindings: Vec<Binding>,
    /// Who waits for the answer to `Runtime.enable`, and the number of questions it waits for.
    pub(super) starting: Option<(Caller, usize)>,
    /// Console messages that came before their realm was known.
    pub(super) messages: VecDeque<Value>,
    /// Whether the shield's own scripts are in place.
    pub(super) listens: bool,
}

/// Who enabled a domain.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(super) struct Domain {
    pub(super) client: bool,
    pub(super) shield: bool,
}

/// A frame in this session's process.
#[derive(Debug, Default)]
pub(super) struct Frame {
    pub(super) parent: Option<String>,
    pub(super) origin: String,
    /// Changes with every document.
    pub(super) visit: u64,
    /// Whether its contexts were asked for since it was attached.
    pub(super) asked: bool,
    pub(super) contexts: Vec<Context>,
}

/// A context that was announced to the client.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Context {
    pub(super) id: i64,
    pub(super) unique: String,
    /// Empty for the page's own world.
    pub(super) world: String,
}

/// A world that every new document gets.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct World {
    pub(super) name: String,
    /// The script that adds it; the world goes when that is removed. The shield's own world has none.
    pub(super) script: Option<String>,
}

/// A function through which pages call the client.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Binding {
    pub(super) name: String,
    /// The only world that has it, if it is limited to one.
    pub(super) world: Option<String>,
    /// The stand-in's script in new documents.
    pub(super) script: Option<String>,
}

impl Realm {
    pub(super) fn new(kind: Kind, root: String) -> Self {
        Self {
            kind,
            root,
            enabled: false,
            page: Domain::default(),
            console: Domain::default(),
            frames: BTreeMap::new(),
            worlds: Vec::new(),
            bindings: Vec::new(),
            starting: None,
            messages: VecDeque::new(),
            listens: false,
        }
    }

    /// The page's or worker's own context at the root, if the client knows it.
    pub(super) fn main(&self) -> Option<&Context> {
        let root = self.frames.get(&self.root)?;
        root.contexts
            .iter()
            .find(|context| context.world.is_empty())
    }

    /// Whether a context that the client knows is isolated.
    pub(super) fn is_isolated(&self, id: i64) -> bool {
        let all = self.frames.values().flat_map(|frame| &frame.contexts);
        let mut here = all.filter(|context| context.id == id).peekable();
        here.peek().is_some() && here.all(|context| !context.world.is_empty())
    }

    /// The id of a context, by the unique id in its announcement.
    pub(super) fn by_unique(&self, unique: &str) -> Option<i64> {
        let all = self.frames.values().flat_map(|frame| &frame.contexts);
        all.into_iter()
            .find(|context| context.unique == unique)
            .map(|context| context.id)
    }
}
