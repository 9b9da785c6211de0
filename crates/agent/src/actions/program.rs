//! Runs a program for the model: no shell, its input on stdin, bounded in time and output.

use std::process::Stdio;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process_group};
use szk_tools::{Code, Done, Failure};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt};
use tokio::process::Command;
use tokio::time::timeout;

/// Most of its output that the model hears, in bytes.
const OUTPUT: usize = 32 << 10;
/// Most to read of it at once.
const CHUNK: usize = 8 << 10;
/// How long the rest of its output may take once it has ended.
const REST: Duration = Duration::from_secs(1);
/// Most of what it says of an error, in characters.
const ERROR: usize = 600;

/// Kills the program, and what it has started, however the call ends.
struct Group(Pid);

impl Drop for Group {
    fn drop(&mut self) {
        // Err: all of them have ended.
        let _ = kill_process_group(self.0, Signal::KILL);
    }
}

/// What the program prints.
///
/// # Errors
/// `NOT_FOUND` if it cannot be started, `SCRIPT_FAILED` if it ends with an error, `TIMEOUT`.
pub(super) async fn run(
    command: &[String],
    input: &str,
    limit: Duration,
) -> Result<String, Failure> {
    let (program, arguments) = command
        .split_first()
        .ok_or_else(|| Failure::internal("an action without a program"))?;
    let started = Command::new(program)
        .args(arguments)
        // The provider's key is szk's alone.
        .env_remove("SZK_AGENT_KEY")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .process_group(0)
        .kill_on_drop(true)
        .spawn();
    let mut child = started.map_err(|error| {
        let program = szk_text::line(program, 200);
        Failure::new(
            Code::NotFound,
            format!("`{program}` cannot be started: {error}"),
        )
        .hint("go on without it, and say so at the end")
    })?;
    let group = child
        .id()
        .and_then(|id| Pid::from_raw(i32::try_from(id).ok()?));
    let _group = group.map(Group);
    let (mut stdin, stdout, stderr) =
        (child.stdin.take(), child.stdout.take(), child.stderr.take());
    let (said, complained) = (Output::default(), Output::default());
    let work = async {
        let give = async {
            if let Some(stdin) = &mut stdin {
                // Err: it does not read what it is given.
                let _ = stdin.write_all(input.as_bytes()).await;
            }
            drop(stdin.take());
        };
        let talk = async { tokio::join!(give, said.read(stdout), complained.read(stderr)) };
        let mut talk = std::pin::pin!(talk);
        tokio::select! {
            // All is said: it is about to end.
            _ = &mut talk => child.wait().await,
            // What it has started may hold its output open for as long as it likes.
            ended = child.wait() => {
                // Err: what was said by then is all there is.
                let _ = timeout(REST, &mut talk).await;
                ended
            }
        }
    };
    let Ok(ended) = timeout(limit, work).await else {
        let seconds = limit.as_secs();
        let late = Failure::new(
            Code::Timeout,
            format!("the program did not end within {seconds} s, and was killed"),
        );
        return Err(late.effect(Done::Unknown));
    };
    let (said, complained) = (said.text(), complained.text());
    match ended {
        Ok(status) if status.success() => Ok(said),
        ended => {
            let how = ended.map_or_else(|error| error.to_string(), |status| status.to_string());
            let why = match complained.trim() {
                "" => said,
                _ => complained,
            };
            let why = szk_text::line(&why, ERROR);
            let failed = Failure::new(Code::ScriptFailed, format!("{how}: {why}"));
            Err(failed.effect(Done::Unknown))
        }
    }
}

/// The beginning of what a program prints. The rest is read and dropped, so that it can go on.
#[derive(Default)]
struct Output {
    // A std mutex: nothing awaits under it.
    read: Mutex<Read>,
}

#[derive(Default)]
struct Read {
    kept: Vec<u8>,
    /// Bytes that were dropped.
    more: usize,
}

impl Output {
    async fn read(&self, from: Option<impl AsyncRead + Unpin>) {
        let Some(mut from) = from else {
            return;
        };
        let mut chunk = vec![0; CHUNK];
        // Err: what was read by then is all there is.
        while let Ok(count @ 1..) = from.read(&mut chunk).await {
            let mut read = self.read.lock().unwrap_or_else(PoisonError::into_inner);
            let room = OUTPUT.saturating_sub(read.kept.len()).min(count);
            read.kept.extend_from_slice(&chunk[..room]);
            read.more += count - room;
        }
    }

    fn text(&self) -> String {
        let read = self.read.lock().unwrap_or_else(PoisonError::into_inner);
        let mut text = String::from_utf8_lossy(&read.kept).into_owned();
        if read.more > 0 {
            text.push_str(&format!("\n(cut off: {} more bytes)", read.more));
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn ran(script: &str, input: &str, limit: Duration) -> Result<String, Failure> {
        let command = ["sh", "-c", script].map(str::to_owned);
        run(&command, input, limit).await
    }

    #[tokio::test]
    async fn a_program_answers_by_what_it_prints() {
        let long = Duration::from_secs(20);
        let said = ran("cat; echo; echo done", "{\"a\":1}", long).await;
        assert_eq!(said.unwrap(), "{\"a\":1}\ndone\n");
        // It need not read what it is given.
        let given = "x".repeat(1 << 20);
        assert_eq!(ran("echo ok", &given, long).await.unwrap(), "ok\n");
        let said = ran("head -c 100000 /dev/zero | tr '\\0' a", "", long).await;
        let said = said.unwrap();
        assert!(
            said.ends_with("a\n(cut off: 67232 more bytes)"),
            "{said:.40}"
        );
        let failed = ran("echo no such thing >&2; exit 3", "", long).await;
        let failed = failed.unwrap_err();
        assert_eq!(failed.code, Code::ScriptFailed);
        let message = &failed.message;
        assert!(message.contains("3: no such thing"), "{message}");
        let none = run(&["/nowhere/at-all".to_owned()], "", long).await;
        assert_eq!(none.unwrap_err().code, Code::NotFound);
    }

    #[tokio::test]
    async fn a_program_has_ended_even_if_a_child_holds_its_output() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("pid");
        let long = Duration::from_secs(60);
        let script = format!("sleep 600 & echo $! > {}; echo started", file.display());
        assert_eq!(ran(&script, "", long).await.unwrap(), "started\n");
        assert_ends(&file);
        // The same where it fails, and leaves its input unread.
        let script = "sleep 600 & echo no such thing >&2; exit 3";
        let given = "x".repeat(1 << 20);
        let failed = ran(script, &given, long).await.unwrap_err();
        assert_eq!(failed.code, Code::ScriptFailed, "{failed:?}");
        assert!(failed.message.contains("no such thing"), "{failed:?}");
    }

    #[tokio::test]
    async fn what_takes_too_long_is_killed_with_all_that_it_has_started() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("pid");
        let script = format!("sleep 600 & echo $! > {}; wait", file.display());
        let late = ran(&script, "", Duration::from_millis(800)).await;
        assert_eq!(late.unwrap_err().code, Code::Timeout);
        assert_ends(&file);
    }

    /// The process whose number is in a file ends.
    fn assert_ends(file: &std::path::Path) {
        let pid = std::fs::read_to_string(file).unwrap();
        let stat = format!("/proc/{}/stat", pid.trim());
        let began = std::time::Instant::now();
        let alive = || {
            // A zombie has ended.
            std::fs::read_to_string(&stat).is_ok_and(|stat| !stat.contains(") Z "))
        };
        while alive() {
            assert!(began.elapsed() < Duration::from_secs(10), "it still runs");
            std::thread::yield_now();
        }
    }
}
