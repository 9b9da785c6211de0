//! A profile that is hit again and again: each row starts from what the previous one left.

use std::fs;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::harness::process::Process;
use crate::harness::{
    Driver, Mcp, PATIENTLY, SOON, Signal, TestEnv, look_for, wait_for, wait_until,
};

use super::lists::{Blow, Cell, Moment, Target};
use super::pending::Pending;
use super::plan::Plan;
use super::processes;
use super::site::WorkSite;
use super::verdict::Verdict;

/// The profile's name.
pub(super) const PROFILE: &str = "work";
/// How long a target may take to appear while a profile opens.
const APPEARS: Duration = Duration::from_secs(20);
/// A temporary file that exists this long is a leftover.
const STAYS: Duration = Duration::from_secs(3);
/// How long a page of a restarted browser has to report on its own what it found.
const BY_ITSELF: Duration = Duration::from_secs(4);

/// The environment that rows share.
pub(super) struct Chain {
    pub(super) mcp: Mcp,
    pub(super) env: TestEnv,
    pub(super) site: WorkSite,
    /// How often the running keeper's browser has died: it gives up at the sixth time.
    deaths: usize,
    plan: Plan,
}

impl Chain {
    /// A profile with a base that has been closed and reopened, and a page at work.
    pub(super) fn begin(plan: Plan) -> Self {
        let env = TestEnv::new();
        env.config(&format!("[session]\nsave_seconds = {}\n", plan.save));
        let site = WorkSite::serve();
        let mut mcp = env.mcp();
        mcp.open_session(PROFILE);
        let go = |url: String| json!({"session": PROFILE, "url": url});
        mcp.ok("browser_navigate", go(site.base()));
        site.wait_based();
        mcp.ok("browser_navigate", go(site.work()));
        site.wait_rounds(2, 0);
        mcp.ok("session_close", json!({"session": PROFILE}));
        mcp.open_session(PROFILE);
        Self {
            mcp,
            env,
            site,
            deaths: 0,
            plan,
        }
    }

    /// One row: the page works, the blow falls, everything comes back, and we count what is gone.
    pub(super) fn row(&mut self, cell: Cell) -> Verdict {
        let began = Instant::now();
        let mut verdict = Verdict::new(cell);
        self.settle(self.plan.deaths);
        verdict.mark = self.steady();
        verdict.stage("steady", began);
        let log = self.log().len();
        let mut pending = Pending::begin(self, cell.moment);
        let targets = self.targets(cell, &mut pending);
        let (written, told) = self.site.now();
        verdict.absent = targets.is_empty();
        self.strike(cell.blow, &targets);
        let struck = Instant::now();
        let fronts_end =
            matches!(cell.target, Target::Front | Target::Everything) && cell.blow != Blow::Stop;
        verdict.troubles.extend(pending.settle(self, fronts_end));
        verdict.stage("answer", struck);
        if fronts_end {
            self.mcp = self.env.mcp();
        }
        let found = self.found(told, &mut verdict);
        verdict.stage("back", struck);
        verdict.compare(written, &found);
        verdict.died = !targets.is_empty() && targets.iter().all(|target| !target.lives());
        verdict.troubles.extend(self.left(log, &verdict));
        verdict.stage("clean", struck);
        self.deaths += usize::from(verdict.died && cell.target == Target::Browser);
        verdict.took = began.elapsed();
        if !verdict.holds() {
            eprintln!("the keeper's log of {verdict}:\n{}", &self.log()[log..]);
        }
        verdict
    }

    /// Lets the page work for a while; returns how many seconds of that may be lost.
    pub(super) fn steady(&self) -> f64 {
        let round = self.site.wait_rounds(self.plan.rounds, self.plan.millis());
        self.plan.mark(round)
    }

    /// Ends everything; returns what is left over.
    pub(super) fn end(mut self) -> Vec<String> {
        self.mcp.call("session_close", json!({"session": PROFILE}));
        self.mcp.hang_up();
        self.mcp.ended();
        wait_until("no process is left", PATIENTLY, || {
            self.env.processes().is_empty()
        });
        self.env_files()
    }

    /// Closes and reopens if the keeper's browser has died so often that the keeper would not restart
    /// it.
    fn settle(&mut self, most: usize) {
        if self.deaths >= most {
            self.mcp.ok("session_close", json!({"session": PROFILE}));
            self.mcp.open_session(PROFILE);
            self.deaths = 0;
        }
    }

    /// The processes to hit; while a profile opens they appear one after another.
    fn targets(&mut self, cell: Cell, pending: &mut Pending) -> Vec<Process> {
        let front = self.mcp.pid();
        let began = Instant::now();
        let appears = matches!(cell.moment, Moment::Open | Moment::Restore);
        loop {
            let found = processes::of(cell.target, &self.env, front);
            let whole = processes::complete(cell.target, &found);
            if whole || !appears || began.elapsed() > APPEARS {
                pending.strike_now();
                return found;
            }
        }
    }

    fn strike(&self, blow: Blow, targets: &[Process]) {
        targets
            .iter()
            .for_each(|target| target.signal(blow.signal()));
        if blow == Blow::Stop {
            let began = Instant::now();
            let whole = || began.elapsed() >= self.plan.stopped;
            wait_until(
                "they were stopped long enough",
                self.plan.stopped + SOON,
                whole,
            );
            targets
                .iter()
                .for_each(|target| target.signal(Signal::CONT));
        }
    }

    /// Reopens and reads what is there.
    fn found(&mut self, told: usize, verdict: &mut Verdict) -> Value {
        let opened = self.opened(verdict);
        let began = Instant::now();
        let tab = opened["tabs"].as_array().and_then(|tabs| {
            tabs.iter().find(|tab| {
                tab["url"]
                    .as_str()
                    .is_some_and(|url| url.ends_with("/work"))
            })
        });
        let tab = tab.map(|tab| tab["id"].clone());
        if tab.is_none() {
            verdict
                .troubles
                .push(format!("its tab is gone: {}", opened["tabs"]));
        }
        let again = opened["started"] == "started" || verdict.cell.target == Target::Browser;
        let by_itself = || self.site.found_after(told).is_some() || began.elapsed() > BY_ITSELF;
        if again {
            wait_until("the page is back, or is not", SOON, by_itself);
        }
        if self.site.found_after(told).is_none() {
            let mut to = json!({"session": PROFILE, "url": self.site.work()});
            if let Some(tab) = tab {
                to["tab"] = tab;
            }
            self.retried("browser_navigate", &to, verdict);
            // A page loaded while cookies were lost is reloaded before the call is answered.
            let document = self.mcp.eval(PROFILE, "performance.timeOrigin").as_f64();
            return wait_for("the page tells what it found", PATIENTLY, || {
                self.site.found_by(document.expect("a time"))
            });
        }
        wait_for("the page tells what it found", PATIENTLY, || {
            self.site.found_after(told)
        })
    }

    fn opened(&mut self, verdict: &mut Verdict) -> Value {
        self.retried("session_open", &json!({"session": PROFILE}), verdict)
    }

    /// A call that is repeated if its failure says that this may help.
    #[track_caller]
    fn retried(&mut self, tool: &str, arguments: &Value, verdict: &mut Verdict) -> Value {
        let began = Instant::now();
        loop {
            let result = self.mcp.call(tool, arguments.clone());
            if result["isError"] == false {
                return result["structuredContent"].clone();
            }
            let failure = crate::harness::mcp::failure(&result);
            let again = failure["retryable"] == true && began.elapsed() < PATIENTLY;
            assert!(
                again,
                "{tool} does not work any more: {failure}; {:?}",
                verdict.troubles
            );
            verdict
                .retried
                .push(format!("{tool}: {}", failure["message"]));
        }
    }

    /// What is left over, and what is missing, once everything is back.
    fn left(&mut self, log: usize, verdict: &Verdict) -> Vec<String> {
        let front = self.mcp.pid();
        let mut troubles = Vec::new();
        let mut left = Vec::new();
        let gone = look_for(SOON, || {
            left = processes::left_over(&self.env, front);
            left.is_empty().then_some(())
        });
        if gone.is_none() {
            troubles.push(format!("left: {left:?}"));
        }
        troubles.extend(self.env_files());
        let log = &self.log()[log..];
        if verdict.died && !told(verdict.cell, log) {
            troubles.push(format!("the log does not tell of it: {log}"));
        }
        troubles
    }

    /// Temporary files of the profile, and folders of Chromium outside of the one that its browser has for
    /// itself. Files that are being written go away soon and others take their place: only what stays counts.
    fn env_files(&self) -> Vec<String> {
        let mut left = self.temporary();
        look_for(STAYS, || {
            let now = self.temporary();
            left.retain(|name| now.contains(name));
            left.is_empty().then_some(())
        });
        match left.len() {
            0 => left,
            _ => vec![format!("files are left: {left:?}")],
        }
    }

    fn temporary(&self) -> Vec<String> {
        let names = |path: std::path::PathBuf| -> Vec<String> {
            let entries = fs::read_dir(path).into_iter().flatten().flatten();
            entries
                .map(|entry| entry.file_name().to_string_lossy().into_owned())
                .collect()
        };
        let mut files = names(self.env.in_profile(PROFILE, ""));
        files.retain(|name| name.ends_with(".tmp"));
        let mut folders = names(self.env.path().join("tmp"));
        folders.retain(|name| name.contains("hromium"));
        files.extend(folders);
        files
    }

    fn log(&self) -> String {
        fs::read_to_string(self.env.in_profile(PROFILE, "keeper.log")).unwrap_or_default()
    }

    /// A client of the endpoint.
    pub(super) fn client(&self) -> Driver {
        Driver::raw(&self.env, &self.env.endpoint(PROFILE))
    }
}

/// Whether the log names what died.
fn told(cell: Cell, log: &str) -> bool {
    let any = |words: &[&str]| words.iter().any(|word| log.contains(word));
    match cell.target {
        // Its own log ends with it, and the next one starts; the front end has none.
        Target::Front => true,
        // Nothing is missed if a process dies before it was given any data, or after it has written
        // everything.
        Target::Browser | Target::Network
            if matches!(cell.moment, Moment::Open | Moment::Restore | Moment::Close) =>
        {
            true
        }
        Target::Browser => any(&["Chromium exited", "closed"]),
        Target::Network => any(&["network"]),
        Target::Gpu | Target::Renderer | Target::Storage => true,
        Target::Keeper | Target::KeeperAndBrowser | Target::Everything => any(&["open", "closed"]),
    }
}
