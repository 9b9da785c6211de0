// Text alternatives: what an element adds to the name of another.

const INLINE = /^(inline|contents|ruby|ruby-text)$/;

// `context`: what was visited; the control whose label this is; whether hidden parts count; whether
// it was named by `aria-labelledby`, which is not followed twice.
const alternative = (el, context) => {
  if (context.seen.has(el)) return '';
  context.seen.add(el);
  const seen = context.hidden ? SHOWN : withdrawn(el) ? GONE : drawn(el);
  if (seen === GONE) return '';
  if (seen === HOLLOW) return contentOf(el, { ...context, hollow: true });
  const role = roleOf(el);
  const tag = el.localName;
  if (context.tree && role === 'group') return '';
  if (el !== context.self) {
    const value = controlValue(el, role, tag);
    if (value !== null) return value;
  }
  if (el.hasAttributes()) {
    const named = attributeName(el, { ...context, by: true });
    if (named) return named;
  }
  if (tag === 'img' && el.hasAttribute('alt')) return el.alt;
  const native = nativeName(el, tag, context);
  if (native && squeeze(native)) return native;
  if (tag === 'select' || tag === 'textarea' || tag === 'input') return el.hasAttributes() ? hintName(el, tag) : '';
  const text = contentOf(el, context);
  if (text && squeeze(text) && !(el.title && worded(text) === '')) return text;
  if (text && squeeze(text)) return el.title;
  return role === '' ? '' : el.title || '';
};

// A control inside a label counts with its value.
const controlValue = (el, role, tag) => {
  switch (role) {
    case 'textbox': case 'searchbox':
      return tag === 'input' || tag === 'textarea' ? el.type === 'password' ? '' : el.value : el.textContent;
    case 'combobox': case 'listbox':
      if (tag === 'select') return Array.from(el.selectedOptions, (option) => option.label).join(' ');
      if (tag === 'input') return el.value;
      return Array.from(el.querySelectorAll('[role=option][aria-selected=true]'), (option) => contentOf(option, { seen: new Set(), hidden: false, by: true })).join(' ');
    case 'slider': case 'spinbutton': case 'progressbar': case 'meter': case 'scrollbar':
      return el.getAttribute('aria-valuetext') || el.getAttribute('aria-valuenow') || (el.value === undefined ? '' : String(el.value));
    default: return null;
  }
};

// Elements within elements whose text is being read.
let nesting = 0;

// The text of what is in an element, with its pseudo elements.
const contentOf = (el, context) => {
  if (nesting > 200) return '';
  nesting++;
  try { return contentIn(el, context); } finally { nesting--; }
};

const contentIn = (el, context) => {
  const only = el.firstChild, hollow = context.hollow || only !== null && !context.hidden && skipsContents(el);
  const before = pseudo(el, '::before'), after = pseudo(el, '::after');
  if (only && only === el.lastChild && only.nodeType === 3 && !rootOf(el) && owners.size === 0 && !hollow) return before + only.data + after;
  let text = before;
  eachChild(el, (node) => {
    if (node.nodeType === 3) {
      if (!hollow) text += node.data;
    } else if (node.nodeType === 1) {
      const tag = node.localName;
      if (tag === 'br') { text += ' '; return; }
      if (tag === 'script' || tag === 'style' || tag === 'template') return;
      const part = alternative(node, context.hollow ? { ...context, hollow: false } : context);
      text += INLINE.test(getComputedStyle(node).display) ? part : ` ${part} `;
    }
  });
  return text + after;
};

// What style sheets write in front of and behind an element.
const pseudo = (el, which) => {
  const content = getComputedStyle(el, which).content;
  if (content === 'none' || content === 'normal' || content === '') return '';
  const style = getComputedStyle(el, which);
  if (style.display === 'none' || style.visibility !== 'visible') return '';
  const [text, said] = written(content);
  if (said) return ` ${text} `;
  return text && !INLINE.test(style.display) ? ` ${text} ` : text;
};

// The strings of a `content` value; what stands behind a slash is said instead of what is before it.
const written = (content) => {
  let text = '', alt = null;
  const parts = /"((?:[^"\\]|\\.)*)"|(\/)|[^"/]+/g;
  for (let part; (part = parts.exec(content));) {
    if (part[2]) alt = '';
    else if (part[1] !== undefined) {
      const plain = part[1].replace(/\\([0-9a-f]{1,6}\s?|.)/gi, (_, code) =>
        /^[0-9a-f]/i.test(code) ? String.fromCodePoint(parseInt(code, 16) || 0xfffd) : code);
      if (alt === null) text += plain; else alt += plain;
    }
  }
  return alt === null ? [text, false] : [alt, true];
};
