// A walk over what is shown, for those who collect things.

// Calls `visit` for each element that is shown, in the order it is drawn; `false` leaves out what is in it.
const tour = (start, visit) => {
  let deep = 0;
  const go = (el) => {
    const tag = el.localName;
    if (SKIPPED.has(tag) || deep >= DEEPEST) return;
    const seen = drawn(el);
    if (seen === GONE) return;
    suspect(el, tag);
    if (visit(el, tag, seen) === false) return;
    deep++;
    eachChild(el, (child) => { if (child.nodeType === 1) go(child); });
    deep--;
  };
  go(start);
};

const hasShadow = (start) => {
  let found = false;
  tour(start, (el) => {
    if (rootOf(el)) found = true;
    return !found;
  });
  return found;
};

// The text of an element as it is shown; that of shadow trees, which `innerText` leaves out, too.
const shownText = (el) => {
  if (typeof el.innerText === 'string' && !rootOf(el) && !hasShadow(el)) return el.innerText;
  let text = '', pre = false, deep = 0;
  const go = (node) => {
    if (node.nodeType === 3 && skipsContents(node.parentElement ?? node.getRootNode().host)) return;
    if (node.nodeType === 3) { text += pre ? node.data : node.data.replace(/\s+/g, ' '); return; }
    if (node.nodeType !== 1 || SKIPPED.has(node.localName) || drawn(node) === GONE) return;
    if (node.localName === 'br') { text += '\n'; return; }
    const style = getComputedStyle(node), display = style.display, outer = pre;
    pre = style.whiteSpaceCollapse.startsWith('preserve');
    const block = !INLINE.test(display) && !display.startsWith('inline');
    const cell = display === 'table-cell';
    if (block && !cell && text && !text.endsWith('\n')) text += '\n';
    const inner = node.localName === 'textarea' || node.localName === 'select';
    if (!inner && deep < DEEPEST) { deep++; eachChild(node, go); deep--; }
    pre = outer;
    if (node.localName === 'p') text += '\n\n';
    else if (cell) text += '\t';
    else if (block && !text.endsWith('\n')) text += '\n';
  };
  go(el);
  return text.replace(/[ \t]+\n/g, '\n').replace(/\n{3,}/g, '\n\n').trim();
};
