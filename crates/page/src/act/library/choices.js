// The entries of the lists that widgets show, and which of them are those of one control.

const ENTRIES = ['[role=option], [role=menuitem], [role=menuitemradio], [role=treeitem]', 'li, [data-value], [data-option]'];
const LISTS = '[role=listbox], [role=menu], [role=tree], [role=radiogroup], [role=list], ul, ol';
const entryText = (el) => short(el.innerText || el.textContent, 40);
const entryTexts = (el) => [el.innerText || el.textContent, el.getAttribute('data-value'), el.getAttribute('aria-label')]
  .filter((text) => text !== null).map(plain);

// Whether an entry can be seen, be it by scrolling: pages also hide menus by making them transparent, or by leaving them no
// room, or beside the page.
const isClipped = (el, known) => {
  if (!el) return false;
  if (!known.has(el)) {
    const { overflowX, overflowY } = getComputedStyle(el), { width, height } = el.getBoundingClientRect();
    const none = (overflowX !== 'visible' && width < 2) || (overflowY !== 'visible' && height < 2);
    known.set(el, (none && el !== document.body && el !== document.documentElement) || isClipped(parent(el), known));
  }
  return known.get(el);
};
const isShown = (el, known = new Map()) => {
  if (!el.checkVisibility({ visibilityProperty: true, opacityProperty: true })) return false;
  const place = box(el);
  return area(place) > 0 && place.x + place.width + scrollX > 0 && place.y + place.height + scrollY > 0 && !isClipped(parent(el), known);
};
// Those in some places that can be seen, by their kinds.
const entriesIn = (scopes) => {
  const known = new Map();
  return ENTRIES.map((kind) => [...new Set(scopes.flatMap((scope) => all(scope, kind)))].filter((el) => isShown(el, known)));
};

// What is a part of a control: in it, or named by it or by the combobox around it.
const combobox = (el) => closest(el, (at) => at !== el && at.getAttribute('role') === 'combobox');
const ownEntries = (el) => {
  const naming = [el, combobox(el), ...all(el, '[aria-controls], [aria-owns]')].filter(Boolean);
  const ids = (at) => ['aria-controls', 'aria-owns'].flatMap((name) => (at.getAttribute(name) || '').split(/\s+/)).filter(Boolean);
  const named = naming.flatMap((at) => ids(at).map((id) => root(at)?.getElementById(id) ?? document.getElementById(id)));
  return entriesIn([el, ...named.filter((list) => list && !within(el, list))]);
};

// The entries that could be seen before a control was opened, with their texts.
let shownBefore = null;
const noteEntries = () => new Map(entriesIn([document]).flat().map((el) => [el, entryText(el)]));
// What can be seen since, in the order of kinds; not what a page has only drawn anew.
const appeared = (own) => {
  const redrawn = new Set([...shownBefore].filter(([el]) => !el.isConnected).map(([, text]) => text));
  const mine = new Set(own.flat());
  return entriesIn([document]).map((kind) => kind.filter((el) => !shownBefore.has(el) && !mine.has(el) && !redrawn.has(entryText(el))));
};
// What cannot be seen any more: the control was open, and the click has closed it.
const vanished = () => {
  const gone = [...shownBefore.keys()].filter((el) => el.isConnected && !isShown(el));
  return ENTRIES.map((kind) => gone.filter((el) => el.matches(kind)));
};
// The list beside a control that is open, or is being written into, where nothing says whose list that is.
const openAlready = (el, own) => {
  const isOpen = [el, combobox(el), ...all(el, '[aria-expanded]')].some((at) => at?.getAttribute('aria-expanded') === 'true');
  const isEdited = hasFocus(el) && (sort(el) === 'text' || el.getAttribute('role') === 'combobox');
  if (!isOpen && !isEdited) return [];
  const place = box(el), mine = new Set(own.flat()), ownName = name(el);
  const isBeside = (entry) => {
    const list = closest(entry, (at) => at !== entry && at.matches(LISTS)) ?? parent(entry), label = list.getAttribute('aria-label');
    if (within(el, list) || list.tabIndex >= 0 || (label && label !== ownName) || closest(entry, (at) => at.matches('a[href], nav')) || entry.querySelector('a[href]')) return false;
    const at = list.getBoundingClientRect();
    const gap = Math.max(at.top - place.y - place.height, place.y - at.bottom);
    return gap <= 40 && at.left < place.x + place.width && at.right > place.x;
  };
  return entriesIn([document]).map((kind) => kind.filter((entry) => !mine.has(entry) && isBeside(entry)));
};

// The entry that a text means, or several that it may mean: one that says just this, or else one that begins with it,
// best with whole words. `pools` have entries by their kinds.
const fitting = (pools, wanted) => {
  const begins = (text) => wanted !== '' && text.startsWith(wanted);
  const tests = [(text) => text === wanted, (text) => begins(text) && !/^[\p{L}\p{N}]/u.test(text.slice(wanted.length)), begins];
  for (const test of tests) {
    for (const entries of pools.flat()) {
      const fit = entries.filter((el) => entryTexts(el).some(test));
      if (!fit.length) continue;
      // One in another says the same, and so do several of the same text.
      const outer = fit.filter((el) => !fit.some((other) => other !== el && within(el, other)));
      const different = new Map(outer.map((el) => [plain(el.innerText || el.textContent), el]).reverse());
      return test === tests[0] ? [fit[0]] : [...different.values()].reverse();
    }
  }
  return [];
};

// The choice that is being made: the control and how it was, and the entry.
let choosing = null;
const isChosen = (entry) => ['aria-selected', 'aria-checked', 'aria-pressed'].some((state) => entry.getAttribute(state) === 'true') || entry.selected === true;
const showing = (el) => JSON.stringify([
  content(el), el.value, ...['aria-activedescendant', 'aria-label', 'aria-valuetext', 'data-value', 'title'].map((name) => el.getAttribute(name)),
  all(el, 'input, textarea, select').map((field) => [field.value, field.checked]),
]);
// Whether anything shows that an entry was chosen, or has changed at all.
const showsChoice = () => {
  const { el, entry, before } = choosing;
  if (!el.isConnected || !entry.isConnected || !isShown(entry) || isChosen(entry) || showing(el) !== before) return true;
  const active = el.getAttribute('aria-activedescendant');
  if (active && active === entry.id) return true;
  const text = plain(entry.innerText || entry.textContent);
  return (!within(entry, el) && text !== '' && plain(content(el)).includes(text)) || seen.shows || seen.own > 0;
};
