// One field of a record, found in one item of the page.

const wordsIn = (text) => text.replace(/([a-z0-9])([A-Z])/g, '$1 $2').toLowerCase().split(/[^\p{L}\p{N}]+/u).filter((word) => word);
const sameWords = (a, b) => a.length > 0 && a.length === b.length && a.every((word, index) => word === b[index]);

const KINDS = [
  ['url', /^(url|link|href|address|website|page)$/], ['image', /^(image|img|photo|picture|thumbnail|avatar|icon|logo)$/],
  ['title', /^(title|name|headline|heading|product|label|subject)$/], ['price', /^(price|cost|amount|fee)$/],
  ['date', /^(date|time|published|updated|created|day|posted)$/], ['rating', /^(rating|stars|score)$/],
  ['text', /^(description|summary|text|body|content|excerpt|abstract|comment)$/], ['author', /^(author|by|writer|user)$/],
];
const kindOf = (field) => {
  if (field.format === 'uri' || field.format === 'url') {
    return field.words.some((word) => KINDS[1][1].test(word)) ? 'image' : 'url';
  }
  for (const word of field.words) for (const [kind, words] of KINDS) if (words.test(word)) return kind;
  return '';
};

// What an element says for a field of this kind.
const says = (el, field) => {
  const tag = el.localName, kind = kindOf(field);
  if (kind === 'url' && el.href) return String(el.href);
  if (kind === 'url' && el.querySelector) { const link = el.querySelector('a[href]'); if (link) return link.href; }
  if (tag === 'img') return kind === 'image' || kind === 'url' ? el.currentSrc || el.src : el.alt || el.currentSrc || el.src;
  if (kind === 'image') { const image = el.querySelector('img'); if (image) return image.currentSrc || image.src; }
  if (tag === 'time' && el.dateTime && kind === 'date') return el.dateTime;
  if (tag === 'meta') return el.content;
  if (tag === 'input') return el.type === 'password' ? '' : el.type === 'checkbox' ? String(el.checked) : el.value;
  if (tag === 'select') return valueOf(el, 'combobox', tag);
  return squeeze(shownText(el)) || el.getAttribute('content') || el.getAttribute('aria-label') || '';
};

const MONEY = /(?:[$€£¥₹]|\b(?:USD|EUR|GBP|PLN|CHF|JPY|CZK|SEK)\b)\s*\d[\d\s.,]*|\d[\d\s.,]*\s*(?:[$€£¥₹]|(?:USD|EUR|GBP|PLN|CHF|JPY|CZK|SEK|zł|kr)(?!\w))/u;
const DATE = /\b\d{4}-\d{2}-\d{2}\b|\b\d{1,2}[./]\d{1,2}[./]\d{2,4}\b|\b\d{1,2}\s+\p{L}{3,9}\.?\s+\d{4}\b|\b\p{L}{3,9}\.?\s+\d{1,2},\s+\d{4}\b/u;
const first = (item, selector) => item.matches(selector) ? item : item.querySelector(selector);

// Whether an element is in what only names a value that stands elsewhere: a term, a header of rows or columns. The header
// of the one row that is looked at is a value of it.
const inHeader = (el, item) => {
  const header = el.closest(`dt,[role=term],${TABLE_HEADS}`);
  if (!header || header === item || !item.contains(header)) return false;
  const row = header.closest(TABLE_ROW);
  return row !== item || onlyHeads(row);
};

// What people would take for a field of this kind when nothing is marked as it.
const guess = (item, field) => {
  switch (kindOf(field)) {
    case 'url': { const link = first(item, 'a[href]') || item.closest('a[href]'); return link ? link.href : null; }
    case 'image': { const image = first(item, 'img'); return image ? image.currentSrc || image.src : null; }
    case 'title': {
      const bold = () => (item.matches('b,strong,th') ? item : Array.from(item.querySelectorAll('b,strong,th')).find((el) => !inHeader(el, item)));
      const el = first(item, 'h1,h2,h3,h4,h5,h6,[role=heading]') || first(item, 'a[href]') || bold();
      return el ? squeeze(shownText(el)) || null : null;
    }
    case 'price': {
      for (const gone of item.querySelectorAll('del,s,strike')) if (gone.parentElement) {
        const rest = Array.from(gone.parentElement.childNodes).filter((node) => node !== gone).map((node) => node.textContent).join(' ').match(MONEY);
        if (rest) return rest[0];
      }
      const found = shownText(item).match(MONEY);
      return found ? found[0] : null;
    }
    case 'date': {
      const time = first(item, 'time');
      if (time) return time.dateTime || squeeze(time.textContent);
      const found = shownText(item).match(DATE);
      return found ? found[0] : null;
    }
    case 'rating': {
      for (const el of item.querySelectorAll('[aria-label],[title]')) {
        const said = el.getAttribute('aria-label') || el.title;
        if (/\d/.test(said) && /star|rating|of \d|out of|\/\s*\d/i.test(said)) return said;
      }
      const found = shownText(item).match(/(\d+(?:[.,]\d+)?)\s*(?:\/|of|out of|stars?|★)/i);
      return found ? found[1] : null;
    }
    case 'text': {
      const texts = Array.from(item.querySelectorAll('p'), (p) => squeeze(shownText(p)));
      return texts.sort((a, b) => b.length - a.length)[0] || null;
    }
    case 'author': {
      const el = first(item, '[rel=author]');
      if (el) return squeeze(shownText(el));
      const found = shownText(item).match(/\bby\s+(\p{Lu}[\p{L}.'-]*(?:\s+\p{Lu}[\p{L}.'-]*){0,3})/u);
      return found ? found[1] : null;
    }
    default: return null;
  }
};

// Elements that are marked with the field's name: by microdata, data attribute, class or id.
const marked = (item, field) => {
  const exact = [], near = [];
  const look = (el) => {
    if (sameWords(wordsIn(el.getAttribute('itemprop') || ''), field.words)) { exact.push(el); return; }
    if (el.id && sameWords(wordsIn(el.id), field.words)) { exact.push(el); return; }
    for (const name of el.classList) {
      const words = wordsIn(name);
      if (sameWords(words, field.words)) { exact.push(el); return; }
      if (words.length > field.words.length && sameWords(words.slice(-field.words.length), field.words)) { near.push(el); return; }
    }
  };
  for (const el of item.querySelectorAll('[itemprop],[class],[id]')) if ((drawn(el) === SHOWN || el.localName === 'meta') && !inHeader(el, item)) look(el);
  return exact.length ? exact : near;
};

// What a header or a term is the name of: the definition after the terms, the cell beside a header, or the one below it.
// A header is never the value of another.
const headedBy = (label) => {
  if (label.matches('dt,[role=term]')) {
    let next = label.nextElementSibling;
    while (next && next.matches('dt,[role=term]')) next = next.nextElementSibling;
    return next;
  }
  const row = label.closest(TABLE_ROW), table = columns(row ?? label);
  const slots = row && table?.rows.get(row);
  if (!slots) return label.nextElementSibling?.matches(TABLE_HEADS) ? null : label.nextElementSibling;
  const at = slots.findIndex((slot) => slot?.cell === label);
  const beside = slots.slice(at + 1).find((slot) => slot && slot.cell !== label);
  if (beside && !beside.cell.matches(TABLE_HEADS)) return beside.cell;
  if (!onlyHeads(row)) return null;
  const follows = (node) => row.compareDocumentPosition(node) & Node.DOCUMENT_POSITION_FOLLOWING;
  const [, below] = [...table.rows].find(([node, cells]) => follows(node) && !onlyHeads(node) && cells[at] && !cells[at].whole) ?? [];
  return below && !below[at].cell.matches(TABLE_HEADS) ? below[at].cell : null;
};

// The value beside a label: `dt` and `dd`, `th` and `td`, or `Label: value`.
const labelled = (item, field) => {
  for (const label of item.querySelectorAll(`dt,label,b,strong,span,div,p,li,[role=term],${TABLE_HEADS}`)) {
    const header = label.matches(`dt,[role=term],${TABLE_HEADS}`);
    const text = label.childElementCount === 0 ? label.textContent : header || label.localName === 'li' || label.localName === 'p' ? squeeze(label.textContent) : '';
    if (!text || text.length > 200) continue;
    const pair = text.match(/^\s*([^:]{1,40}):\s*(\S.*)$/s);
    if (pair && sameWords(wordsIn(pair[1]), field.words)) return squeeze(pair[2]);
    if ((label.childElementCount === 0 || header) && sameWords(wordsIn(text), field.words)) {
      if (label.control) return says(label.control, field);
      // What is in a header is not beside its value.
      const within = header ? label : label.closest(`dt,[role=term],${TABLE_HEADS}`);
      const next = within && item.contains(within) ? headedBy(within) : label.nextElementSibling;
      if (next && !next.matches(`dt,[role=term],${TABLE_HEADS}`)) return says(next, field);
      if (within) continue;
      const after = label.nextSibling;
      if (after && after.nodeType === 3 && squeeze(after.data)) return squeeze(after.data.replace(/^\s*:/, ''));
    }
  }
  return null;
};
