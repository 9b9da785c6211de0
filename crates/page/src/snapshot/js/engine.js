// Numbers for nodes, and what is asked from outside.

// A node keeps its number as long as it lives. They are found again by weak references, so that what
// the page throws away is not kept.
const numbers = new WeakMap();
const nodes = new Map();
let last = 0;

const number = (node) => {
  let known = numbers.get(node);
  if (known === undefined) {
    known = ++last;
    numbers.set(node, known);
    nodes.set(known, new WeakRef(node));
  }
  return known;
};

const node = (known) => {
  const reference = nodes.get(known);
  return reference ? reference.deref() || null : null;
};

// Elements that may have a closed shadow root: custom ones, and plain ones that show more than they
// hold. Each is asked about a few times only, because most of them have none.
const HOSTS = /^(article|aside|blockquote|div|footer|h[1-6]|header|main|nav|p|section|span)$/;
const asked = new WeakMap();
let suspected = [];
const suspect = (el, tag) => {
  if (suspected.length >= 400 || rootOf(el)) return;
  const first = el.firstChild;
  if (!tag.includes('-')) {
    if (!HOSTS.test(tag)) return;
    if (first) {
      const child = el.firstElementChild;
      if (!child || !child.slot && getComputedStyle(child).display !== '') return;
    } else if (el.offsetHeight === 0 || el.offsetWidth === 0) return;
  }
  const times = asked.get(el) || 0;
  if (times >= 3) return;
  asked.set(el, times + 1);
  suspected.push(el);
};

// Whether the document was loaded anew: somebody went back or forward to it, or reloaded it.
const again = () => /^(back_forward|reload)$/.test(performance.getEntriesByType('navigation')[0]?.type);

// The walk that was begun last.
let walking = null;
// What tells the elements of a reading apart that are asked for: those that work, or all that something may be dropped on.
const told = (lines, which) => {
  const numbers = lines.map((line) => line.split('\t', 4)).filter(([, , known, kind]) => known !== '0' && (which === 'places' || kind === 'i' || kind === 'c')).map(([, , known]) => Number(known));
  const els = numbers.map(node);
  for (const el of els) if (el?.nodeType === 1) stands(el);
  return identitiesOf(els).map((identity, at) => [numbers[at], identity]);
};
// Where elements were when they were read, and the time of the first frame in which they were there.
const places = new WeakMap();
const stands = (el) => {
  const { x, y, width, height } = el.getBoundingClientRect(), known = places.get(el);
  if (known && known.x === x && known.y === y && known.width === width && known.height === height) return;
  places.set(el, { x, y, width, height, drawn: document.timeline.currentTime ?? 0 });
};
const goOn = () => {
  const done = walking.walker.goOn();
  if (!done) return { text: '', cut: '', suspects: 0, more: walking.id };
  const { options } = walking;
  if (!options.root && !walking.again && deepDialogs.size && walking.walker.passed()) {
    Object.assign(walking, { again: true, walker: walker(options) });
    walking.walker.start(null);
    return goOn();
  }
  walking.walker = null;
  const { lines, visited, cut } = done;
  if (nodes.size > 2 * lines.length + 10000) for (const [known, reference] of nodes) if (!reference.deref()) nodes.delete(known);
  const { href } = location, { identify } = options;
  return { text: lines.join('\n').toWellFormed(), visited, cut, suspects: suspected.length, url: href.toWellFormed(), again: again(), told: identify ? told(lines, identify) : [] };
};

return {
  // Given from outside, once.
  serial: 0,
  // Reads the document, or what is in one node of it: the first part. While there is more, the answer has the number of
  // the walk.
  read(options) {
    let root = null;
    if (options.root) {
      root = node(options.root);
      if (!root || !root.isConnected) return null;
    }
    suspected = [];
    forget();
    walking = { id: (walking?.id ?? 0) + 1, walker: walker(options), options };
    walking.walker.start(root);
    return goOn();
  },
  // The next part, unless another walk began meanwhile.
  goOn: (id) => (walking?.walker && walking.id === id ? goOn() : null),
  // Something else than the tree: text, HTML, lists, records.
  ask(kind, root, options) {
    const start = root ? node(root) : modal() || document.body || document.documentElement;
    if (!start || !start.isConnected) return null;
    suspected = [];
    forget();
    const value = EXTRACTS[kind](start, options);
    return { value, suspects: suspected.length };
  },
  // What a number stands for now: `null` when it is gone.
  now(known, kind) {
    const el = node(known);
    if (!el || !el.isConnected) return null;
    forget();
    const role = roleOf(el);
    return { role: lineRole(el, role), name: lineName(el, role, kind) };
  },
  // Whether a node is still what it was when it was read; what has no name goes by its text.
  is(known, kind, role, name, text) {
    const now = this.now(known, kind);
    return now?.role === role && now.name === name && (name !== '' || ownText(node(known)) === text);
  },
  // Those of some nodes that are no longer in the document.
  gone: (numbers) => numbers.filter((known) => { const el = node(known); return !el || !el.isConnected; }),
  // The largest thing around a node that has no more elements in it than this, or 0.
  around(known, most) {
    const start = node(known), size = (at) => at.getElementsByTagName('*').length;
    let el = start instanceof Element ? start : start?.parentElement;
    if (!el?.isConnected || size(el) > most) return 0;
    for (let at = above(el); at && at !== document.body && at !== document.documentElement && size(at) <= most; at = above(at)) el = at;
    return number(el);
  },
  // What tells an element that is given from all others, and what it is like; a `place` need not be a control. With a point
  // `at` the viewport it is what is meant there, if that can be told; `of` is a point of the element.
  identify(el, { place, moves, at, of }) {
    forget();
    const whole = place || of ? el : control(el);
    const meant = at ? meantAt(el, ...at) : { el: whole, identity: equals(whole), point: of ? { ...pointOf(whole, 0, 0), x: of[0], y: of[1] } : null };
    if (!meant) return null;
    return { identity: meant.identity, point: meant.point, number: number(meant.el), condition: conditionOf(meant.el, moves) };
  },
  // What an element is like now; `null` when it is gone.
  condition(known, moves, wanted) {
    const el = node(known);
    if (!(el instanceof Element) || !el.isConnected) return null;
    forget();
    return conditionOf(el, moves, wanted);
  },
  // Elements with these handles of the author.
  held(css, id) {
    const all = [];
    try { if (css.startsWith('#')) all.push(...document.querySelectorAll(css)); } catch { /* It is no selector here. */ }
    for (const name of id ? TEST_IDS : []) all.push(...document.querySelectorAll(`[${name}="${CSS.escape(id)}"]`));
    forget();
    const found = [...new Set(all)].slice(0, 20);
    return identitiesOf(found).map((identity, at) => {
      const role = roleOf(found[at]);
      return { number: number(found[at]), identity, role: lineRole(found[at], role), name: lineName(found[at], role, '') };
    });
  },
  node,
  number,
  // Where a node was when it was read.
  place: (known) => places.get(node(known)) ?? null,
  learn,
  trees,
  shown,
  suspects() { return suspected; },
  // A closed shadow root, found from outside.
  reveal(host, root) { closedRoots.set(host, root); },
  // How many elements fit a selector, and the numbers of the first.
  select(selector) {
    const path = xpath(selector);
    const fits = path === null ? document.querySelectorAll(selector) : elementsBy(path, document);
    return { count: fits.length, first: [...fits].slice(0, 6).map(number) };
  },
  // Where a frame's own page begins, in the pixels of this one, and how large its pixels are here.
  inset(known) {
    const el = node(known);
    if (!el) return [0, 0, 1, 1];
    const { x, y, width, height } = el.getBoundingClientRect();
    const style = getComputedStyle(el);
    const across = width / el.offsetWidth || 1;
    const down = height / el.offsetHeight || 1;
    const left = el.clientLeft + parseFloat(style.paddingLeft);
    const top = el.clientTop + parseFloat(style.paddingTop);
    return [x + left * across, y + top * down, across, down];
  },
  // The size of this frame's own page.
  view: () => [innerWidth, innerHeight],
};
