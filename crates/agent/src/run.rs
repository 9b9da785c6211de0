//! The record of a run: a folder with every step, the pictures that the model was shown, and a page to look
//! through them.

mod page;
mod pictures;

use std::fs::{DirBuilder, File, OpenOptions, TryLockError};
use std::io::Write;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use szk_tools::{Code, Failure, Image};

use crate::model::{Answer, Usage};
use crate::{Limits, Outcome};

/// The file of the events, one on each line.
pub(crate) const EVENTS: &str = "events.jsonl";
/// The file of what came of it.
const OUTCOME: &str = "outcome.json";
/// The page.
const PAGE: &str = "index.html";
/// Longest record that is read.
const LONGEST: u64 = 256 << 20;

/// What happens in a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum Event {
    /// It begins.
    Began {
        /// The run.
        run: String,
        /// The session.
        session: String,
        /// The task.
        task: String,
        /// The model.
        model: String,
        /// Where it may go.
        origins: Vec<String>,
        /// What else it was given; missing in runs of older versions.
        #[serde(default)]
        terms: Option<Terms>,
    },
    /// It goes on after an interruption.
    Resumed {
        /// The model.
        model: String,
    },
    /// A recipe was replayed without the model.
    Replayed {
        /// The recipe.
        recipe: String,
        /// What was done, if it came to its end.
        steps: Vec<String>,
        /// Why the model has to go on, as it is told.
        stopped: Option<String>,
    },
    /// The model answered.
    Answer {
        /// The step.
        step: u64,
        /// What it said.
        answer: Answer,
        /// US dollars so far, if prices are known.
        cost: Option<f64>,
    },
    /// Something was done.
    Acted {
        /// The step.
        step: u64,
        /// The tool.
        tool: String,
        /// Its arguments.
        arguments: String,
        /// What the model was told.
        outcome: String,
        /// Whether it was refused or failed.
        failed: bool,
        /// Files of the run with the pictures that the model was shown.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        pictures: Vec<String>,
    },
    /// The run went round in circles, and the model planned anew.
    Planned {
        /// The plan; none if the model knew no other way.
        plan: Option<String>,
        /// Tokens of the plan.
        #[serde(default)]
        usage: Usage,
    },
    /// The judge answered.
    Judged {
        /// Whether the task was done.
        done: Option<bool>,
        /// Why.
        why: String,
        /// Tokens of the verdict.
        #[serde(default)]
        usage: Usage,
    },
    /// It ended.
    Ended {
        /// What came of it.
        outcome: Outcome,
    },
}

/// What a task is given besides its words: all that is needed to go on with it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Terms {
    /// The word in the marks around what pages say.
    pub marks: String,
    /// What the result has to look like.
    pub schema: Option<Value>,
    /// Names of secrets.
    pub secrets: Vec<String>,
    /// Whether a judge looks at it.
    pub judge: bool,
    /// The recipe that it becomes.
    pub save: Option<String>,
    /// Whether the model may write code.
    #[serde(default)]
    pub code: bool,
    /// Kinds of steps that the person agreed to beforehand.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub approve: Vec<String>,
    /// The newest entry of the log of acts when it began: a recipe is made of those after it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<u64>,
    /// Its limits.
    pub limits: Limits,
}

/// A run that is being recorded; it holds the lock on its events.
#[derive(Debug)]
pub(crate) struct Recorder {
    folder: PathBuf,
    events: File,
    /// Room that is left for pictures, in bytes.
    room: usize,
}

impl Recorder {
    /// Makes the folder, named after now.
    pub(crate) fn begin(runs: &Path) -> Result<(Self, String), Failure> {
        let now = Timestamp::now();
        let mut bytes = [0; 2];
        getrandom::fill(&mut bytes)
            .map_err(|error| Failure::internal(format!("no random numbers: {error}")))?;
        // With its milliseconds, so that names sort by time.
        let id = format!(
            "{}-{:03x}{:03x}",
            now.strftime("%Y%m%d-%H%M%S"),
            now.subsec_millisecond(),
            u16::from_be_bytes(bytes) >> 4
        );
        let folder = runs.join(&id);
        let mut builder = DirBuilder::new();
        let made = builder.recursive(true).mode(0o700).create(&folder);
        made.map_err(|error| storage(&folder, &error))?;
        let events = locked(&folder, true)?;
        let recorder = Self {
            folder,
            events,
            room: pictures::MOST,
        };
        Ok((recorder, id))
    }

    /// Goes on with a run: cuts off what was written only in part, and returns its events.
    pub(crate) fn again(runs: &Path, id: &str) -> Result<(Self, Vec<Event>), Failure> {
        let folder = match is_id(id) {
            true => runs.join(id),
            false => return Err(no_run(id)),
        };
        let events = locked(&folder, false)?;
        let path = folder.join(EVENTS);
        let text = szk_files::text(&path, LONGEST).map_err(|error| storage(&path, &error))?;
        let (read, length) = whole(&text);
        events
            .set_len(length as u64)
            .and_then(|()| events.sync_all())
            .map_err(|error| storage(&path, &error))?;
        let room = pictures::MOST.saturating_sub(pictures::size(&folder));
        let recorder = Self {
            folder,
            events,
            room,
        };
        Ok((recorder, read))
    }

    /// Adds an event; it is on disk when this returns.
    pub(crate) fn add(&self, event: &Event) -> Result<(), Failure> {
        let path = self.folder.join(EVENTS);
        let mut line = serde_json::to_vec(event)
            .map_err(|error| Failure::internal(format!("cannot write an event: {error}")))?;
        line.push(b'\n');
        (&self.events)
            .write_all(&line)
            .and_then(|()| self.events.sync_data())
            .map_err(|error| storage(&path, &error))
    }

    /// Keeps the pictures that the model is shown in a step, as long as there is room; returns their files.
    pub(crate) fn keep(&mut self, step: u64, images: &[Image]) -> Result<Vec<String>, Failure> {
        let mut kept = Vec::new();
        for image in images {
            let Some((ending, bytes)) = pictures::read(image) else {
                continue;
            };
            if bytes.len() > self.room {
                break;
            }
            self.room -= bytes.len();
            let name = pictures::name(step, kept.len(), ending);
            write(&self.folder.join(&name), &bytes)?;
            kept.push(name);
        }
        Ok(kept)
    }

    /// Writes what came of it, and the page.
    pub(crate) fn end(self, outcome: &Outcome) -> Result<(), Failure> {
        self.add(&Event::Ended {
            outcome: outcome.clone(),
        })?;
        let text = serde_json::to_string_pretty(outcome)
            .map_err(|error| Failure::internal(format!("cannot write the outcome: {error}")))?;
        write(&self.folder.join(OUTCOME), text.as_bytes())?;
        write(
            &self.folder.join(PAGE),
            page::of(&read(&self.folder)?).as_bytes(),
        )
    }
}

/// The events of a run.
///
/// # Errors
/// The folder holds no run, or an unreadable one.
pub fn read(folder: &Path) -> Result<Vec<Event>, Failure> {
    let path = folder.join(EVENTS);
    let text = szk_files::text(&path, LONGEST).map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => no_run(&folder.display().to_string()),
        _ => storage(&path, &error),
    })?;
    Ok(whole(&text).0)
}

/// The events that were written whole, and their length in bytes: the last line of a run that was killed
/// may be cut off.
fn whole(text: &str) -> (Vec<Event>, usize) {
    let mut events = Vec::new();
    let mut length = 0;
    for line in text.split_inclusive('\n') {
        let event = line.strip_suffix('\n').map(serde_json::from_str);
        let Some(Ok(event)) = event else { break };
        events.push(event);
        length += line.len();
    }
    (events, length)
}

/// Opens the events of a run for one process at a time.
fn locked(folder: &Path, new: bool) -> Result<File, Failure> {
    let path = folder.join(EVENTS);
    let mut options = OpenOptions::new();
    let options = options.read(true).append(true).create_new(new).mode(0o600);
    let file = options.open(&path).map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => no_run(&folder.display().to_string()),
        _ => storage(&path, &error),
    })?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(Failure::new(
            Code::SessionBusy,
            "another process is carrying out this run",
        )
        .hint("wait until it has ended, or stop it")
        .retryable()),
        Err(TryLockError::Error(error)) => Err(storage(&path, &error)),
    }
}

fn no_run(name: &str) -> Failure {
    let message = format!("`{}` is not the name of a run", szk_text::line(name, 200));
    Failure::new(Code::NotFound, message).hint("list the runs with `szk runs list`")
}

/// The runs in a folder, newest first: their names, and their first and last event.
///
/// # Errors
/// The folder is unreadable.
pub fn list(runs: &Path) -> Result<Vec<(String, Vec<Event>)>, Failure> {
    let entries = match std::fs::read_dir(runs) {
        Ok(entries) => entries,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(storage(runs, &error)),
    };
    let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let mut names: Vec<String> = names.filter(|name| is_id(name)).collect();
    names.sort_unstable_by(|a, b| b.cmp(a));
    let read = |name: String| {
        let events = read(&runs.join(&name)).ok()?;
        Some((name, events))
    };
    Ok(names.into_iter().filter_map(read).collect())
}

/// Whether this can be the name of a run, and so of a folder.
#[must_use]
pub fn is_id(name: &str) -> bool {
    let known = |byte: u8| byte.is_ascii_digit() || byte == b'-' || (b'a'..=b'f').contains(&byte);
    name.len() == 22 && name.bytes().all(known)
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    let folder = path.parent().unwrap_or(path);
    let written = tempfile::NamedTempFile::new_in(folder).and_then(|mut file| {
        file.write_all(bytes)?;
        file.as_file().sync_all()?;
        file.persist(path)?;
        Ok(())
    });
    written.map_err(|error| storage(path, &error))
}

fn storage(path: &Path, error: &std::io::Error) -> Failure {
    Failure::new(Code::Storage, format!("`{}`: {error}", path.display()))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn a_killed_run_goes_on_after_its_last_whole_event() {
        let runs = tempfile::tempdir().unwrap();
        let (recorder, id) = Recorder::begin(runs.path()).unwrap();
        let resumed = |model: &str| Event::Resumed {
            model: model.to_owned(),
        };
        recorder.add(&resumed("a")).unwrap();
        let busy = Recorder::again(runs.path(), &id).unwrap_err();
        assert_eq!(busy.code, Code::SessionBusy);
        drop(recorder);
        let path = runs.path().join(&id).join(EVENTS);
        let mut file = OpenOptions::new().append(true).open(&path).unwrap();
        // Whole JSON, but nobody knows whether the line would have gone on.
        file.write_all(b"{\"event\":\"resumed\",\"model\":\"b\"}")
            .unwrap();
        let (recorder, events) = Recorder::again(runs.path(), &id).unwrap();
        assert_eq!(events, [resumed("a")]);
        recorder.add(&resumed("c")).unwrap();
        drop(recorder);
        let folder = runs.path().join(&id);
        assert_eq!(read(&folder).unwrap(), [resumed("a"), resumed("c")]);
        for wrong in ["20260101-000000-aaaaaa", "../../x", ""] {
            let missing = Recorder::again(runs.path(), wrong).unwrap_err();
            assert_eq!(missing.code, Code::NotFound, "{wrong}");
        }
    }

    #[test]
    fn a_run_is_a_private_folder_that_can_be_read_again() {
        let runs = tempfile::tempdir().unwrap();
        let runs = runs.path().join("runs");
        let (recorder, id) = Recorder::begin(&runs).unwrap();
        assert!(is_id(&id), "{id}");
        let began = Event::Began {
            run: id.clone(),
            session: "work".to_owned(),
            task: "<b>look</b>".to_owned(),
            model: "m".to_owned(),
            origins: Vec::new(),
            terms: Some(Terms::default()),
        };
        recorder.add(&began).unwrap();
        recorder.end(&Outcome::default()).unwrap();
        let mode = |path: &Path| path.metadata().unwrap().permissions().mode() & 0o777;
        let folder = runs.join(&id);
        assert_eq!(mode(&folder), 0o700);
        for file in [EVENTS, OUTCOME, PAGE] {
            assert_eq!(mode(&folder.join(file)), 0o600, "{file}");
        }
        let listed = list(&runs).unwrap();
        assert_eq!(listed[0].1[0], began);
        let html = std::fs::read_to_string(folder.join(PAGE)).unwrap();
        assert!(
            html.contains("&lt;b>look") && !html.contains("<b>"),
            "{html}"
        );
        for wrong in ["../../../../etc/passwd", "", "20260101-000000-zzzzzz"] {
            assert!(!is_id(wrong), "{wrong}");
        }
    }

    #[test]
    fn pictures_are_kept_beside_the_events_until_there_is_no_room() {
        let runs = tempfile::tempdir().unwrap();
        let (mut recorder, id) = Recorder::begin(runs.path()).unwrap();
        let image = |mime: &str| Image {
            mime: mime.to_owned(),
            base64: "AAAA".to_owned(),
        };
        let shown = [image("image/jpeg"), image("text/html"), image("image/png")];
        let kept = recorder.keep(3, &shown).unwrap();
        assert_eq!(kept, ["step-0003-1.jpg", "step-0003-2.png"]);
        let folder = runs.path().join(&id);
        let file = folder.join(&kept[0]);
        assert_eq!(std::fs::read(&file).unwrap(), [0; 3]);
        assert_eq!(file.metadata().unwrap().permissions().mode() & 0o777, 0o600);
        let acted = |pictures| Event::Acted {
            step: 3,
            tool: "browser_screenshot".to_owned(),
            arguments: "{}".to_owned(),
            outcome: String::new(),
            failed: false,
            pictures,
        };
        recorder.add(&acted(kept)).unwrap();
        let forged = [
            "../../x.png",
            "step-\"><script>.png",
            "https://a.example/x.png",
        ];
        recorder
            .add(&acted(forged.map(str::to_owned).to_vec()))
            .unwrap();
        recorder.room = 2;
        assert!(recorder.keep(4, &shown).unwrap().is_empty());
        recorder.end(&Outcome::default()).unwrap();
        let html = std::fs::read_to_string(folder.join(PAGE)).unwrap();
        assert!(html.contains("<img src=\"step-0003-2.png\""), "{html}");
        assert_eq!(html.matches("<img").count(), 2, "{html}");
        let (again, _) = Recorder::again(runs.path(), &id).unwrap();
        assert_eq!(again.room, pictures::MOST - 6);
    }
}
