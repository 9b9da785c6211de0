//! Calls that take long, as tasks (extension `io.modelcontextprotocol/tasks`): the client gets a number
//! at once and asks for the outcome when it likes.
//!
//! Only clients that declare the extension get tasks. A task lives in this process: it ends with
//! `szk mcp`, like a call. rmcp keeps the states; the bounds are ours.

use std::collections::VecDeque;
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use rmcp::model::{CallToolResult, ErrorData, GetTaskResult, InputRequest, InputResponses, Task};
use rmcp::task_manager::{TaskContext, TaskExit, TaskManager, TaskOptions};
use serde_json::{Value, json};
use szk_tools::{Call, budget};

/// Tasks that may run at once; further calls run as ordinary ones.
const RUNNING: usize = 16;

/// Tasks that may be kept, running or ended.
const KEPT: usize = 64;

/// How long an ended task is kept at least.
const GRACE: Duration = Duration::from_secs(300);

/// How often a client should ask, in milliseconds.
const POLL_MS: u64 = 1000;

/// The tasks of this process; clones share them.
#[derive(Clone, Default)]
pub struct Tasks {
    manager: TaskManager,
    /// When each task is forgotten, oldest first. A std mutex: nothing awaits under it.
    kept: Arc<Mutex<VecDeque<Instant>>>,
}

impl fmt::Debug for Tasks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tasks").finish_non_exhaustive()
    }
}

/// Whether a call takes long enough to be a task.
pub(crate) fn takes_long(call: &Call) -> bool {
    match call {
        // Ending one is done at once.
        Call::SessionHandoff(input) => input.end.is_none(),
        Call::WorkflowLogin(_)
        | Call::WorkflowScrape(_)
        | Call::WorkflowCrawl(_)
        | Call::AgentRun(_)
        | Call::BrowserRunTest(_)
        | Call::SessionRunTest(_) => true,
        _ => false,
    }
}

impl Tasks {
    /// Starts a task for the call of a tool that takes up to `budget`; `None` if there are too many.
    pub fn begin<F>(
        &self,
        budget: Duration,
        name: &str,
        run: impl FnOnce(Running) -> F,
    ) -> Option<Task>
    where
        F: Future<Output = Result<CallToolResult, TaskExit>> + Send + 'static,
    {
        // A person may be asked on the way.
        let person = Duration::from_millis(budget::HANDOFF_WAIT_MS);
        let ttl = budget + person + GRACE;
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let now = Instant::now();
        kept.retain(|end| *end > now);
        if kept.len() >= KEPT || self.manager.running_task_count() >= RUNNING {
            tracing::info!("too many tasks: this call runs as an ordinary one");
            return None;
        }
        // rmcp keeps an ended task for as long again.
        kept.push_back(now + 2 * ttl);
        let options = TaskOptions::new()
            .with_ttl_ms(u64::try_from(ttl.as_millis()).unwrap_or(u64::MAX))
            .with_poll_interval_ms(POLL_MS)
            .with_status_message(format!("`{name}` is running"));
        let tasks = self.clone();
        Some(self.manager.spawn(options, move |context| {
            Box::pin(run(Running { context, tasks }))
        }))
    }

    /// A task as it stands, with its result once it has one.
    ///
    /// # Errors
    /// There is no such task.
    pub(crate) fn get(&self, id: &str) -> Result<GetTaskResult, ErrorData> {
        self.manager.get_task(id).map(GetTaskResult::new)
    }

    /// Takes the answers to a task's questions.
    ///
    /// # Errors
    /// There is no such task.
    pub(crate) fn answer(&self, id: &str, said: InputResponses) -> Result<(), ErrorData> {
        self.manager.update_task(id, said)
    }

    /// Cancels a task.
    ///
    /// # Errors
    /// There is no such task.
    pub(crate) fn cancel(&self, id: &str) -> Result<(), ErrorData> {
        self.manager.cancel_task(id)
    }
}

/// A running task, from the inside.
#[derive(Clone)]
pub struct Running {
    context: TaskContext,
    tasks: Tasks,
}

impl fmt::Debug for Running {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Running")
            .field(&self.context.task_id())
            .finish()
    }
}

impl Running {
    /// Says what the task is doing.
    pub(crate) fn tell(&self, message: &str) {
        self.context.set_status_message(message);
    }

    /// Waits until the client cancels the task.
    pub(crate) async fn cancelled(&self) {
        self.context.cancelled().await;
    }

    /// Whether the client has cancelled the task.
    pub(crate) fn is_cancelled(&self) -> bool {
        self.context.is_cancel_requested()
    }

    /// Asks the client, and waits for its answer; `None` if the task was cancelled. Dropping the future
    /// takes the question back.
    pub async fn ask(&self, question: InputRequest) -> Option<Value> {
        static NUMBER: AtomicU64 = AtomicU64::new(1);
        let open = Question {
            task: self,
            key: format!("person-{}", NUMBER.fetch_add(1, Ordering::Relaxed)),
        };
        let answer = self.context.request_input(open.key.clone(), question);
        answer.await.ok()
    }
}

/// A question that stands while somebody waits for its answer.
struct Question<'a> {
    task: &'a Running,
    key: String,
}

impl Drop for Question<'_> {
    fn drop(&mut self) {
        // An answer removes a question, and is ignored where none is left.
        let none = [(self.key.clone(), json!({}))];
        let none = self
            .task
            .tasks
            .answer(self.task.context.task_id(), none.into());
        drop(none);
    }
}
