// Records: what repeats on the page, and the fields of each.

const FLEETING = /^(active|current|selected|first|last|odd|even|hover|focus|new|is-|js-|ng-|css-|_)/;
const signature = (el) => {
  const classes = Array.from(el.classList).filter((name) => !FLEETING.test(name)).sort().join('.');
  return `${el.localName}.${classes}.${el.getAttribute('role') || ''}`;
};

// Elements that look alike and stand side by side.
const groups = (start) => {
  const found = [];
  tour(start, (el, tag) => {
    if (tag === 'select' || tag === 'svg') return false;
    const children = [];
    eachChild(el, (child) => { if (child.nodeType === 1 && drawn(child) === SHOWN) children.push(child); });
    if (children.length < 2) return true;
    const alike = new Map();
    for (const child of children) {
      if (SKIPPED.has(child.localName) || child.localName === 'br' || child.localName === 'option') continue;
      for (const key of new Set([signature(child), child.localName])) {
        if (!alike.has(key)) alike.set(key, []);
        alike.get(key).push(child);
      }
    }
    for (const items of alike.values()) if (items.length > 1) found.push(items);
    return true;
  });
  return found;
};

// The table of a row, and the words of the headers of its columns: all, and those of each row of headers, the lowest
// first. Tables of a page are looked at once for each question.
let gridsSeen = new Map();
const columns = (row) => {
  const table = row.matches(TABLE_ROW) ? row.closest(ANY_TABLE) : null;
  if (!table) return null;
  if (!gridsSeen.has(table)) {
    const grid = gridIn(table);
    const parts = headsOf(grid, (cell) => squeeze(shownText(cell)));
    const heads = parts.map((each) => [wordsIn(each.join(' ')), ...each.toReversed().map(wordsIn)]);
    gridsSeen.set(table, { heads, rows: new Map(grid.rows.map(({ node, slots }) => [node, slots])) });
  }
  return gridsSeen.get(table);
};

// The cell of a row in the column with the field's name. A title of a part of the table has the first column only.
const cellOf = (item, field) => {
  const table = columns(item), slots = table?.rows.get(item);
  if (!slots) return null;
  const levels = Math.max(0, ...table.heads.map((said) => said.length));
  for (let level = 0; level < levels; level++) {
    const at = table.heads.findIndex((said) => said[level] && (sameWords(said[level], field.words) || sameWords(said[level], field.other)));
    if (at >= 0) return slots[at] && (slots[at].begins || !slots[at].whole) ? slots[at].cell : null;
  }
  return null;
};

const read = (item, field) => {
  if (field.fields) return record(item, field.fields);
  if (field.selector) {
    if (field.many) return Array.from(item.querySelectorAll(field.selector), (el) => says(el, field));
    const el = first(item, field.selector);
    return el ? says(el, field) : null;
  }
  const cell = cellOf(item, field);
  if (cell) return field.many ? says(cell, field).split(/\s*,\s*/) : says(cell, field);
  const data = field.name.replace(/([a-z])([A-Z])/g, '$1-$2').replace(/_/g, '-').toLowerCase();
  const carrier = /^[\w-]+$/.test(data) ? first(item, `[data-${data}]`) : null;
  if (carrier && carrier.getAttribute(`data-${data}`)) return carrier.getAttribute(`data-${data}`);
  const elements = marked(item, field);
  if (field.many) return elements.map((el) => says(el, field));
  for (const el of elements) { const said = says(el, field); if (said) return said; }
  return labelled(item, field) || guess(item, field);
};

const record = (item, fields) => {
  const found = {};
  for (const field of fields) found[field.name] = read(item, field);
  return found;
};

const filled = (value) => value === null || value === '' ? 0 : Array.isArray(value) ? (value.length ? 1 : 0)
  : typeof value === 'object' ? Object.values(value).reduce((sum, each) => sum + filled(each), 0) / Math.max(1, Object.keys(value).length) : 1;

// `options`: the fields, a selector for the items, whether there is only one, how many at most.
const records = (start, options) => {
  gridsSeen = new Map();
  if (options.one) return { records: [record(start, options.fields)], items: 1, where: '' };
  let items = null;
  if (options.selector) {
    // Rows of headers are in what selects all rows; they are no records.
    items = Array.from(start.querySelectorAll(options.selector)).filter((el) => drawn(el) !== GONE && !(el.matches(TABLE_ROW) && onlyHeads(el)));
  } else {
    let best = 0;
    const candidates = groups(start).sort((a, b) => b.length - a.length).slice(0, 60);
    for (const candidate of candidates) {
      const body = candidate.filter((el) => !(el.localName === 'tr' && !el.querySelector('td,[role=cell]')) && !(el.matches(TABLE_ROW) && onlyHeads(el)));
      if (body.length < 1) continue;
      const sample = body.slice(0, 5);
      const found = sample.map((el) => record(el, options.fields));
      const score = found.reduce((sum, each) => sum + filled(each), 0) / sample.length;
      const distinct = new Set(found.map((each) => JSON.stringify(each))).size / sample.length;
      const total = score * distinct * (1 + Math.log2(body.length) / 8);
      if (total > best) { best = total; items = body; }
    }
  }
  if (!items || !items.length) return { records: [], items: 0, where: '' };
  const place = items[0].parentElement;
  return {
    records: items.slice(0, options.most).map((item) => record(item, options.fields)),
    items: items.length,
    where: `${signature(items[0]).replace(/\.+$/, '')} in ${place ? signature(place).replace(/\.+$/, '') : 'the document'}`,
  };
};

const EXTRACTS = {
  html: (start, options) => cleanHtml(start, options.most),
  text: (start) => ({ text: shownText(start).toWellFormed(), frames: 0, cut: false }),
  links, images, forms, records, tables, texts, next, controls,
};
