// Roles by ARIA 1.2 and ARIA in HTML. What has no role in ARIA keeps a word of its own.

const ARIA = new Set(`alert alertdialog application article banner blockquote button caption cell checkbox code
columnheader combobox complementary contentinfo definition deletion dialog directory document emphasis feed figure form
generic grid gridcell group heading img insertion link list listbox listitem log main mark marquee math menu menubar
menuitem menuitemcheckbox menuitemradio meter navigation none note option paragraph presentation progressbar radio
radiogroup region row rowgroup rowheader scrollbar search searchbox separator slider spinbutton status strong subscript
superscript suggestion switch tab table tablist tabpanel term textbox time timer toolbar tooltip tree treegrid
treeitem comment image graphics-document graphics-object graphics-symbol`.split(/\s+/));

const SECTIONING = 'article,aside,main,nav,section,[role=article],[role=complementary],[role=main],[role=navigation],[role=region]';

// Global attributes that make an element matter even when it says that it is only presentation.
const GLOBAL = ['aria-atomic', 'aria-busy', 'aria-controls', 'aria-current', 'aria-describedby', 'aria-details', 'aria-dropeffect',
  'aria-flowto', 'aria-grabbed', 'aria-keyshortcuts', 'aria-label', 'aria-labelledby', 'aria-live', 'aria-owns',
  'aria-relevant', 'aria-roledescription'];

// A child counts only inside of its table or list.
const explicit = (el) => {
  const given = el.getAttribute('role');
  if (!given) return '';
  for (const token of given.toLowerCase().split(/\s+/)) {
    if (!ARIA.has(token)) continue;
    if (token === 'none' || token === 'presentation') return mattersAnyway(el) ? '' : 'none';
    if ((token === 'region' || token === 'form') && !named(el)) continue;
    if (token === 'image') return 'img';
    if (token === 'directory') return 'list';
    return token;
  }
  return '';
};

const named = (el) => !!(el.getAttribute('aria-label') || '').trim() || labelledBy(el) !== null || !!el.title;
const mattersAnyway = (el) => focusable(el) || GLOBAL.some((attribute) => el.hasAttribute(attribute));

const INPUTS = {
  button: 'button', submit: 'button', reset: 'button', image: 'button', file: 'button', checkbox: 'checkbox', radio: 'radio',
  range: 'slider', number: 'spinbutton', search: 'searchbox', hidden: 'none',
};

const input = (el) => {
  if (el.type === 'checkbox' && el.switch === true) return 'switch';
  const role = INPUTS[el.type];
  if (role === 'searchbox' || !role) {
    if (el.list && /^(text|search|tel|url|email)$/.test(el.type)) return 'combobox';
  }
  return role || 'textbox';
};

const img = (el) => {
  if (el.getAttribute('alt') !== '' || el.title) return 'img';
  return mattersAnyway(el) ? 'img' : 'none';
};

// A part of a table whose table says that it is only presentation is none either.
const ofTable = (role) => (el) => {
  const table = el.closest('table');
  if (!table) return '';
  const outer = explicit(table);
  if (outer === 'none') return '';
  return typeof role === 'function' ? role(el, outer) : role;
};

const cell = (el, outer) => outer === 'grid' || outer === 'treegrid' ? 'gridcell' : !outer || outer === 'table' ? 'cell' : '';

const header = (el, outer) => {
  const scope = el.scope;
  if (scope === 'row' || scope === 'rowgroup') return 'rowheader';
  if (scope === 'col' || scope === 'colgroup') return 'columnheader';
  const row = el.parentElement;
  if (!row || row.localName !== 'tr') return cell(el, outer);
  if (row.parentElement && row.parentElement.localName === 'thead') return 'columnheader';
  const cells = row.cells;
  const only = cells && Array.prototype.every.call(cells, (each) => each.localName === 'th');
  return only ? 'columnheader' : 'rowheader';
};

const inList = (el) => {
  let list = el.parentElement;
  if (list && list.localName === 'slot') list = list.getRootNode().host;
  if (!list) return 'listitem';
  const outer = explicit(list);
  if (outer) return outer === 'list' ? 'listitem' : '';
  return 'listitem';
};

const landmark = (role) => (el) => {
  const outer = el.parentElement && el.parentElement.closest(SECTIONING);
  return outer ? '' : role;
};

const TAGS = {
  a: (el) => el.hasAttribute('href') ? 'link' : '', area: (el) => el.hasAttribute('href') ? 'link' : '',
  address: 'group', article: 'article',
  aside: (el) => !named(el) && el.parentElement && el.parentElement.closest('article,aside,nav,section') ? '' : 'complementary',
  audio: 'audio', blockquote: 'blockquote', button: 'button', canvas: 'canvas', caption: 'caption', code: 'code',
  datalist: 'listbox', dd: 'definition', del: 'deletion', details: 'group', dfn: 'term', dialog: 'dialog', dt: 'term',
  em: 'emphasis', embed: 'object', fieldset: 'group', figure: 'figure', footer: landmark('contentinfo'),
  form: 'form', frame: 'iframe', h1: 'heading', h2: 'heading', h3: 'heading', h4: 'heading',
  h5: 'heading', h6: 'heading', header: landmark('banner'), hgroup: 'group', hr: 'separator', iframe: 'iframe', img,
  input, ins: 'insertion', li: inList, main: 'main', mark: 'mark', math: 'math', menu: 'list', meter: 'meter',
  nav: 'navigation', object: 'object', ol: 'list', optgroup: 'group', option: 'option', output: 'status',
  p: (el) => el.firstChild || el.hasAttributes() ? 'paragraph' : '',
  progress: 'progressbar', s: 'deletion', search: 'search', section: (el) => named(el) ? 'region' : '',
  select: (el) => el.multiple || el.size > 1 ? 'listbox' : 'combobox', strong: 'strong', sub: 'subscript',
  summary: (el) => el.parentElement && el.parentElement.localName === 'details' && firstSummary(el.parentElement) === el ? 'summary' : '',
  sup: 'superscript', svg: 'img', table: 'table', tbody: ofTable((el) => el.hasAttributes() ? 'rowgroup' : ''), td: ofTable(cell), textarea: 'textbox',
  tfoot: ofTable('rowgroup'), th: ofTable(header), thead: ofTable('rowgroup'), time: 'time', tr: ofTable('row'), ul: 'list',
  video: 'video',
};
const BY_TAG = new Map(Object.entries(TAGS));

const firstSummary = (details) => {
  for (let child = details.firstElementChild; child; child = child.nextElementSibling) {
    if (child.localName === 'summary') return child;
  }
  return null;
};

// The role of an element; `''` for what only groups, `none` for what is there for looks.
const roleOf = (el) => {
  if (el.hasAttribute('role')) {
    const role = explicit(el);
    if (role) return role === 'generic' ? '' : role;
  }
  const implicit = BY_TAG.get(el.localName);
  if (implicit === undefined) return editable(el) ? 'textbox' : '';
  if (typeof implicit === 'function') return implicit(el);
  return implicit;
};

// The outermost element that can be typed into.
const editable = (el) => el.isContentEditable === true && el.hasAttribute('contenteditable')
  && !(el.parentElement && el.parentElement.isContentEditable);

const FOCUSABLE = /^(button|input|select|textarea|summary|iframe|embed|object)$/;
const focusable = (el) => {
  if (el.hasAttribute('tabindex')) return el.tabIndex >= -1 && !el.disabled;
  const tag = el.localName;
  if (tag === 'a' || tag === 'area') return el.hasAttribute('href');
  if (FOCUSABLE.test(tag)) return !el.disabled && el.type !== 'hidden';
  if (tag === 'audio' || tag === 'video') return el.controls;
  return editable(el);
};
