//! Merges frames into one tree.

use std::collections::HashMap;
use std::time::Duration;

use futures_util::future::{BoxFuture, FutureExt, join_all};
use serde::Deserialize;
use serde_json::{Value, json};
use szk_cdp::SessionId;
use szk_recipes::Identity;

use super::error::ReadError;
use super::item::{Item, Key, Kind};
use super::options::Mode;
use super::past::Document;
use super::transform::{self, Transform};
use super::world::World;
use crate::page::Page;

/// How long one document may be walked, in milliseconds.
const PATIENCE: u32 = 5_000;
/// How long at a time: its page is blocked meanwhile, and would notice more than a frame or two.
const PART: u32 = 25;
/// How long a frame in the page may take to answer; after that the page is shown without it.
const FRAME: Duration = Duration::from_secs(8);
/// Bytes that one document may report.
const MOST: u32 = 24 << 20;
/// Characters of a text, and of the value of a control, unless they are searched.
const TEXT: u32 = 4_000;
const VALUE: u32 = 1_000;
/// Levels of nested frames.
const DEEPEST: usize = 12;

/// What is said of a document that was not read to its end.
pub(super) const CUT: &str =
    "the page has more than can be read at once; read a part of it with `scope`";

/// What to read of each frame.
#[derive(Clone, Copy)]
pub(super) struct Wanted {
    pub(super) mode: Mode,
    pub(super) depth: Option<usize>,
    pub(super) boxes: bool,
    pub(super) unheard: bool,
    /// Texts and values are taken whole.
    pub(super) searched: bool,
    /// Which elements to tell from all others.
    pub(super) identify: Option<Which>,
}

/// Elements that are told from all others.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Which {
    /// Those that can be worked.
    Working,
    /// The same, and all on which something may be dropped.
    Places,
}

impl Which {
    /// The script's word for it.
    fn word(self) -> &'static str {
        match self {
            Self::Working => "working",
            Self::Places => "places",
        }
    }
}

/// What tells elements from all others.
pub(super) type Identities = HashMap<Key, Identity>;

/// Where to start reading.
#[derive(Clone)]
pub(super) struct Start {
    pub(super) frame: String,
    pub(super) session: SessionId,
    /// A node of that frame, or `None` for all of it.
    pub(super) root: Option<u32>,
}

/// The worlds of a page, by frame.
#[derive(Default, Clone)]
pub(super) struct Worlds {
    known: HashMap<String, World>,
    /// The world of a main frame's document that was begun before anything was asked of it.
    begun: Option<(String, World)>,
}

impl Worlds {
    /// The world with this serial number, and its frame.
    pub(super) fn of_serial(&self, serial: u64) -> Option<(&str, &World)> {
        let found = self.known.iter().find(|(_, world)| world.serial == serial);
        found.map(|(frame, world)| (frame.as_str(), world))
    }

    /// The world in a frame; started if necessary.
    pub(super) async fn at(
        &mut self,
        page: &Page,
        frame: &str,
        session: &SessionId,
    ) -> Result<World, ReadError> {
        let known = self.begun_in(frame, session).or(self.known.get(frame));
        if let Some(world) = known
            && world.session == *session
        {
            let world = world.clone();
            self.known.insert(frame.to_owned(), world.clone());
            return Ok(world);
        }
        let world = World::start(&page.connection, session, frame).await?;
        self.known.insert(frame.to_owned(), world.clone());
        Ok(world)
    }

    /// The known world of a frame.
    pub(super) fn in_frame(&self, frame: &str) -> Option<&World> {
        self.known.get(frame)
    }

    /// The world that was begun in a frame for its newest document.
    fn begun_in(&self, frame: &str, session: &SessionId) -> Option<&World> {
        let begun = self.begun.as_ref();
        let (_, world) = begun.filter(|(of, world)| of == frame && world.session == *session)?;
        Some(world)
    }

    /// Notes the world that was begun in a document.
    pub(super) fn begin(&mut self, frame: String, world: World) {
        self.begun = Some((frame, world));
    }

    /// The frames inside `page` that were read, with their sessions.
    pub(super) fn inside(&self, page: &str) -> impl Iterator<Item = (&str, &SessionId)> {
        let all = self.known.iter();
        all.filter(move |(frame, _)| *frame != page)
            .map(|(frame, world)| (frame.as_str(), &world.session))
    }

    /// The sessions of all worlds.
    pub(super) fn sessions(&self) -> impl Iterator<Item = SessionId> {
        self.known.values().map(|world| world.session.clone())
    }

    /// The outermost frame of this session, if it is known.
    pub(super) fn outermost(&self, page: &Page, session: &SessionId) -> Option<String> {
        let mut frames = self.known.keys();
        let is_it = |frame: &&String| page.has_session(frame, session);
        frames.find(is_it).cloned()
    }

    pub(super) fn forget(&mut self, frame: &str) {
        self.known.remove(frame);
        self.begun.take_if(|(of, _)| of == frame);
    }

    /// Takes over the worlds in which frames were read. If that was the `whole` page, all other frames are gone.
    fn have_read(&mut self, worlds: HashMap<String, World>, whole: bool) {
        self.begun.take_if(|(of, _)| worlds.contains_key(of));
        if whole {
            self.known = worlds;
        } else {
            self.known.extend(worlds);
        }
    }
}

/// A frame that was read: its tree, and the worlds that read it.
struct Read {
    /// Its own document, and those of the frames in it.
    documents: Vec<Document>,
    nodes: Vec<Item>,
    identities: Identities,
    worlds: HashMap<String, World>,
}

/// What was read.
pub(super) struct Gathered {
    pub(super) items: Vec<Item>,
    /// Of those that were asked for.
    pub(super) identities: Identities,
    /// The document that it began with, and those of the frames in it.
    pub(super) documents: Vec<Document>,
}

#[derive(Deserialize)]
struct Report {
    text: String,
    cut: String,
    suspects: u32,
    #[serde(default)]
    url: String,
    #[serde(default)]
    again: bool,
    /// The walk to go on with: this was only a part.
    #[serde(default)]
    more: Option<u32>,
    #[serde(default)]
    told: Vec<(u32, Option<Identity>)>,
}

/// Reads the tree starting at `start`. Forgets worlds of frames that are gone, unless it read only a
/// part.
pub(super) async fn gather(
    page: &Page,
    worlds: &mut Worlds,
    start: Start,
    wanted: Wanted,
) -> Result<Gathered, ReadError> {
    let whole = start.root.is_none() && start.frame == page.frame;
    let (id, session) = (start.frame.clone(), start.session.clone());
    let mut read = frame(page, worlds, start, wanted, 0).await?;
    for world in read.worlds.values() {
        world.release();
    }
    worlds.have_read(read.worlds, whole);
    if wanted.boxes && id != page.frame {
        // So far, positions in a part of a frame are relative to that frame.
        let place = transform::of_frame(page, worlds, &id, &session).await?;
        put(&mut read.nodes, place);
    }
    Ok(Gathered {
        items: read.nodes,
        identities: read.identities,
        documents: read.documents,
    })
}

fn frame<'a>(
    page: &'a Page,
    known: &'a Worlds,
    start: Start,
    wanted: Wanted,
    level: usize,
) -> BoxFuture<'a, Result<Read, ReadError>> {
    async move {
        let (world, report) = read(page, known, &start, wanted).await?;
        let mut documents = vec![Document {
            world: world.serial,
            url: report.url,
            again: report.again,
        }];
        let mut nodes = Item::read_all(world.serial, &report.text);
        let serial = world.serial;
        let told = report.told.into_iter().filter_map(|(number, identity)| {
            let world = serial;
            Some((Key { world, number }, identity?))
        });
        let mut identities: Identities = told.collect();
        if !report.cut.is_empty() {
            nodes.push(Item::note(0, CUT));
        }
        let holders: Vec<usize> = (0..nodes.len())
            .filter(|at| nodes[*at].kind == Kind::Frame)
            .collect();
        let mut worlds = HashMap::from([(start.frame.clone(), world.clone())]);
        if holders.is_empty() || level >= DEEPEST {
            return Ok(Read {
                documents,
                nodes,
                identities,
                worlds,
            });
        }
        let inner = holders.iter().map(|at| {
            let (world, number, depth) = (&world, nodes[*at].key.number, nodes[*at].depth);
            async move {
                let left = Wanted {
                    depth: wanted.depth.map(|most| most.saturating_sub(depth + 1)),
                    ..wanted
                };
                if wanted.depth.is_some_and(|most| depth >= most) {
                    return Inner::Left;
                }
                match tokio::time::timeout(
                    FRAME,
                    inside(page, known, world, number, left, level + 1),
                )
                .await
                {
                    Ok(Ok(inner)) => inner,
                    Ok(Err(error)) => Inner::Trouble(format!("cannot read this frame: {error}")),
                    Err(_) => Inner::Trouble("this frame does not answer".to_owned()),
                }
            }
        });
        let inner: Vec<Inner> = join_all(inner).await;
        // From the end, so that earlier positions stay valid.
        for (at, inner) in holders.into_iter().zip(inner).rev() {
            let depth = nodes[at].depth + 1;
            let found = match inner {
                Inner::Left => continue,
                Inner::Trouble(text) => vec![Item::note(depth, &text)],
                Inner::Read(mut read, place) => {
                    put(&mut read.nodes, place);
                    for node in &mut read.nodes {
                        node.depth += depth;
                    }
                    worlds.extend(read.worlds);
                    documents.extend(read.documents);
                    identities.extend(read.identities);
                    read.nodes
                }
            };
            nodes.splice(at + 1..at + 1, found);
        }
        Ok(Read {
            documents,
            nodes,
            identities,
            worlds,
        })
    }
    .boxed()
}

/// Moves boxes to where their frame is.
fn put(nodes: &mut [Item], place: Transform) {
    for node in nodes {
        node.bounds = node.bounds.map(|bounds| place.of(bounds));
    }
}

/// What was found in a frame of the page.
enum Inner {
    /// It was not read.
    Left,
    Trouble(String),
    /// Its content and its place.
    Read(Read, Transform),
}

async fn inside(
    page: &Page,
    known: &Worlds,
    outer: &World,
    number: u32,
    wanted: Wanted,
    level: usize,
) -> Result<Inner, ReadError> {
    let Some(frame_id) = outer.describe(number).await?.and_then(|node| node.frame_id) else {
        return Ok(Inner::Left);
    };
    let place = if wanted.boxes {
        let told: [f64; 4] = outer
            .call(
                "function (known) { return this.inset(known); }",
                &[json!(number)],
            )
            .await?;
        Transform::reported(told)
    } else {
        Transform::IDENTITY
    };
    let session = page.session_of(&frame_id, &outer.session);
    let start = Start {
        frame: frame_id,
        session,
        root: None,
    };
    Ok(Inner::Read(
        frame(page, known, start, wanted, level).await?,
        place,
    ))
}

/// Reads one document; repeats that if the document was replaced or closed shadow trees were found.
async fn read(
    page: &Page,
    known: &Worlds,
    start: &Start,
    wanted: Wanted,
) -> Result<(World, Report), ReadError> {
    let kept = known
        .known
        .get(&start.frame)
        .filter(|world| world.session == start.session);
    // A part is one of the document that it is known from.
    let begun = known
        .begun_in(&start.frame, &start.session)
        .filter(|_| start.root.is_none());
    if let Some(world) = begun.or(kept) {
        match read_in(world, start, wanted).await {
            Err(ReadError::Call(error)) if crate::is_gone(&error) && start.root.is_none() => {}
            other => return Ok((world.clone(), other?)),
        }
    }
    let world = World::start(&page.connection, &start.session, &start.frame).await?;
    let report = read_in(&world, start, wanted).await?;
    Ok((world, report))
}

async fn read_in(world: &World, start: &Start, wanted: Wanted) -> Result<Report, ReadError> {
    if !wanted.unheard {
        super::listeners::learn(world).await?;
    }
    let options = options(start, wanted);
    let mut report = walk(world, &options).await?;
    // Closed trees may contain closed trees; the next reading finds those.
    for _ in 0..2 {
        if report.suspects == 0 || world.reveal().await? == 0 {
            break;
        }
        report = walk(world, &options).await?;
    }
    Ok(report)
}

/// Walks a document part by part; the page runs in between.
async fn walk(world: &World, options: &Value) -> Result<Report, ReadError> {
    let gone = || ReadError::Call(szk_cdp::CallError::SessionGone);
    let read = "function (options) { return this.read(options); }";
    let first: Option<Report> = world.call(read, std::slice::from_ref(options)).await?;
    let mut report = first.ok_or_else(gone)?;
    while let Some(more) = report.more {
        let go_on = "function (walk) { return this.goOn(walk); }";
        let next: Option<Report> = world.call(go_on, &[json!(more)]).await?;
        report = next.ok_or_else(gone)?;
    }
    Ok(report)
}

fn options(start: &Start, wanted: Wanted) -> Value {
    let (text, value) = match wanted.searched {
        true => (MOST, MOST),
        false => (TEXT, VALUE),
    };
    json!({
        "root": start.root.unwrap_or(0),
        "mode": wanted.mode.word(),
        "describe": wanted.mode == Mode::Full,
        "depth": wanted.depth.unwrap_or(100_000),
        "boxes": wanted.boxes,
        "most": MOST,
        "longest": text,
        "values": value,
        "patience": PATIENCE,
        "part": PART,
        "identify": wanted.identify.map(Which::word),
    })
}
