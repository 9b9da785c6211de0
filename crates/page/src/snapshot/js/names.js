// Accessible names by accname 1.2 and the HTML mapping.

const squeeze = (text) => text.replace(/[\s\u200b]+/g, ' ').trim();

// Nothing, if a text is only glyphs of an icon font: those mean something in that font alone.
const worded = (text) => (/^[\p{Co}\s]*$/u.test(text) ? '' : text);

const labelledBy = (el) => {
  if (!el.hasAttribute('aria-labelledby')) return null;
  const elements = el.ariaLabelledByElements;
  return elements && elements.length ? elements : null;
};

// Roles that are named by what is in them.
const BY_CONTENT = new Set(`button cell checkbox columnheader gridcell heading link menuitem menuitemcheckbox menuitemradio
option radio rowheader switch tab term tooltip treeitem summary`.split(/\s+/));

// The rows of a grid, which can be chosen, are too.
const byContent = (el, role) => BY_CONTENT.has(role) || role === 'math' && el.localName !== 'math'
  || role === 'row' && el.closest('[role=grid],[role=treegrid]') !== null;

const TYPED = /^(text|search|tel|url|email|password|number)$/;

// What HTML itself says about the name; `null` when it says nothing.
const nativeName = (el, tag, context) => {
  switch (tag) {
    case 'input': {
      const type = el.type;
      if (type === 'hidden') return null;
      if (type === 'submit' || type === 'reset' || type === 'button') {
        const labels = labelsOf(el, context);
        if (labels) return labels;
        if (el.value) return el.value;
        return type === 'submit' ? 'Submit' : type === 'reset' ? 'Reset' : null;
      }
      if (type === 'image') return labelsOf(el, context) || el.alt || el.title || 'Submit';
      return labelsOf(el, context);
    }
    case 'button': case 'select': case 'textarea': case 'meter': case 'progress': case 'output': return labelsOf(el, context);
    case 'area': return el.alt;
    case 'fieldset': return childText(el, 'legend', context);
    case 'table': return childText(el, 'caption', context);
    case 'optgroup': return el.label;
    case 'option': return el.label;
    default: return el instanceof SVGElement ? childText(el, 'title', context) : tag.includes('-') ? labelsOf(el, context) : null;
  }
};

const childText = (el, tag, context) => {
  for (let child = el.firstElementChild; child; child = child.nextElementSibling) {
    if (child.localName === tag) return tag === 'title' ? child.textContent : alternative(child, { ...context, native: true });
  }
  return null;
};

// Labels by control, for each tree. The browser's own `labels` looks through the whole document for
// each control anew after every change.
let labels = new Map();

// What was found out about the document as it was.
const forget = () => {
  owners = new Map();
  labels = new Map();
};

const labelsFor = (el) => {
  const root = el.getRootNode();
  let known = labels.get(root);
  if (!known) {
    labels.set(root, known = new Map());
    for (const label of root.querySelectorAll ? root.querySelectorAll('label') : []) {
      const control = label.control;
      if (!control) continue;
      if (known.has(control)) known.get(control).push(label);
      else known.set(control, [label]);
    }
  }
  return known.get(el);
};

const labelsOf = (el, context) => {
  if (context.label) return null;
  const given = labelsFor(el);
  if (!given) return null;
  const texts = given.map((label) => alternative(label, { seen: new Set([el]), label: el, hidden: false, by: false }));
  return squeeze(texts.join(' ')) || null;
};

// The accessible name of an element that has this role.
const nameOf = (el, role) => {
  const context = { seen: new Set(), label: null, hidden: false, by: false };
  const tag = el.localName;
  if (el.hasAttributes()) {
    const named = attributeName(el, context);
    if (named) return named;
  }
  if (tag === 'img' && el.hasAttribute('alt')) return squeeze(el.alt);
  const native = nativeName(el, tag, context);
  if (native && squeeze(native)) return squeeze(native);
  if (byContent(el, role) && tag !== 'input' && tag !== 'select' && tag !== 'textarea') {
    context.seen.add(el);
    context.tree = role === 'treeitem';
    const text = worded(squeeze(contentOf(el, context)));
    if (text) return text;
  }
  return (role !== '' || tag === 'abbr') && el.hasAttributes() ? hintName(el, tag) : '';
};

// What the author says outright.
const attributeName = (el, context) => {
  const others = context.by ? null : labelledBy(el);
  if (others) {
    // An element may name itself among others.
    const texts = others.map((other) => alternative(other, { seen: new Set(), label: null, hidden: true, by: true, self: el }));
    const text = squeeze(texts.join(' '));
    if (text) return text;
  }
  const label = el.getAttribute('aria-label');
  return label ? squeeze(label) : '';
};

// What is shown as a hint only.
const hintName = (el, tag) => {
  if (el.title) return squeeze(el.title);
  if (tag === 'textarea' || tag === 'input' && TYPED.test(el.type)) {
    if (el.placeholder) return squeeze(el.placeholder);
  }
  if (tag === 'input' && el.type === 'file') return '';
  return squeeze(el.getAttribute('aria-placeholder') || '');
};
