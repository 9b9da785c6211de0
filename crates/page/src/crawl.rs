//! What a crawler wants of a document besides its content: what it is, where it leads, what a sitemap or
//! robots.txt says. The browser has parsed it; a script in our own world reads it.

use serde::Deserialize;
use szk_cdp::CallError;

use crate::{Page, Worlds};

/// A document as a crawler sees it.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Leads {
    /// Its media type.
    pub kind: String,
    /// Its address.
    pub url: String,
    /// Where its links lead, except those it asks not to follow.
    pub links: Vec<String>,
    /// The addresses that a sitemap lists.
    pub locations: Vec<String>,
    /// Whether these are of further sitemaps.
    pub is_index: bool,
    /// The text of a document that is only text.
    pub text: String,
}

const LEADS: &str = "function () {
    const names = name => [...document.getElementsByTagNameNS('*', name)];
    const links = new Set();
    const meta = document.querySelector('meta[name=robots i]')?.getAttribute('content') ?? '';
    if (!/nofollow|none/i.test(meta)) {
        for (const link of document.querySelectorAll('a[href], area[href]')) {
            if (/\\bnofollow\\b/i.test(link.getAttribute('rel') ?? '') || links.size >= 2000) continue;
            try { links.add(new URL(link.getAttribute('href'), document.baseURI).href) } catch {}
        }
    }
    const kind = document.contentType;
    const is_text = kind === 'text/plain';
    return {
        kind, url: location.href, links: [...links], isIndex: names('sitemapindex').length > 0,
        locations: /xml/.test(kind) ? names('loc').slice(0, 50000).map(one => one.textContent.trim()) : [],
        text: is_text ? document.documentElement.textContent.slice(0, 500000) : '',
    };
}";

/// Reads it.
///
/// # Errors
/// [`CallError`] when the page is gone.
pub async fn leads(worlds: &Worlds, page: &Page) -> Result<Leads, CallError> {
    let evaluated = worlds.call(page, LEADS, &[]).await?;
    Ok(evaluated.result.read().unwrap_or_default())
}
