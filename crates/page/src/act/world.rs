//! Our isolated world in a frame, with the library of questions in it.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use szk_cdp::frames::our_world;
use szk_cdp::json::Unreadable;
use szk_cdp::protocol::dom_debugger::GetEventListenersParams;
use szk_cdp::protocol::runtime::RemoteObjectId;
use szk_cdp::world::{self, Evaluated, Function, Object, RemoteObject};
use szk_cdp::{CallError, Command, Connection, SessionId};

use super::ActError;
use super::ahead::LookedAhead;
use super::changed_since::LastWatched;
use super::look::Look;
use super::target::{FoundElement, NodeRef};
use crate::dom::{self, Described};
use crate::snapshot::Element;

const LIBRARY: &str = concat!(
    "(() => {\n",
    include_str!("../xpath.js"),
    include_str!("../ticks.js"),
    include_str!("library/alike.js"),
    include_str!("library/elements.js"),
    include_str!("library/choices.js"),
    include_str!("library/press.js"),
    include_str!("library/questions.js"),
    "})()"
);
/// What is said when a handle on the library has become one on something else.
const OTHER: &str = "not the library";
/// Most worlds to remember.
const KNOWN: usize = 256;

/// The worlds of a browser's frames, created on first use and again after their document is replaced.
#[derive(Default)]
pub struct Worlds {
    // A std mutex: nothing awaits under it.
    known: Mutex<HashMap<(SessionId, String), World>>,
    pub(super) ahead: LookedAhead,
    pub(super) last_watched: LastWatched,
}

/// The library in one frame's world.
#[derive(Clone)]
pub(super) struct World {
    connection: Connection,
    pub(super) session: SessionId,
    /// Its frame.
    pub(super) frame: String,
    /// The world itself, for nodes that are to be brought into it.
    world: world::World,
    /// The functions; reachable from nowhere in the page.
    library: Arc<Object>,
    /// The handle on them.
    handle: Arc<str>,
}

impl Worlds {
    /// Our world in a frame, as last known; it may be gone.
    pub(super) async fn of(
        &self,
        connection: &Connection,
        session: &SessionId,
        frame_id: &str,
    ) -> Result<World, ActError> {
        if let Some(world) = self.last_known(session, frame_id) {
            return Ok(world);
        }
        let key = (session.clone(), frame_id.to_owned());
        let world = World::make(connection, session, frame_id).await?;
        self.keep(key, world.clone());
        Ok(world)
    }

    /// Our world in a frame, if there was one the last time; it may be gone.
    pub(super) fn last_known(&self, session: &SessionId, frame_id: &str) -> Option<World> {
        let key = (session.clone(), frame_id.to_owned());
        self.known().get(&key).cloned()
    }

    /// Creates our world in a frame's new document, if the old document had one.
    pub async fn go_on(&self, connection: &Connection, session: &SessionId, frame_id: &str) {
        let key = (session.clone(), frame_id.to_owned());
        if !self.known().contains_key(&key) {
            return;
        }
        // Err: whoever needs it makes it.
        if let Ok(world) = World::make(connection, session, frame_id).await {
            self.keep(key, world);
        }
    }

    fn keep(&self, key: (SessionId, String), world: World) {
        let mut worlds = self.known();
        if worlds.len() >= KNOWN {
            // Most belong to documents that are gone; the rest are created again on demand.
            worlds.clear();
        }
        worlds.insert(key, world);
    }

    /// Forgets all worlds; they are created again on demand.
    pub(super) fn forget_all(&self) {
        self.known().clear();
    }

    fn known(&self) -> std::sync::MutexGuard<'_, HashMap<(SessionId, String), World>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl World {
    async fn make(
        connection: &Connection,
        session: &SessionId,
        frame_id: &str,
    ) -> Result<Self, ActError> {
        let world =
            world::World::make_universal(connection, session, frame_id, our_world()).await?;
        let library = world.hold(LIBRARY).await?.result.object_id;
        let handle: Arc<str> = library.ok_or(ActError::Gone)?.into();
        let library = world.object(&*handle);
        Ok(Self {
            connection: connection.clone(),
            session: session.clone(),
            frame: frame_id.to_owned(),
            world,
            library: Arc::new(library),
            handle,
        })
    }

    /// Whether elements have the same numbers in both.
    pub(super) fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.library, &other.library)
    }

    /// Calls a function of the library. Sends the call now; the reply comes when its promise resolves.
    pub(super) fn ask<T: DeserializeOwned>(
        &self,
        function: &str,
        args: &[Value],
    ) -> impl Future<Output = Result<T, ActError>> + Send + use<T> {
        let answer = self.call(function, args).for_value();
        let function = function.to_owned();
        async move {
            let read = sound(&function, answer.await?)?.read();
            read.map_err(|error| ActError::Call(unreadable(&function, &error)))
        }
    }

    /// The same for an answer that stays in the page: a handle on it for the browser's own commands.
    pub(super) async fn handle(&self, id: u32) -> Result<String, ActError> {
        self.handle_by("at", id).await
    }

    /// A handle on what an element is drawn as: for an area of an image map, its image.
    pub(super) async fn drawn(&self, id: u32) -> Result<String, ActError> {
        self.handle_by("drawn_as", id).await
    }

    async fn handle_by(&self, function: &str, id: u32) -> Result<String, ActError> {
        let answer = self.call(function, &[json!(id)]).for_handle().await?;
        sound(function, answer)?.object_id.ok_or(ActError::Stale)
    }

    /// Brings a node into this world, and names it there. With `words`, only these of it are meant.
    pub(super) async fn adopt(
        &self,
        backend_node_id: i64,
        words: Option<&str>,
    ) -> Result<u32, ActError> {
        let hold =
            "return this.adopt(args[0].nodeType === 1 ? args[0] : args[0].parentElement, args[1]);";
        self.bring(backend_node_id, words, hold).await
    }

    /// The same with the state of the element.
    pub(super) async fn meet(
        &self,
        backend_node_id: i64,
        words: Option<&str>,
    ) -> Result<(u32, Look), ActError> {
        let meet =
            "return this.meet(args[0].nodeType === 1 ? args[0] : args[0].parentElement, args[1]);";
        self.bring(backend_node_id, words, meet).await
    }

    /// The same for an element that a snapshot's script knows; stale if it is not what it was. Asks now; the answer
    /// comes when it is waited for.
    pub(super) fn recognize(
        &self,
        element: &Element,
    ) -> impl Future<Output = Result<(u32, Look), ActError>> + Send + use<> {
        let call = self.function("return this[args[0]](...args.slice(1));");
        let call = call.value("recognize").object(&element.script);
        let known = [
            json!(element.number),
            json!(element.kind),
            json!(element.role),
            json!(element.name),
            json!(element.text),
        ];
        let answer = call.values(&known).for_value();
        async move {
            let answer = answer.await.map_err(|error| {
                // The script is of the document before or after this world's.
                match crate::gone::says(&error, "same JavaScript world") {
                    true => ActError::Gone,
                    false => error.into(),
                }
            })?;
            let met: Option<(u32, Look)> = sound("recognize", answer)?.read().unwrap_or_default();
            met.ok_or(ActError::Stale)
        }
    }

    async fn bring<T: DeserializeOwned>(
        &self,
        backend_node_id: i64,
        words: Option<&str>,
        body: &str,
    ) -> Result<T, ActError> {
        let brought = self.world.bring(backend_node_id).await;
        let object = brought.map_err(|error| match error {
            // Chromium's words for a node that is no more, and for one of another document than the world,
            // which may be the world's fault.
            CallError::Remote { ref message, .. } if message.contains("No node") => ActError::Stale,
            CallError::Remote { ref message, .. } if message.contains("does not belong") => {
                ActError::Gone
            }
            error => ActError::Call(error),
        })?;
        let function = self.function(body);
        let held = function
            .object(object.ok_or(ActError::Stale)?)
            .value(json!(words))
            .for_value();
        let held = sound("adopt", held.await?)?;
        held.read().map_err(|_| ActError::Stale)
    }

    /// An element for the script of snapshots.
    pub(super) fn found(&self, id: u32) -> FoundElement {
        FoundElement {
            session: self.session.clone(),
            frame: self.frame.clone(),
            library: Arc::clone(&self.handle),
            id,
        }
    }

    /// An element by which others can name it.
    pub(super) async fn node(&self, id: u32) -> Result<NodeRef, ActError> {
        let handle = self.handle(id).await?;
        let described: Described = self.command(&dom::describe(&handle)).await?;
        Ok(NodeRef {
            session: self.session.clone(),
            frame: self.frame.clone(),
            backend_node_id: described.node.backend_node_id,
            words: None,
        })
    }

    /// Shows the library the closed tree of an element; returns whether there was an unknown one.
    pub(super) async fn unseal(&self, id: u32) -> Result<bool, ActError> {
        let handle = self.handle(id).await?;
        let described: Described = self.command(&dom::describe(&handle)).await?;
        let Some(closed) = described.node.closed_tree() else {
            return Ok(false);
        };
        let tree = self.world.bring(closed).await?.unwrap_or_default();
        let seal = self.function("return this.seal(args[0]);");
        let sealed = sound("seal", seal.object(tree).for_value().await?)?;
        Ok(sealed.read().unwrap_or(false))
    }

    /// Whether anything in the page listens to the wheel: an element, the document, or the window, whose
    /// listeners only the page's own world can name. Says so, too, where asking would be noticed.
    pub(super) async fn hears_wheel(&self) -> Result<bool, ActError> {
        let window = world::page_window(&self.connection, &self.session);
        let document = self.library.function(QUIET_DOCUMENT);
        let (window, document) = (window.await?, document.for_handle().await?);
        let Some(document) = document.result.object_id else {
            return Ok(true);
        };
        let window = window.result.object_id.ok_or(ActError::Gone)?;
        // By a handle of the page's own world: Chromium may lose a page whose other worlds are searched.
        let described: Described = self.command(&dom::describe(&document)).await?;
        let node = described.node.backend_node_id;
        let document = world::page_node(&self.connection, &self.session, node, "wheel").await?;
        let document = document.ok_or(ActError::Gone)?;
        for (object, depth) in [(window, 1), (document, -1)] {
            let params = GetEventListenersParams {
                depth: Some(depth),
                pierce: Some(false),
                ..GetEventListenersParams::new(RemoteObjectId::new(object))
            };
            let told: Listeners = self.command(&params).await?;
            let mut kinds = told.listeners.iter().map(|one| one.kind.as_str());
            if kinds.any(|kind| matches!(kind, "wheel" | "mousewheel")) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Sends a browser command about this frame.
    pub(super) async fn command<T: DeserializeOwned>(
        &self,
        command: &impl Command,
    ) -> Result<T, ActError> {
        Ok(self.connection.ask(Some(&self.session), command).await?)
    }

    fn call(&self, function: &str, args: &[Value]) -> Function<'_> {
        let call = self.function("return this[args[0]](...args.slice(1));");
        call.value(function).values(args).awaited()
    }

    /// A function on the library. When a document comes back that has waited in the history, Chromium
    /// numbers its objects anew: what was the library's number may be that of anything.
    fn function(&self, body: &str) -> Function<'_> {
        let other = format!("if (!Object.hasOwn(this, 'is_library')) throw new Error('{OTHER}');");
        let function = format!("function (...args) {{ {other} {body} }}");
        self.library.function(&function)
    }
}

/// The document, if a page hears nothing when the browser is asked for its listeners: that compiles handlers
/// written as attributes, and a page is told of one that does not compile.
const QUIET_DOCUMENT: &str = r"function () {
  const quiet = (tree) => [...tree.querySelectorAll('*')].every((el) => {
    if (el.shadowRoot && !quiet(el.shadowRoot)) return false;
    if (/^i?frame$/.test(el.localName) && !(el.contentDocument && quiet(el.contentDocument))) return false;
    return el.getAttributeNames().every((name) => {
      if (!name.startsWith('on')) return true;
      try { return !!new Function('event', el.getAttribute(name)); } catch { return false; }
    });
  });
  return document.getElementsByTagName('*').length <= 20000 && quiet(document) ? document : null;
}";

#[derive(Deserialize)]
struct Listeners {
    listeners: Vec<Listener>,
}

#[derive(Deserialize)]
struct Listener {
    #[serde(rename = "type")]
    kind: String,
}

/// The result of a question, unless it failed in the page.
fn sound(function: &str, answer: Evaluated) -> Result<RemoteObject, ActError> {
    match answer.exception_details {
        None => Ok(answer.result),
        Some(thrown) => {
            let said = thrown.words();
            if said.contains(OTHER) {
                return Err(ActError::Gone);
            }
            tracing::warn!(function, said, "a question failed in the page");
            Err(ActError::Stale)
        }
    }
}

fn unreadable(function: &str, error: &Unreadable) -> CallError {
    CallError::Remote {
        code: 0,
        message: format!("`{function}` answered something else: {error}"),
        data: None,
    }
}
