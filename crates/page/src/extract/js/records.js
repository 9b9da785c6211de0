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

// The headings of the columns of a table's row.
const columns = (row) => {
  const table = row.closest('table,[role=table],[role=grid]');
  if (!table) return [];
  const head = table.querySelector('thead tr') || table.querySelector('tr,[role=row]');
  if (!head || head === row) return [];
  return Array.from(head.querySelectorAll('th,[role=columnheader]'), (cell) => wordsIn(shownText(cell)));
};

const read = (item, field, heads) => {
  if (field.fields) return record(item, field.fields, heads);
  if (field.selector) {
    if (field.many) return Array.from(item.querySelectorAll(field.selector), (el) => says(el, field));
    const el = first(item, field.selector);
    return el ? says(el, field) : null;
  }
  const at = heads.findIndex((words) => sameWords(words, field.words) || sameWords(words, field.other));
  if (at >= 0) {
    const cell = item.querySelectorAll(':scope > td,:scope > th,:scope > [role=cell],:scope > [role=gridcell]')[at];
    if (cell) return field.many ? says(cell, field).split(/\s*,\s*/) : says(cell, field);
  }
  const data = field.name.replace(/([a-z])([A-Z])/g, '$1-$2').replace(/_/g, '-').toLowerCase();
  const carrier = /^[\w-]+$/.test(data) ? first(item, `[data-${data}]`) : null;
  if (carrier && carrier.getAttribute(`data-${data}`)) return carrier.getAttribute(`data-${data}`);
  const elements = marked(item, field);
  if (field.many) return elements.map((el) => says(el, field));
  for (const el of elements) { const said = says(el, field); if (said) return said; }
  return labelled(item, field) || guess(item, field);
};

const record = (item, fields, heads) => {
  const found = {};
  for (const field of fields) found[field.name] = read(item, field, heads);
  return found;
};

const filled = (value) => value === null || value === '' ? 0 : Array.isArray(value) ? (value.length ? 1 : 0)
  : typeof value === 'object' ? Object.values(value).reduce((sum, each) => sum + filled(each), 0) / Math.max(1, Object.keys(value).length) : 1;

// `options`: the fields, a selector for the items, whether there is only one, how many at most.
const records = (start, options) => {
  if (options.one) {
    const heads = [];
    return { records: [record(start, options.fields, heads)], items: 1, where: '' };
  }
  let items = null;
  if (options.selector) {
    items = Array.from(start.querySelectorAll(options.selector)).filter((el) => drawn(el) !== GONE);
  } else {
    let best = 0;
    const candidates = groups(start).sort((a, b) => b.length - a.length).slice(0, 60);
    for (const candidate of candidates) {
      const body = candidate.filter((el) => !(el.localName === 'tr' && !el.querySelector('td,[role=cell]')));
      if (body.length < 1) continue;
      const sample = body.slice(0, 5);
      const heads = columns(sample[0]);
      const found = sample.map((el) => record(el, options.fields, heads));
      const score = found.reduce((sum, each) => sum + filled(each), 0) / sample.length;
      const distinct = new Set(found.map((each) => JSON.stringify(each))).size / sample.length;
      const total = score * distinct * (1 + Math.log2(body.length) / 8);
      if (total > best) { best = total; items = body; }
    }
  }
  if (!items || !items.length) return { records: [], items: 0, where: '' };
  const heads = columns(items[0]);
  const place = items[0].parentElement;
  return {
    records: items.slice(0, options.most).map((item) => record(item, options.fields, heads)),
    items: items.length,
    where: `${signature(items[0]).replace(/\.+$/, '')} in ${place ? signature(place).replace(/\.+$/, '') : 'the document'}`,
  };
};

const EXTRACTS = {
  html: (start, options) => cleanHtml(start, options.most),
  text: (start) => ({ text: shownText(start).toWellFormed(), frames: 0, cut: false }),
  links, images, forms, records, tables, texts, next, controls,
};
