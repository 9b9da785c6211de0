//! Which pages come next, and which are left out. It is made again from the lines of an earlier call.

use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::Arc;

use szk_tools::workflow::CrawlLeftOut;
use texting_robots::Robot;
use url::Url;

use super::address::{self, Pattern, Site};

/// Longest chain of addresses that are alike: a calendar has no last month.
const ALIKE: u32 = 30;
/// Most addresses to wait.
const WAITING: usize = 200_000;

/// What belongs to the crawl.
pub(super) struct Rules {
    pub(super) site: Site,
    pub(super) include: Vec<Pattern>,
    pub(super) exclude: Vec<Pattern>,
    pub(super) depth: u32,
    /// `None`: everything is allowed.
    pub(super) robots: Option<Robot>,
}

/// A page to read.
#[derive(Debug, Clone)]
pub(super) struct Next {
    pub(super) url: Url,
    pub(super) depth: u32,
    /// The page that links to it.
    pub(super) from: Option<String>,
    key: Arc<str>,
}

pub(super) struct Frontier {
    pub(super) rules: Rules,
    /// In this order. Those that no longer wait stay until it is their turn.
    order: VecDeque<Next>,
    /// Keys of those that wait.
    waiting: HashSet<Arc<str>>,
    /// Keys of all that was ever considered.
    known: HashSet<Arc<str>>,
    /// Pages that have a line, by key: the length of their chain.
    chains: HashMap<String, (String, u32)>,
    pub(super) left_out: CrawlLeftOut,
}

impl Frontier {
    pub(super) fn new(rules: Rules) -> Self {
        Self {
            rules,
            order: VecDeque::new(),
            waiting: HashSet::new(),
            known: HashSet::new(),
            chains: HashMap::new(),
            left_out: CrawlLeftOut::default(),
        }
    }

    /// The page that the crawl begins with, whatever the patterns say.
    pub(super) fn start(&mut self, url: &Url) {
        let key = Arc::from(address::key(url));
        self.known.insert(Arc::clone(&key));
        self.wait(url.clone(), key, 0, None, 0);
    }

    /// Considers an address that was found.
    pub(super) fn found(&mut self, url: &str, depth: u32, from: Option<&str>) {
        let Some(url) = address::normal(url) else {
            return;
        };
        let key = Arc::from(address::key(&url));
        if !self.known.insert(Arc::clone(&key)) {
            return;
        }
        let shape = address::shape(&url);
        let before = from.and_then(|from| self.chains.get(from));
        let alike = before
            .filter(|(like, _)| *like == shape)
            .map_or(0, |(_, length)| length + 1);
        let out = &mut self.left_out;
        let rules = &self.rules;
        let reason = if !rules.site.has(&url) {
            &mut out.elsewhere
        } else if address::is_file(&url) {
            &mut out.files
        } else if (!rules.include.is_empty() && !rules.include.iter().any(|one| one.fits(&url)))
            || rules.exclude.iter().any(|one| one.fits(&url))
        {
            &mut out.patterns
        } else if rules
            .robots
            .as_ref()
            .is_some_and(|robots| !robots.allowed(url.as_str()))
        {
            &mut out.robots
        } else if alike > ALIKE || address::repeats(&url) || self.waiting.len() >= WAITING {
            &mut out.traps
        } else if depth > rules.depth {
            &mut out.depth
        } else {
            self.wait(url, key, depth, from.map(str::to_owned), alike);
            return;
        };
        *reason += 1;
    }

    fn wait(&mut self, url: Url, key: Arc<str>, depth: u32, from: Option<String>, alike: u32) {
        self.chains
            .insert(url.to_string(), (address::shape(&url), alike));
        self.waiting.insert(Arc::clone(&key));
        self.order.push_back(Next {
            url,
            depth,
            from,
            key,
        });
    }

    /// Takes the next page.
    pub(super) fn next(&mut self) -> Option<Next> {
        loop {
            let next = self.order.pop_front()?;
            if self.waiting.remove(&next.key) {
                return Some(next);
            }
        }
    }

    /// A page was not read in time.
    pub(super) fn again(&mut self, next: Next) {
        self.waiting.insert(Arc::clone(&next.key));
        self.order.push_front(next);
    }

    /// This page has a line: nothing has to lead there again. Takes as long whatever waits: a crawl that
    /// continues says this of each of its lines.
    pub(super) fn reached(&mut self, url: &Url) {
        let key = Arc::from(address::key(url));
        self.waiting.remove(&key);
        self.known.insert(key);
    }

    pub(super) fn waiting(&self) -> usize {
        self.waiting.len()
    }
}
