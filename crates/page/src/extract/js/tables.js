// Tables, row by row, and texts by selectors.

const cellText = (el) => squeeze(shownText(el));

const tables = (start) => {
  const found = [];
  tour(start, (el, tag) => {
    if (tag !== 'table' || roleOf(el) === 'none') return true;
    const rows = Array.from(el.rows).filter((row) => drawn(row) === SHOWN);
    if (!rows.length) return false;
    const heads = rows[0].querySelector('td') ? [] : Array.from(rows[0].cells, cellText);
    const body = (heads.length ? rows.slice(1) : rows).map((row) => Array.from(row.cells, cellText));
    found.push({ caption: el.caption ? cellText(el.caption) : '', columns: heads, rows: body });
    // A table that only lays out others.
    return el.querySelector('table') !== null;
  });
  return found;
};

// `options.selectors`: names and selectors; for each a list of the texts of what is shown.
const texts = (start, options) => {
  const found = {};
  for (const [name] of options.selectors) found[name] = [];
  tour(start, (el) => {
    for (const [name, selector] of options.selectors) {
      if (el.matches(selector)) found[name].push(/^(input|textarea|select)$/.test(el.localName) ? valueOf(el, roleOf(el), el.localName) : squeeze(shownText(el)));
    }
  });
  return found;
};

const NEXT = /^(next|next page|older|older posts|weiter|nächste|nächste seite|suivant|page suivante|siguiente|próxima|successivo|volgende|›|»|→|>|>>)(\s*[›»→>]*)$/i;

// Where the next page is: by the page's own word for it, or by the link that says so.
const next = (start, options) => {
  const address = (el) => (el && typeof el.href === 'string' && /^https?:/.test(el.href) ? el.href : null);
  if (options.selector) return address(document.querySelector(options.selector)) || address(document.querySelector(options.selector)?.querySelector('a[href]'));
  const own = address(document.querySelector('link[rel~=next], a[rel~=next]'));
  if (own) return own;
  let found = null;
  tour(start, (el, tag) => {
    if (!found && tag === 'a' && el.hasAttribute('href') && flag(el, 'aria-disabled') !== true && NEXT.test(nameOf(el, 'link') || squeeze(el.textContent))) found = address(el);
  });
  return found;
};
