// Tables, row by row, and texts by selectors.

const cellText = (el) => squeeze(shownText(el));

// Longest text that is said again in each place that its cell covers.
const LONGEST_AGAIN = 1000;

const tables = (start) => {
  const found = [];
  tour(start, (el, tag) => {
    const inner = () => el.querySelector(ANY_TABLE) !== null;
    if (!el.matches(ANY_TABLE) || roleOf(el) === 'none' || tag !== 'table' && inner()) return true;
    const grid = gridIn(el);
    if (!grid.rows.length && !grid.titles.length) return false;
    const texts = new Map();
    const says = (cell) => {
      if (!texts.has(cell)) texts.set(cell, cellText(cell));
      return texts.get(cell);
    };
    // What covers several slots belongs to each of them; a title of a part of the table is said once.
    const value = (place) => {
      if (!place) return '';
      const text = says(place.cell);
      return place.begins || !place.whole && text.length <= LONGEST_AGAIN ? text : '';
    };
    const caption = el.caption ? [el.caption] : grid.titles;
    found.push({
      caption: caption.map(says).join(' '),
      columns: headsOf(grid, says).map((parts) => parts.join(' ')),
      rows: grid.rows.slice(grid.heads).map((row) => row.slots.map(value)),
    });
    // A table that only lays out others.
    return inner();
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
