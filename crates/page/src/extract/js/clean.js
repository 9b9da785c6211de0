// The page as plain HTML: what is shown, shadow trees flattened, addresses whole, no scripts and no styles.

const KEPT = new Set(`alt class cite colspan content datetime dir height id itemprop itemscope itemtype lang name
open rel reversed rowspan scope start title type width`.split(/\s+/));
// How authors make tables of anything: by roles.
const TABULAR = new Set('table grid treegrid rowgroup row cell gridcell columnheader rowheader'.split(' '));
const SPANS = new Set(['aria-colspan', 'aria-rowspan']);
const tabular = (el) => TABULAR.has((el.getAttribute('role') || '').trim().toLowerCase());
const ADDRESSES = new Set(['href', 'src', 'poster']);
const VOID = new Set('area br embed hr img input wbr'.split(' '));
const ESCAPES = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', '\u00a0': '&nbsp;' };
const escaped = (text) => text.replace(/[&<>"\u00a0]/g, (c) => ESCAPES[c]);

const cleanHtml = (start, most) => {
  const parts = [];
  let size = 0, deep = 0, frames = 0;
  const add = (text) => { size += text.length; parts.push(text); };
  const whole = (el, name) => {
    const value = el[name];
    return typeof value === 'string' ? value : '';
  };
  const tagOf = (el, tag) => {
    let text = `<${tag}`;
    const table = tabular(el);
    for (const { name, value } of el.attributes) {
      if (KEPT.has(name) || table && (name === 'role' || SPANS.has(name))) text += ` ${name}="${escaped(value)}"`;
      else if (ADDRESSES.has(name) && !/^\s*javascript:/i.test(value)) text += ` ${name}="${escaped(whole(el, name) || value)}"`;
    }
    return `${text}>`;
  };
  const go = (node, hollow) => {
    if (size > most) return;
    if (node.nodeType === 3) { if (!hollow) add(escaped(node.data)); return; }
    if (node.nodeType !== 1) return;
    const tag = node.localName;
    if (SKIPPED.has(tag) || tag === 'svg' || deep >= DEEPEST) return;
    const seen = drawn(node);
    if (seen === GONE) return;
    suspect(node, tag);
    if (tag === 'input' && (node.type === 'hidden' || node.type === 'password')) return;
    if (tag === 'iframe' || tag === 'frame') frames++;
    const own = tag.includes('-'), written = own ? 'div' : tag;
    const plain = tag === 'slot' || own && !tabular(node) || tag === 'body' || tag === 'html';
    if (!plain) add(tagOf(node, written));
    if (VOID.has(tag)) return;
    if (tag === 'select') add(Array.from(node.selectedOptions, (option) => `<option>${escaped(option.label)}</option>`).join(''));
    else if (tag === 'textarea') add(escaped(node.value));
    else if (tag !== 'iframe' && tag !== 'video' && tag !== 'audio' && tag !== 'object' && tag !== 'canvas') {
      deep++;
      const hides = seen === HOLLOW || skipsContents(node);
      eachChild(node, (child) => go(child, hides));
      deep--;
    }
    if (!plain) add(`</${written}>`);
  };
  go(start, false);
  return { text: parts.join('').toWellFormed(), frames, cut: size > most };
};
