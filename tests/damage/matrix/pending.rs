//! What szk is doing when the blow falls, and what happens to it.

use std::net::{TcpListener, TcpStream};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::harness::{Driver, PATIENTLY, Signal, wait_until};

use super::chain::{Chain, PROFILE};
use super::lists::{Moment, Target};
use super::processes;
use super::saving::Saving;

/// How long work lasts that is meant to be interrupted, in milliseconds.
const WORK: u64 = 1500;
/// The time budget of such a call.
const BUDGET: u64 = 8000;
/// When a call must have an answer: its budget, plus what a busy machine adds.
const ANSWERED: Duration = Duration::from_secs(60);

/// The work in progress.
#[derive(Default)]
pub(super) struct Pending {
    call: Option<u64>,
    client: Option<(Driver, u64)>,
    saving: Option<Saving>,
    /// A server that never answers; its connections close when this is dropped.
    silent: Option<TcpListener>,
    /// The connection waiting for it.
    asking: Option<TcpStream>,
}

impl Pending {
    pub(super) fn begin(chain: &mut Chain, moment: Moment) -> Self {
        let mut pending = Self::default();
        let mut post = |chain: &mut Chain, tool: &str, arguments: Value| {
            pending.call = Some(chain.mcp.post(tool, arguments));
        };
        let session = json!({"session": PROFILE});
        match moment {
            Moment::Idle => {}
            Moment::Busy => post(
                chain,
                "browser_run_code",
                json!({
                    "session": PROFILE, "timeout_ms": BUDGET,
                    "code": format!("for (const end = Date.now() + {WORK}; Date.now() < end;);"),
                }),
            ),
            Moment::Navigation => {
                let silent = TcpListener::bind(("127.0.0.1", 0)).unwrap();
                let url = format!("http://{}/", silent.local_addr().unwrap());
                pending.silent = Some(silent);
                post(
                    chain,
                    "browser_navigate",
                    json!({
                        "session": PROFILE, "tab": "new", "url": url, "timeout_ms": WORK,
                    }),
                );
            }
            Moment::Save => {
                pending.saving = Some(Saving::watch(&chain.env.in_profile(PROFILE, "")));
            }
            Moment::Open => {
                chain.mcp.ok("session_close", session.clone());
                post(chain, "session_open", session);
            }
            Moment::Close => post(chain, "session_close", session),
            Moment::Restore => {
                let family = processes::of(Target::Everything, &chain.env, 0);
                family
                    .iter()
                    .for_each(|process| process.signal(Signal::KILL));
                post(chain, "session_open", session);
            }
            Moment::Client => {
                let mut client = chain.client();
                // A crashed page answers no client, on a bare Chromium either.
                let id = client.post(&format!(
                    "const end = Date.now() + {WORK};
                    const work = async () => {{
                      const id = await first();
                      while (Date.now() < end) await send('Runtime.evaluate', {{ expression: '6 * 7' }}, id);
                    }};
                    const given_up = new Promise((done) => setTimeout(() => done('given up'), {WORK} * 3));
                    return Promise.race([work().catch(String), closed.then(() => 'closed'), given_up])"
                ));
                pending.client = Some((client, id));
            }
        }
        pending
    }

    /// Returns at the moment when the blow should fall.
    pub(super) fn strike_now(&mut self) {
        if let Some(saving) = self.saving.take() {
            saving.begins();
        }
        if let Some(silent) = &self.silent {
            // It may have given up before the target was there.
            silent.set_nonblocking(true).expect("it is a socket");
            let mut asking = None;
            let began = Instant::now();
            wait_until("the navigation waits", PATIENTLY, || {
                asking = silent.accept().ok().map(|(stream, _)| stream);
                asking.is_some() || began.elapsed() > Duration::from_millis(WORK)
            });
            self.asking = asking;
        }
    }

    /// Waits for the answers. Callers of a front end that was killed hear that it is gone.
    pub(super) fn settle(self, chain: &mut Chain, front_ended: bool) -> Vec<String> {
        let mut troubles = Vec::new();
        if let (Some(id), false) = (self.call, front_ended) {
            let answered = chain.mcp.answer_within(id, ANSWERED);
            if answered.is_none() {
                troubles.push("the call was never answered".into());
            }
        }
        if let Some((mut client, id)) = self.client {
            // Either outcome is an answer; a missing one ends the row.
            let _ = client.answer(id);
        }
        troubles
    }
}
