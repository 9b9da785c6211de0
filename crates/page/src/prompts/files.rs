//! Gives files to a file field, and finds out whether it got them.

use std::path::PathBuf;
use std::time::Duration;

use serde::Deserialize;
use serde_json::json;
use szk_cdp::frames::our_world;
use szk_cdp::protocol::dom::{BackendNodeId, SetFileInputFilesParams};
use szk_cdp::world::{Object, World};
use szk_cdp::{CallError, Connection, SessionId};

use crate::is_gone;

/// How long a field may take to have its files: the browser lists those of a folder first.
const FILES: Duration = Duration::from_secs(1);
const FOLDER: Duration = Duration::from_secs(10);

/// Notes what a field is told, from now on: pages may empty it as soon as they have the files.
const LISTEN: &str = r"function (el) {
  const now = () => [...el.files].map((file) => file.webkitRelativePath || file.name);
  const told = { kind: null, held: [], now };
  const kinds = ['input', 'change', 'cancel'];
  const hears = ({ type }) => { if (told.kind === null) Object.assign(told, { kind: type, held: now() }); };
  for (const kind of kinds) el.addEventListener(kind, hears, { capture: true, passive: true });
  told.end = () => { for (const kind of kinds) el.removeEventListener(kind, hears, true); };
  return told;
}";
const TOLD: &str = r"async function (names, ms) {
  const end = performance.now() + ms, fits = () => names !== null && JSON.stringify(this.now()) === JSON.stringify(names);
  while (this.kind === null && !fits() && performance.now() < end) await new Promise((resolve) => setTimeout(resolve, 5));
  this.end();
  return { taken: this.kind === 'input' || this.kind === 'change', held: this.held.length ? this.held : this.now() };
}";
const KIND: &str = "function (el) { return { folder: el.webkitdirectory === true }; }";

/// A file field, as the browser knows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileField {
    /// The session that reaches its frame.
    pub session: SessionId,
    /// Its frame.
    pub frame: String,
    /// CDP's `BackendNodeId`.
    pub node: i64,
}

/// Why a field did not get files.
#[derive(Debug, thiserror::Error)]
pub enum NotGiven {
    /// It takes a folder.
    #[error("takes a folder: give the path of one folder")]
    Files,
    /// It takes files.
    #[error("takes files, and `{0}` is a folder")]
    Folder(String),
    /// It does not hold them, and the page was not told of them.
    #[error("did not take the files: it holds {}", listed(.0))]
    Lost(Vec<String>),
    /// The browser refused, or the page is gone.
    #[error(transparent)]
    Call(#[from] CallError),
}

fn listed(names: &[String]) -> String {
    match names {
        [] => "none".to_owned(),
        names => names.join(", "),
    }
}

#[derive(Deserialize)]
struct Kind {
    folder: bool,
}

#[derive(Deserialize)]
struct Heard {
    /// The page was told that the field has changed.
    taken: bool,
    held: Vec<String>,
}

/// Whether a field takes these at all: some take files, and others a folder. Nothing is done to it.
///
/// # Errors
/// [`NotGiven`] if it does not.
pub async fn check(
    connection: &Connection,
    field: &FileField,
    files: &[PathBuf],
) -> Result<(), NotGiven> {
    match Reached::find(connection, field).await {
        Some(reached) => reached.suits(files),
        None => Ok(()),
    }
}

/// Gives files, or a folder, to a field, as a person does in the browser's own dialog.
///
/// # Errors
/// [`NotGiven`], also where the browser took the call and the field got nothing.
pub async fn give(
    connection: &Connection,
    field: &FileField,
    files: &[PathBuf],
) -> Result<(), NotGiven> {
    let watched = match Reached::find(connection, field).await {
        Some(reached) => {
            reached.suits(files)?;
            reached.watch().await
        }
        None => None,
    };
    let names = files.iter().map(|path| path.to_string_lossy().into_owned());
    let params = SetFileInputFilesParams {
        backend_node_id: Some(BackendNodeId::new(field.node)),
        ..SetFileInputFilesParams::new(names.collect::<Vec<_>>())
    };
    connection.run(Some(&field.session), &params).await?;
    match watched {
        Some(watched) => watched.judge(files).await,
        None => Ok(()),
    }
}

/// A field in our world.
struct Reached {
    world: World,
    element: String,
    folder: bool,
}

impl Reached {
    /// `None` where the field cannot be reached: then it gets the files unseen.
    async fn find(connection: &Connection, field: &FileField) -> Option<Self> {
        let (session, frame) = (&field.session, &field.frame);
        let world = World::make_universal(connection, session, frame, our_world());
        let world = world.await.ok()?;
        let element = world.bring(field.node).await.ok()??;
        let kind = world.function(KIND).object(element.as_str()).for_value();
        let kind: Kind = kind.await.ok()?.result.read().ok()?;
        Some(Self {
            world,
            element,
            folder: kind.folder,
        })
    }

    fn suits(&self, files: &[PathBuf]) -> Result<(), NotGiven> {
        let folder = files.iter().find(|path| path.is_dir());
        match (self.folder, folder) {
            (true, None) => Err(NotGiven::Files),
            (true, Some(_)) if files.len() > 1 => Err(NotGiven::Files),
            (false, Some(folder)) => Err(NotGiven::Folder(folder.display().to_string())),
            _ => Ok(()),
        }
    }

    async fn watch(self) -> Option<Watched> {
        let told = self.world.function(LISTEN).object(self.element);
        let told = told.for_handle().await.ok()?.result.object_id?;
        Some(Watched {
            folder: self.folder,
            told: self.world.object(told),
        })
    }
}

/// A field whose events are heard.
struct Watched {
    folder: bool,
    told: Object,
}

impl Watched {
    async fn judge(self, files: &[PathBuf]) -> Result<(), NotGiven> {
        let names = files.iter().filter_map(|path| path.file_name());
        let names: Vec<String> = names
            .map(|name| name.to_string_lossy().into_owned())
            .collect();
        let (wanted, limit) = match self.folder {
            true => (None, FOLDER),
            false => (Some(&names), FILES),
        };
        let ms = u64::try_from(limit.as_millis()).unwrap_or_default();
        let told = self.told.function(TOLD).value(json!(wanted)).value(ms);
        let told = match told.awaited().for_value().await {
            // The page went elsewhere with the files.
            Err(error) if is_gone(&error) => return Ok(()),
            told => told?,
        };
        let Ok(told) = told.result.read::<Heard>() else {
            return Ok(());
        };
        let fits = match self.folder {
            true => {
                let within = format!("{}/", names.first().map_or("", String::as_str));
                told.held.iter().any(|name| name.starts_with(&within))
            }
            false => told.held == names,
        };
        // A page that empties the field has taken what it held.
        match fits || (told.taken && told.held.is_empty()) {
            true => Ok(()),
            false => Err(NotGiven::Lost(told.held)),
        }
    }
}
