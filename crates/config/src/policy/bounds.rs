//! The only place that decides what is allowed.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::address::{Address, Leads};
use super::{OriginPattern, Policy, origin, paths};
use crate::Resource;

/// What a caller is about to do, whoever it is and however it got here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Action<'a> {
    /// Navigate a page to an address.
    Visit(&'a str),
    /// Act in a page that is already at an address.
    Work(&'a str),
    /// Let a page load a document.
    Document(&'a str),
    /// Let a page load anything else.
    Request(&'a str),
    /// Read a file.
    Read(&'a Path),
    /// Write a file.
    Write(&'a Path),
    /// Let pages download files.
    Download,
    /// Run JavaScript in an isolated world.
    RunCode,
    /// Run JavaScript in the page's own world, or install it there.
    RunInPage,
    /// Run a program.
    RunProgram,
    /// Take cookies or storage out of the browser.
    Export,
    /// Something that could get around any limit, by name.
    Unlimited(&'a str),
}

/// `[policy]` does not allow it: what was refused, and what to do instead.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Denied {
    /// What was refused, and by which key.
    pub message: String,
    /// The next step.
    pub hint: String,
}

/// The limits of one session. Cheap to clone; all clones share the list of files that a person opened.
#[derive(Debug, Clone)]
pub struct Bounds {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    policy: Policy,
    /// Folders of the profile that are always readable and writable.
    own: Vec<PathBuf>,
    /// Folders whose files are closed to every path, whatever the policy says, except for those in `own`: the store.
    private: Vec<PathBuf>,
    /// Resources that pages must not load; `[browser] block`.
    blocked: Vec<Resource>,
    /// Files and folders that a person opened in a terminal. A std mutex: nothing awaits under it.
    opened: Mutex<Vec<PathBuf>>,
}

impl PartialEq for Bounds {
    fn eq(&self, other: &Self) -> bool {
        self.inner.policy == other.inner.policy
            && self.inner.own == other.inner.own
            && self.inner.private == other.inner.private
    }
}

impl Inner {
    /// The same limits; nothing is open yet.
    fn copy(&self) -> Self {
        Self {
            policy: self.policy.clone(),
            own: self.own.clone(),
            private: self.private.clone(),
            blocked: self.blocked.clone(),
            opened: Mutex::default(),
        }
    }
}

impl Bounds {
    /// The limits of a policy, for a profile with folders of its own.
    #[must_use]
    pub fn new(policy: Policy, own: Vec<PathBuf>) -> Self {
        let inner = Inner {
            policy,
            own,
            private: Vec::new(),
            blocked: Vec::new(),
            opened: Mutex::default(),
        };
        Self {
            inner: Arc::new(inner),
        }
    }

    /// Adds kinds of resources that pages must not load.
    #[must_use]
    pub fn blocking(self, blocked: Vec<Resource>) -> Self {
        let inner = Inner {
            blocked,
            ..self.inner.copy()
        };
        Self {
            inner: Arc::new(inner),
        }
    }

    /// Closes folders to every path, except for the profile's own folders in them: the rest belongs to other
    /// profiles, or is tokens and sockets of szk.
    #[must_use]
    pub fn keeping_private(self, folders: Vec<PathBuf>) -> Self {
        let inner = Inner {
            private: folders,
            ..self.inner.copy()
        };
        Self {
            inner: Arc::new(inner),
        }
    }

    /// What an empty `[policy]` means.
    #[must_use]
    pub fn open() -> Self {
        Self::new(Policy::open(), Vec::new())
    }

    /// Resources that pages must not load, independent of the policy.
    #[must_use]
    pub fn blocked(&self) -> &[Resource] {
        &self.inner.blocked
    }

    /// The configuration behind them.
    #[must_use]
    pub fn policy(&self) -> &Policy {
        &self.inner.policy
    }

    /// Records that a person opened a file or folder in a terminal: from now on pages may be at it or
    /// below it.
    pub fn open_file(&self, path: &Path) {
        let mut opened = self.opened();
        if let Some(real) = paths::real(path)
            && !opened.contains(&real)
        {
            opened.push(real);
        }
    }

    /// Whether requests for files need checking: some are allowed, and some are not.
    #[must_use]
    pub fn limits_files(&self) -> bool {
        let policy = &self.inner.policy;
        match policy.file_urls {
            Some(true) => policy.read.is_some() || !self.inner.private.is_empty(),
            _ => !self.opened().is_empty(),
        }
    }

    /// Whether something is allowed.
    ///
    /// # Errors
    /// [`Denied`], naming the key that forbids it.
    pub fn check(&self, action: Action<'_>) -> Result<(), Denied> {
        let policy = &self.inner.policy;
        match action {
            Action::Visit(url) => self.page(url, &Address::read(url)),
            Action::Work(url) => {
                let address = Address::read(url);
                if address.is_new_tab() {
                    return Ok(());
                }
                self.page(url, &address)
            }
            Action::Document(url) => self.load(url, true),
            Action::Request(url) => self.load(url, false),
            Action::Read(path) => self
                .public(path)
                .and_then(|()| self.path(path, policy.read.as_deref(), "read")),
            Action::Write(path) => self
                .public(path)
                .and_then(|()| self.path(path, policy.write.as_deref(), "write")),
            Action::Download => switch(policy.downloads, "downloads", "downloading files"),
            Action::RunCode => switch(policy.run_code, "run_code", "JavaScript of callers"),
            Action::RunInPage => {
                self.check(Action::RunCode)?;
                let what = "JavaScript in the page's own world";
                switch(policy.main_world, "main_world", what)
            }
            Action::RunProgram => self.program(),
            Action::Export => {
                let what = "the export of cookies and storage";
                switch(policy.export_cookies, "export_cookies", what)
            }
            Action::Unlimited(_) if !policy.limits_anything() => Ok(()),
            Action::Unlimited(what) => Err(denied(format!(
                "{what} is refused, because it could get around the limits of `[policy]`"
            ))),
        }
    }

    /// Whether a page may be at an address.
    fn page(&self, url: &str, address: &Address) -> Result<(), Denied> {
        let policy = &self.inner.policy;
        let named = || {
            let patterns = policy.allowed_origins.iter().flatten();
            address.url.as_ref().is_some_and(|url| any(patterns, url))
        };
        match &address.leads {
            Leads::Blank => Ok(()),
            Leads::Origin | Leads::Nobody => self.origin(url, address),
            Leads::File(path) => self.file(url, address, path.as_deref(), true),
            // No origin limits apply to text in the address itself, and it evades no limit on denied
            // origins.
            Leads::Data if policy.allowed_origins.is_none() || named() => Ok(()),
            Leads::Data => Err(elsewhere(url)),
            Leads::Code => self.check(Action::RunInPage),
            Leads::Internal { ends_browser: true } => Err(Denied {
                message: format!("`{}` would end the browser for everybody", shown(url)),
                hint: "close the session instead".to_owned(),
            }),
            Leads::Internal { .. } if named() => self.origin(url, address),
            Leads::Internal { .. } => self.check(Action::Unlimited("a page of the browser itself")),
            Leads::Foreign => self.check(Action::Unlimited("an address that is not of the web")),
            Leads::Unreadable if looks_like_file(url) => Err(closed_file(url)),
            Leads::Unreadable => self.check(Action::Unlimited("an address that cannot be read")),
        }
    }

    /// Whether a page may load something. What a page makes itself is always allowed.
    fn load(&self, url: &str, document: bool) -> Result<(), Denied> {
        let policy = &self.inner.policy;
        let address = Address::read(url);
        match &address.leads {
            Leads::File(path) => self.file(url, &address, path.as_deref(), document),
            _ if !policy.limits_origins() => Ok(()),
            // A missing address is not a blank page.
            Leads::Blank if !url.is_empty() => Ok(()),
            Leads::Data => Ok(()),
            Leads::Blank | Leads::Unreadable => Err(elsewhere(url)),
            _ => self.origin(url, &address),
        }
    }

    fn origin(&self, url: &str, address: &Address) -> Result<(), Denied> {
        let policy = &self.inner.policy;
        let allowed = match &address.url {
            Some(url) => {
                !any(&policy.denied_origins, url)
                    && policy
                        .allowed_origins
                        .as_ref()
                        .is_none_or(|allowed| any(allowed, url))
            }
            // It belongs to no one.
            None => policy.allowed_origins.is_none(),
        };
        if allowed { Ok(()) } else { Err(elsewhere(url)) }
    }

    fn file(
        &self,
        url: &str,
        address: &Address,
        path: Option<&Path>,
        document: bool,
    ) -> Result<(), Denied> {
        let policy = &self.inner.policy;
        self.origin(url, address)?;
        let Some(path) = path else {
            return Err(closed_file(url));
        };
        match policy.file_urls {
            Some(true) => self.public(path)?,
            // Also one in the store: a person has chosen it.
            None if self.was_opened(path, document) => {}
            _ => return Err(closed_file(url)),
        }
        self.path(path, policy.read.as_deref(), "read")
    }

    /// Whether a person opened the file; its page may load files from the same folder and below.
    fn was_opened(&self, path: &Path, document: bool) -> bool {
        let opened = self.opened();
        if document {
            return paths::within(path, opened.iter());
        }
        let folders: Vec<PathBuf> = opened
            .iter()
            .map(|path| match path.parent() {
                Some(folder) if !path.is_dir() => folder.to_owned(),
                _ => path.clone(),
            })
            .collect();
        paths::within(path, &folders)
    }

    /// Whether the file is no private one.
    fn public(&self, path: &Path) -> Result<(), Denied> {
        let inner = &self.inner;
        if !paths::leads_into(path, &inner.private) || paths::leads_into(path, &inner.own) {
            return Ok(());
        }
        Err(Denied {
            message: format!(
                "`{}` is in the store, which is closed to paths",
                path.display()
            ),
            hint: "use a path outside the store, or one in the profile's own `artifacts` or `downloads` folder".to_owned(),
        })
    }

    fn path(&self, path: &Path, allowed: Option<&[PathBuf]>, key: &str) -> Result<(), Denied> {
        let Some(allowed) = allowed else {
            return Ok(());
        };
        if paths::within(path, allowed.iter().chain(&self.inner.own)) {
            return Ok(());
        }
        Err(Denied {
            message: format!("`[policy] {key}` does not allow `{}`", path.display()),
            hint: "the profile's own `artifacts` and `downloads` folders are always allowed"
                .to_owned(),
        })
    }

    /// Programs run with the user's rights: with them, limits on files and exports would mean nothing.
    fn program(&self) -> Result<(), Denied> {
        let policy = &self.inner.policy;
        self.check(Action::RunCode)?;
        let limited = policy.read.is_some() || policy.write.is_some() || !policy.export_cookies;
        match policy.programs {
            Some(on) => switch(on, "programs", "running programs"),
            None if limited => Err(Denied {
                message: "running programs is off, because `[policy]` limits files or exports, which a program could get around".to_owned(),
                hint: "do it another way, or ask the person who wrote the configuration to set `[policy] programs = true`".to_owned(),
            }),
            None => Ok(()),
        }
    }

    fn opened(&self) -> MutexGuard<'_, Vec<PathBuf>> {
        self.inner
            .opened
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

pub(super) fn any<'a>(
    patterns: impl IntoIterator<Item = &'a OriginPattern>,
    url: &url::Url,
) -> bool {
    let address = origin::Address::of(url);
    patterns.into_iter().any(|pattern| pattern.fits(&address))
}

/// Whether browsers might still read this address as a file's.
fn looks_like_file(url: &str) -> bool {
    let letters: String = url.chars().filter(|c| !c.is_whitespace()).collect();
    letters.to_ascii_lowercase().contains("file:")
}

fn switch(on: bool, key: &str, what: &str) -> Result<(), Denied> {
    if on {
        return Ok(());
    }
    Err(denied(format!("{what} is off: `[policy] {key}` is false")))
}

fn elsewhere(url: &str) -> Denied {
    Denied {
        message: format!("`{}` is not among the allowed origins", shown(url)),
        hint: "`[policy]` of the configuration limits the origins; only the person who wrote it can change that".to_owned(),
    }
}

fn closed_file(url: &str) -> Denied {
    Denied {
        message: format!("`{}` is a file, and `file:` addresses are closed", shown(url)),
        hint: "a person opens a local file with `szk open PROFILE FILE`, or sets `[policy] file_urls = true`".to_owned(),
    }
}

fn denied(message: String) -> Denied {
    Denied {
        message,
        hint: "do it another way, or ask the person who wrote the configuration".to_owned(),
    }
}

/// An address as messages show it: shortened and without its login.
fn shown(url: &str) -> String {
    let mut text = url.to_owned();
    if let Ok(mut parsed) = url::Url::parse(url)
        && (parsed.password().is_some() || !parsed.username().is_empty())
        && parsed.set_username("").is_ok()
        && parsed.set_password(None).is_ok()
    {
        text = parsed.into();
    }
    match text.char_indices().nth(199) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}
