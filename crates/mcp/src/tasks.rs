//! Calls that take long, as tasks (extension `io.modelcontextprotocol/tasks`): the client gets a number
//! at once and asks for the outcome when it likes.
//!
//! Only clients that declare the extension get tasks. A task lives in this process: it ends with
//! `szk mcp`, like a call. rmcp keeps the states; the bounds are ours. Each task has a manager of its own:
//! rmcp forgets no single one before its time.

use std::collections::HashMap;
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rmcp::model::{CallToolResult, ErrorData, GetTaskResult, InputRequest, InputResponses, Task};
use rmcp::task_manager::{TaskContext, TaskExit, TaskManager, TaskOptions};
use serde_json::{Value, json};
use szk_tools::{Call, budget};
use tokio::time::Instant;

/// Tasks that may run at once; further calls run as ordinary ones.
const RUNNING: usize = 16;

/// Tasks that may be kept, running or ended. One too many takes the place of one that has ended.
const KEPT: usize = 64;

/// How long a task is kept after its end, unless others take its place.
const GRACE: Duration = Duration::from_secs(300);

/// How often a client should ask, in milliseconds.
const POLL_MS: u64 = 1000;

/// The tasks of this process; clones share them.
#[derive(Clone, Default)]
pub struct Tasks {
    /// By number. A std mutex: nothing awaits under it.
    kept: Arc<Mutex<HashMap<String, Kept>>>,
}

struct Kept {
    /// Of this task only.
    manager: TaskManager,
    /// Until when the client was told that it is kept.
    until: Instant,
    /// When it ended, if it has.
    ended: Option<Instant>,
    /// Whether the client has got its outcome.
    read: bool,
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
        let mut kept = self.lock();
        if running(&kept) >= RUNNING {
            tracing::info!("too many tasks: this call runs as an ordinary one");
            return None;
        }
        make_room(&mut kept);
        let options = TaskOptions::new()
            .with_ttl_ms(u64::try_from(ttl.as_millis()).unwrap_or(u64::MAX))
            .with_poll_interval_ms(POLL_MS)
            .with_status_message(format!("`{name}` is running"));
        let (tasks, manager) = (self.clone(), TaskManager::new());
        let task = manager.spawn(options, move |context| {
            let ended = Ended(tasks.clone(), context.task_id().to_owned());
            let run = run(Running { context, tasks });
            Box::pin(async move {
                let _ended = ended;
                run.await
            })
        });
        let one = Kept {
            manager,
            until: Instant::now() + ttl,
            ended: None,
            read: false,
        };
        kept.insert(task.task_id.clone(), one);
        Some(task)
    }

    /// How many are running.
    pub(crate) fn running(&self) -> usize {
        running(&self.lock())
    }

    /// Whether there is none that the client may ask for.
    pub(crate) fn is_empty(&self) -> bool {
        let mut kept = self.lock();
        forget_old(&mut kept);
        kept.is_empty()
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, Kept>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What keeps the state of a task.
    fn of(&self, id: &str) -> Result<TaskManager, ErrorData> {
        let mut kept = self.lock();
        forget_old(&mut kept);
        let one = kept.get(id).map(|one| one.manager.clone());
        one.ok_or_else(|| ErrorData::invalid_params(format!("unknown task: {id}"), None))
    }

    /// A task as it stands, with its result once it has one.
    ///
    /// # Errors
    /// There is no such task.
    pub(crate) fn get(&self, id: &str) -> Result<GetTaskResult, ErrorData> {
        let task = self.of(id)?.get_task(id)?;
        if task.status().is_terminal()
            && let Some(one) = self.lock().get_mut(id)
        {
            one.read = true;
        }
        Ok(GetTaskResult::new(task))
    }

    /// Takes the answers to a task's questions.
    ///
    /// # Errors
    /// There is no such task.
    pub(crate) fn answer(&self, id: &str, said: InputResponses) -> Result<(), ErrorData> {
        self.of(id)?.update_task(id, said)
    }

    /// Cancels a task.
    ///
    /// # Errors
    /// There is no such task.
    pub(crate) fn cancel(&self, id: &str) -> Result<(), ErrorData> {
        self.of(id)?.cancel_task(id)
    }
}

/// How many are running. rmcp ends those whose time is over when it is asked.
fn running(kept: &HashMap<String, Kept>) -> usize {
    let running = kept.values().filter(|one| one.ended.is_none());
    running.map(|one| one.manager.running_task_count()).sum()
}

/// Forgets those that were kept for as long as the client was told, and a while after their end.
fn forget_old(kept: &mut HashMap<String, Kept>) {
    let now = Instant::now();
    kept.retain(|_, one| {
        one.ended
            .is_none_or(|ended| now < one.until.max(ended + GRACE))
    });
}

/// Makes room for one more: those go first whose outcome the client has got, then those that ended first.
fn make_room(kept: &mut HashMap<String, Kept>) {
    forget_old(kept);
    while kept.len() >= KEPT {
        let ended = kept
            .iter()
            .filter_map(|(id, one)| Some((!one.read, one.ended?, id)));
        // At most RUNNING have not ended, and those are fewer than KEPT.
        let Some(first) = ended.min().map(|(_, _, id)| id.clone()) else {
            return;
        };
        kept.remove(&first);
    }
}

/// Notes the end of a task, however it ends.
struct Ended(Tasks, String);

impl Drop for Ended {
    fn drop(&mut self) {
        if let Some(one) = self.0.lock().get_mut(&self.1) {
            one.ended = Some(Instant::now());
        }
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

#[cfg(test)]
mod tests {
    use rmcp::model::{ContentBlock, TaskStatus};

    use super::*;

    const HOUR: Duration = Duration::from_secs(3600);

    fn quick(tasks: &Tasks) -> Option<Task> {
        let done = || CallToolResult::success(vec![ContentBlock::text("done")]);
        tasks.begin(HOUR, "test", |_| async move { Ok(done()) })
    }

    async fn ended(tasks: &Tasks) {
        while tasks.running() > 0 {
            tokio::task::yield_now().await;
        }
    }

    #[tokio::test]
    async fn what_has_ended_takes_no_place() {
        let tasks = Tasks::default();
        let first = quick(&tasks).unwrap();
        ended(&tasks).await;
        let mut last = first.clone();
        for _ in 0..3 * KEPT {
            last = quick(&tasks).unwrap();
            ended(&tasks).await;
        }
        assert_eq!(tasks.lock().len(), KEPT);
        let status = tasks.get(&last.task_id).unwrap().task.status();
        assert_eq!(status, TaskStatus::Completed);
        assert!(tasks.get(&first.task_id).is_err());
    }

    #[tokio::test]
    async fn an_outcome_that_was_read_goes_first() {
        let tasks = Tasks::default();
        let first = quick(&tasks).unwrap();
        ended(&tasks).await;
        let read = quick(&tasks).unwrap();
        ended(&tasks).await;
        tasks.get(&read.task_id).unwrap();
        for _ in 2..=KEPT {
            quick(&tasks).unwrap();
            ended(&tasks).await;
        }
        assert!(tasks.get(&first.task_id).is_ok());
        assert!(tasks.get(&read.task_id).is_err());
    }

    #[tokio::test]
    async fn those_that_run_are_bounded_and_kept() {
        let tasks = Tasks::default();
        let run = || tasks.begin(HOUR, "test", |_| std::future::pending());
        let all: Vec<Task> = (0..RUNNING).filter_map(|_| run()).collect();
        assert_eq!((all.len(), tasks.running()), (RUNNING, RUNNING));
        assert!(run().is_none());
        for one in all {
            assert!(tasks.get(&one.task_id).is_ok());
        }
    }

    #[tokio::test(start_paused = true)]
    async fn an_outcome_is_kept_for_as_long_as_the_client_was_told() {
        let tasks = Tasks::default();
        let task = quick(&tasks).unwrap();
        ended(&tasks).await;
        let told = Duration::from_millis(task.ttl_ms.unwrap());
        tokio::time::advance(told - Duration::from_secs(1)).await;
        assert!(tasks.get(&task.task_id).is_ok() && !tasks.is_empty());
        tokio::time::advance(Duration::from_secs(1)).await;
        assert!(tasks.get(&task.task_id).is_err() && tasks.is_empty());
    }
}
