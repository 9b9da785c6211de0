//! Our script in one frame's isolated world: the page cannot see it, and its prototypes are its own.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use futures_util::future::join_all;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use szk_cdp::frames::our_world;
use szk_cdp::protocol::runtime::{GetPropertiesParams, ReleaseObjectGroupParams};
use szk_cdp::world::{self, Function, Object, RemoteObject, Thrown};
use szk_cdp::{CallError, Connection, SessionId};

use super::condition::ConditionAnswer;
use super::error::ReadError;
use super::identify::Designation;
use super::listeners::{Hears, Learnt};
use super::script::{ENGINE, SCRIPT};
use crate::act::FoundElement;
use crate::dom::{self, Described, Node};

/// The script at work in one document. It ends with the document.
#[derive(Clone)]
pub(super) struct World {
    connection: Connection,
    pub(super) session: SessionId,
    world: world::World,
    /// What the script evaluates to.
    script: Object,
    /// The handle on it.
    pub(super) handle: String,
    /// Never the same for two documents, so that a node's number cannot be taken for another's.
    pub(super) serial: u64,
    /// Elements that the script knows to listen.
    pub(super) learnt: Learnt,
    /// Whether objects were handed out.
    lends: Arc<AtomicBool>,
}

#[derive(Deserialize)]
struct Properties {
    result: Vec<Property>,
}

#[derive(Deserialize)]
struct Property {
    name: String,
    value: Option<RemoteObject>,
}

impl World {
    /// Starts the script in a frame of this session; in a document where it was started before, it is the
    /// same, with the same numbers.
    pub(super) async fn start(
        connection: &Connection,
        session: &SessionId,
        frame: &str,
    ) -> Result<Self, ReadError> {
        let world = world::World::make_universal(connection, session, frame, our_world()).await?;
        static SERIAL: AtomicU64 = AtomicU64::new(1);
        let new = SERIAL.fetch_add(1, Ordering::Relaxed);
        let script = world.hold(SCRIPT);
        let serial = world.evaluate(format!("{ENGINE}.serial ||= {new}"));
        let handle = script.await?.ok()?.object_id.unwrap_or_default();
        Ok(Self {
            connection: connection.clone(),
            session: session.clone(),
            script: world.object(handle.as_str()),
            handle,
            world,
            serial: serial.await?.ok()?.read().unwrap_or(new),
            learnt: Learnt::default(),
            lends: Arc::default(),
        })
    }

    /// Calls a function with the script as `this`, and reads what it returns.
    pub(super) async fn call<T: DeserializeOwned>(
        &self,
        function: &str,
        args: &[Value],
    ) -> Result<T, ReadError> {
        let answer = self.function(function).values(args).for_value();
        let read = answer.await?.ok()?.read();
        read.map_err(|error| Thrown(format!("unexpected answer: {error}")).into())
    }

    /// The remote object of a numbered node; `None` when it is gone.
    pub(super) async fn object(&self, number: u32) -> Result<Option<String>, ReadError> {
        let node = self.function("function (known) { return this.node(known); }");
        self.lends.store(true, Ordering::Relaxed);
        let object = node.value(number).for_handle().await?.ok()?;
        Ok(object.object_id)
    }

    /// What CDP knows about a numbered node; `None` if it is gone.
    pub(super) async fn describe(&self, number: u32) -> Result<Option<Node>, ReadError> {
        match self.object(number).await? {
            Some(object) => Ok(Some(self.describe_object(&object).await?)),
            None => Ok(None),
        }
    }

    async fn describe_object(&self, object: &str) -> Result<Node, CallError> {
        let params = dom::describe(object);
        let described: Described = self.connection.ask(Some(&self.session), &params).await?;
        Ok(described.node)
    }

    /// Asks CDP for closed shadow roots of the elements that the last reading found suspicious, and
    /// hands them to the script. Answers how many there were.
    pub(super) async fn reveal(&self) -> Result<usize, ReadError> {
        let suspects = self.function("function () { return this.suspects(); }");
        let hosts = self.items(suspects).await?.into_iter();
        let found = join_all(hosts.map(|host| self.reveal_one(host))).await;
        found.into_iter().try_fold(0, |sum, one| Ok(sum + one?))
    }

    /// Handles on the items of the list that a function returns.
    async fn items(&self, list: Function<'_>) -> Result<Vec<String>, ReadError> {
        self.lends.store(true, Ordering::Relaxed);
        let list = list.for_handle().await?.ok()?;
        let params = GetPropertiesParams {
            own_properties: Some(true),
            ..GetPropertiesParams::new(list.object_id.unwrap_or_default())
        };
        let properties: Properties = self.connection.ask(Some(&self.session), &params).await?;
        let items = properties
            .result
            .into_iter()
            .filter(|property| property.name.parse::<u32>().is_ok());
        Ok(items
            .filter_map(|property| property.value?.object_id)
            .collect())
    }

    async fn reveal_one(&self, host: String) -> Result<usize, ReadError> {
        let node = self.describe_object(&host).await?;
        let Some(closed) = node.closed_tree() else {
            return Ok(0);
        };
        let root = self.world.bring(closed).await?.unwrap_or_default();
        let reveal = self.function("function (host, root) { this.reveal(host, root); }");
        reveal.object(host).object(root).for_value().await?.ok()?;
        Ok(1)
    }

    /// The number of a node of CDP's.
    pub(super) async fn number(&self, node: i64) -> Result<u32, ReadError> {
        let Some(node) = self.world.bring(node).await? else {
            return Ok(0);
        };
        let number = self.function("function (el) { return this.number(el); }");
        let answer = number.object(node).for_value().await?.ok()?.read();
        answer.map_err(|error| Thrown(format!("unexpected answer: {error}")).into())
    }

    /// What tells a node of CDP's from all others, or the control that it is a part of, and what it is like. With
    /// `place`, the node itself; where it stands only if it `moves`.
    pub(super) async fn identify(
        &self,
        node: i64,
        meant: Designation,
        moves: bool,
    ) -> Result<Option<ConditionAnswer>, ReadError> {
        let Some(node) = self.world.bring(node).await? else {
            return Ok(None);
        };
        let identify = self.function("function (el, how) { return this.identify(el, how); }");
        let told = identify.object(node).value(meant.asked(moves));
        let answer = told.for_value().await?.ok()?.read();
        answer.map_err(|error| Thrown(format!("unexpected answer: {error}")).into())
    }

    /// The same for an element that an act has found: the browser need not be asked which one it is.
    pub(super) async fn identify_found(
        &self,
        found: &FoundElement,
        meant: Designation,
        moves: bool,
    ) -> Result<Option<ConditionAnswer>, ReadError> {
        let identify = self.function(
            "function (library, id, how) { const el = library.at(id); return el ? this.identify(el, how) : null; }",
        );
        let told = identify.object(&*found.library).value(found.id);
        let answer = told.value(meant.asked(moves)).for_value();
        let answer = answer.await?.ok()?.read();
        answer.map_err(|error| Thrown(format!("unexpected answer: {error}")).into())
    }

    /// Handles, in the page's own world, on the document and its shadow trees, if the browser can be asked
    /// for their listeners unnoticed.
    pub(super) async fn quiet_trees(&self, most: u32) -> Result<Vec<String>, ReadError> {
        let trees = self.function("function (most) { return this.trees(most); }");
        let trees = self.items(trees.value(most)).await?.into_iter();
        let found = join_all(trees.map(|tree| async move {
            let node = self.describe_object(&tree).await?.backend_node_id;
            world::page_node(&self.connection, &self.session, node, GROUP).await
        }));
        let found: Result<Vec<Option<String>>, CallError> = found.await.into_iter().collect();
        Ok(found?.into_iter().flatten().collect())
    }

    /// Sends a browser command about this document.
    pub(super) async fn ask<T: DeserializeOwned>(
        &self,
        command: &impl szk_cdp::Command,
    ) -> Result<T, CallError> {
        self.connection.ask(Some(&self.session), command).await
    }

    /// Tells the script that a node listens for presses, or for what is dropped on it.
    pub(super) async fn teach(&self, (node, drops): Hears) -> Result<(), ReadError> {
        if let Some(node) = self.world.bring(node).await? {
            let learn = self.function("function (el, drops) { this.learn(el, drops); }");
            let told = learn.object(node).value(drops);
            told.for_value().await?.ok()?;
        }
        Ok(())
    }

    /// Objects of one reading are let go at the start of the next.
    fn function(&self, declaration: &str) -> Function<'_> {
        self.script.function(declaration).in_group(GROUP)
    }

    /// Lets go of the objects that were handed out; they would keep nodes alive.
    pub(super) fn release(&self) {
        if !self.lends.swap(false, Ordering::Relaxed) {
            return;
        }
        let params = ReleaseObjectGroupParams::new(GROUP);
        self.connection.tell(Some(&self.session), &params);
    }
}

/// The group of short-lived objects.
const GROUP: &str = "reading";
