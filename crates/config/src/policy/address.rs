//! Where an address leads, however it is wrapped.

use std::path::{Path, PathBuf};

use url::Url;

/// Schemes of the browser's own pages.
const INTERNAL: [&str; 7] = [
    "about",
    "chrome",
    "chrome-search",
    "chrome-untrusted",
    "devtools",
    "isolated-app",
    "chrome-native",
];
/// Browser pages that end the browser, or take it away from everyone who shares it.
const ENDS_BROWSER: [&str; 8] = [
    "quit",
    "restart",
    "inducebrowsercrashforrealz",
    "inducebrowserdcheckforrealz",
    "gpucrash",
    "gpuhang",
    "gpukill",
    "quit-and-restart",
];

/// What an address leads to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Leads {
    /// An empty page, or no page yet.
    Blank,
    /// A server, an extension, or something their page made (`blob:`).
    Origin,
    /// A file on this machine; `None` if the address names no possible file.
    File(Option<PathBuf>),
    /// A document inside the address itself.
    Data,
    /// JavaScript.
    Code,
    /// One of the browser's own pages.
    Internal {
        /// Whether opening it ends the browser.
        ends_browser: bool,
    },
    /// A `blob:` that belongs to no origin.
    Nobody,
    /// A scheme that browsers hand to other programs or do not know.
    Foreign,
    /// Not a URL.
    Unreadable,
}

/// An address, read as browsers do.
#[derive(Debug, Clone)]
pub struct Address {
    /// Where it leads.
    pub leads: Leads,
    /// The URL that decides: without `view-source:` and `blob:`.
    pub(super) url: Option<Url>,
}

impl Address {
    /// Reads an address. It never fails: an unreadable one leads to [`Leads::Unreadable`].
    #[must_use]
    pub fn read(text: &str) -> Self {
        let Ok(url) = Url::parse(text) else {
            let blank = text.is_empty();
            let leads = if blank {
                Leads::Blank
            } else {
                Leads::Unreadable
            };
            return Self { leads, url: None };
        };
        let leads = match url.scheme() {
            "view-source" => return Self::read(url.path()).wrapped(),
            "blob" | "filesystem" => return Self::made_by_page(&url),
            "http" | "https" | "ws" | "wss" | "chrome-extension" => Leads::Origin,
            "file" => Leads::File(url.to_file_path().ok()),
            "data" => Leads::Data,
            "javascript" => Leads::Code,
            "about" if matches!(url.path(), "blank" | "srcdoc") => Leads::Blank,
            // The page that the browser shows when a load fails.
            "chrome-error" => Leads::Blank,
            scheme if INTERNAL.contains(&scheme) => {
                let name = url.host_str().unwrap_or(url.path()).to_ascii_lowercase();
                Leads::Internal {
                    ends_browser: ENDS_BROWSER.contains(&&*name),
                }
            }
            _ => Leads::Foreign,
        };
        Self {
            leads,
            url: Some(url),
        }
    }

    /// The address of a file; `None` for a relative path.
    #[must_use]
    pub fn of_file(path: &Path) -> Option<String> {
        Url::from_file_path(path).ok().map(String::from)
    }

    /// Something a page made belongs to that page's origin.
    fn made_by_page(url: &Url) -> Self {
        match Self::read(url.path()) {
            inner @ Self {
                leads: Leads::Origin,
                ..
            } => inner,
            Self {
                leads: Leads::File(path),
                url,
            } => Self {
                leads: Leads::File(path),
                url,
            },
            _ => Self {
                leads: Leads::Nobody,
                url: None,
            },
        }
    }

    /// The source of a page counts as the page; the source of nothing leads nowhere.
    fn wrapped(self) -> Self {
        match self.leads {
            Leads::Blank | Leads::Code => Self {
                leads: Leads::Foreign,
                url: None,
            },
            _ => self,
        }
    }

    /// Whether it is the page that a person sees in a new tab.
    pub(super) fn is_new_tab(&self) -> bool {
        let host = self.url.as_ref().and_then(Url::host_str);
        matches!(self.leads, Leads::Internal { .. })
            && matches!(host, Some("newtab" | "new-tab-page"))
    }
}
