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

/// A packed sitemap, which a navigation would only download: fetched by the document that is there, so of its
/// origin only.
const UNPACKED: &str = "async function (url) {
    const most = 50 << 20;
    const answer = await fetch(url, { redirect: 'error' });
    if (!answer.ok) throw new Error(`status ${answer.status}`);
    const bytes = new Uint8Array(await answer.arrayBuffer());
    let text = '';
    // A server may have said that it is packed, and the browser unpacked it.
    const packed = bytes[0] === 0x1f && bytes[1] === 0x8b;
    const stream = new Blob([bytes]).stream();
    const reader = (packed ? stream.pipeThrough(new DecompressionStream('gzip')) : stream)
        .pipeThrough(new TextDecoderStream()).getReader();
    for (let part; !(part = await reader.read()).done;) {
        text += part.value;
        if (text.length > most) break;
    }
    const read = new DOMParser().parseFromString(text, 'text/xml');
    const names = name => [...read.getElementsByTagNameNS('*', name)];
    const locations = names('loc').slice(0, 50000).map(one => one.textContent.trim());
    const kind = locations.length ? 'application/xml' : 'text/plain';
    return { kind, url, locations, isIndex: names('sitemapindex').length > 0, text: locations.length ? '' : text.slice(0, 500000) };
}";

/// Reads a packed sitemap; `None` if it cannot be read.
///
/// # Errors
/// [`CallError`] when the page is gone.
pub async fn unpacked(worlds: &Worlds, page: &Page, url: &str) -> Result<Option<Leads>, CallError> {
    let evaluated = worlds.call(page, UNPACKED, &[url.into()]).await?;
    Ok(match evaluated.exception_details {
        Some(_) => None,
        None => evaluated.result.read().ok(),
    })
}

/// Reads it.
///
/// # Errors
/// [`CallError`] when the page is gone.
pub async fn leads(worlds: &Worlds, page: &Page) -> Result<Leads, CallError> {
    let evaluated = worlds.call(page, LEADS, &[]).await?;
    Ok(evaluated.result.read().unwrap_or_default())
}
