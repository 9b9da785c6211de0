// What acts need to know of a document. Evaluated in an isolated world: an object of functions that
// nothing in the page can reach. Elements are named by numbers, which are good for one act.
// This file names what the answers in `questions.js` are made of; `world.rs` puts both into one function.

const held = [];
const hold = (el) => {
  if (held.includes(el)) return held.indexOf(el);
  for (let tree = root(el); tree; tree = root(tree.host)) sealed.set(tree.host, tree);
  return held.push(el) - 1;
};
// The words that are meant of an element, by its number.
const meant = new Map();
const mean = (id, words) => {
  if (words) meant.set(id, words); else meant.delete(id);
  certain.delete(id);
  return id;
};
// For elements that are acted on only as long as they are what they were: how to ask that, by their numbers.
const certain = new Map();
const other = (id) => certain.has(id) && !certain.get(id)();
// Closed trees that are known, by what they are in.
const sealed = new WeakMap();

// A hidden tab has no frames.
const frame = () => new Promise((resolve) => {
  const late = setTimeout(resolve, 100);
  requestAnimationFrame(() => { clearTimeout(late); resolve(); });
});
// The time of the frame that is drawn: two looks in one frame see the same, whatever moves.
const drawn = () => document.timeline.currentTime ?? 0;
const nextFrame = async (after, end) => {
  do await frame(); while (drawn() === after && !document.hidden && performance.now() < end);
};
const turn = () => new Promise((resolve) => setTimeout(resolve, 0));

const root = (node) => { const top = node.getRootNode(); return top instanceof ShadowRoot ? top : null; };
const parent = (node) => node.assignedSlot || node.parentElement || root(node)?.host || null;
const within = (node, el) => {
  for (let at = node; at; at = parent(at)) if (at === el) return true;
  return false;
};
const closest = (node, test) => {
  for (let at = node; at; at = parent(at)) if (test(at)) return at;
  return null;
};

// Also in open shadow roots. The ones below `scope` only, if it is given.
const all = (scope, selector) => {
  const path = xpath(selector);
  if (path !== null) return elementsBy(path, scope);
  const found = [];
  const search = (tree) => {
    found.push(...tree.querySelectorAll(selector));
    for (const el of tree.querySelectorAll('*')) if (el.shadowRoot) search(el.shadowRoot);
  };
  if (scope.shadowRoot) search(scope.shadowRoot);
  search(scope);
  return found;
};

// The entries of one list that two elements are, or are in; none if they are of no common list.
const entries = (one, two) => {
  for (let a = one; a && !within(two, a); a = parent(a)) {
    for (let b = two; b && !within(one, b); b = parent(b)) {
      if (parent(a) === parent(b)) return a.localName === b.localName && area(box(two)) > area(box(b)) / 2 ? [a, b] : [];
    }
  }
  return [];
};

const short = (text, most = 60) => {
  const line = String(text).replace(/\s+/g, ' ').trim();
  return line.length > most ? line.slice(0, most - 1) + '…' : line;
};
// Names are the page's: they can neither close their quotes nor hide what they say.
const visible = (text) => text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '');
// Whether it is a container, which all that is in it does not name.
const HOLDERS = 'dialog, ul, ol, dl, table, tbody, form, fieldset, nav, main, section, article, aside, header, footer, [role=dialog], [role=alertdialog], [role=list], [role=listbox], [role=menu], [role=menubar], [role=tree], [role=grid], [role=table], [role=tablist], [role=tabpanel], [role=region], [role=form], [role=group], [role=toolbar], [role=radiogroup], [role=feed]';
const holds = (el) => el === document.documentElement || el === document.body || (el.childElementCount > 0 && el.matches(HOLDERS))
  || (!el.matches('a, button, label, summary, option, [role]') && el.childElementCount > 1 && el.textContent.trim().length > 60);
// The words of a label, without those of the controls in it: a list would name itself by all of its options.
const CONTROLS = 'select, textarea, datalist, script, style, template, [role=listbox], [contenteditable]';
const worded = (el) => {
  const texts = document.createTreeWalker(el, NodeFilter.SHOW_TEXT);
  let said = '';
  for (let node = texts.nextNode(); node; node = texts.nextNode()) {
    const control = node.parentElement.closest(CONTROLS);
    if (!control || control === el || !el.contains(control)) said += node.data;
  }
  return said;
};
const name = (el) => {
  const named = (el.getAttribute('aria-labelledby') || '').split(/\s+/).filter(Boolean)
    .map((id) => (root(el) || document).getElementById(id)).filter(Boolean).map(worded).join(' ');
  const own = el instanceof HTMLInputElement || el instanceof HTMLSelectElement || el instanceof HTMLTextAreaElement
    ? [...(el.labels || [])].map(worded).join(' ').trim()
      || el.placeholder || (/^(submit|button|reset)$/.test(el.type) ? el.value : '')
    : el.alt || (holds(el) ? '' : el instanceof HTMLLabelElement && el.querySelector(CONTROLS) ? worded(el) : el.innerText || el.textContent);
  return visible(short(el.getAttribute('aria-label') || named || own || el.title || ''));
};
const describe = (el) => {
  const id = el.id ? '#' + el.id : '';
  const classes = id ? '' : [...el.classList].slice(0, 2).map((word) => '.' + word).join('');
  const text = name(el).replace(/["\\]/g, '\\$&');
  const tag = short(el.localName + id + classes).replace(/[^\p{L}\p{N}_:.#-]/gu, '_');
  return `<${tag}>` + (text ? ` "${text}"` : '');
};

const view = () => ({ x: 0, y: 0, width: innerWidth, height: innerHeight });
const overlap = (a, b) => {
  const x = Math.max(a.x, b.x), y = Math.max(a.y, b.y);
  return { x, y, width: Math.min(a.x + a.width, b.x + b.width) - x, height: Math.min(a.y + a.height, b.y + b.height) - y };
};
const area = (box) => Math.max(0, box.width) * Math.max(0, box.height);
// A link that is broken over two lines has two boxes, and nothing in the middle of both.
// What an area is a part of: the image that uses its map.
const imageOf = (el) => {
  const name = el.closest('map')?.name;
  return name ? all(el.getRootNode(), 'img[usemap], object[usemap]').find((image) => image.useMap === `#${name}`) ?? null : null;
};
// The box of an area's shape.
const shaped = (el) => {
  const image = imageOf(el), none = { x: 0, y: 0, width: 0, height: 0 };
  if (!image) return none;
  const rect = image.getBoundingClientRect(), style = getComputedStyle(image);
  const left = rect.x + image.clientLeft + (parseFloat(style.paddingLeft) || 0), top = rect.y + image.clientTop + (parseFloat(style.paddingTop) || 0);
  const at = el.coords.split(/[\s,;]+/).map(Number).filter((one) => !isNaN(one));
  let [x1, y1, x2, y2] = at;
  if (/^default$/i.test(el.shape)) [x1, y1, x2, y2] = [0, 0, image.clientWidth, image.clientHeight];
  else if (/^circ/i.test(el.shape)) [x1, y1, x2, y2] = [at[0] - at[2], at[1] - at[2], at[0] + at[2], at[1] + at[2]];
  else if (/^poly/i.test(el.shape)) {
    const across = at.filter((_, nth) => nth % 2 === 0), down = at.filter((_, nth) => nth % 2);
    [x1, y1, x2, y2] = [Math.min(...across), Math.min(...down), Math.max(...across), Math.max(...down)];
  }
  const found = overlap({ x: left + x1, y: top + y1, width: x2 - x1, height: y2 - y1 }, rect);
  return area(found) > 0 ? found : none;
};
const seeable = (el) => ((el instanceof HTMLAreaElement && imageOf(el)) || el).checkVisibility({ visibilityProperty: true });
const largest = (rects) => {
  const best = [...rects].sort((a, b) => area(overlap(b, view())) - area(overlap(a, view())) || area(b) - area(a))[0];
  return best ? { x: best.x, y: best.y, width: best.width, height: best.height } : { x: 0, y: 0, width: 0, height: 0 };
};
const box = (el) => {
  if (el instanceof HTMLAreaElement) return shaped(el);
  const rects = el.getClientRects();
  if (rects.length || getComputedStyle(el).display !== 'contents') return largest(rects);
  const range = document.createRange();
  range.selectNodeContents(el);
  return largest(range.getClientRects());
};
// The words of an element, no matter their case and what space is between them; where it says them more than once, those
// that are all of a text, else the first. `null` if it does not say them.
const wordsIn = (el, words) => {
  const wanted = plain(words), texts = document.createTreeWalker(el, NodeFilter.SHOW_TEXT);
  let said = '';
  const places = [];
  for (let node = texts.nextNode(); node; node = texts.nextNode()) {
    if (/^(script|style|template)$/.test(node.parentElement.localName) || !seeable(node.parentElement)) continue;
    let at = 0;
    for (const letter of node.data) {
      const low = /[\s\u200b]/.test(letter) ? ' ' : letter.replace(UNSEEN, '').normalize('NFC').toLowerCase();
      const whole = low > '\u02ff' && said ? (said.at(-1) + low).normalize('NFC') : '';
      if (whole.length === 1) {
        // An accent that is one letter with the one before.
        said = said.slice(0, -1) + whole;
        places.push([...places.pop().slice(0, 2), node, at + letter.length]);
      } else if (low !== ' ' || !said.endsWith(' ')) {
        said += low;
        for (let nth = 0; nth < low.length; nth++) places.push([node, at, node, at + letter.length]);
      }
      at += letter.length;
    }
  }
  const ranges = [];
  for (let from = wanted ? said.indexOf(wanted) : -1; from >= 0 && ranges.length < 20; from = said.indexOf(wanted, from + 1)) {
    const [[first, start], [, , last, end]] = [places[from], places[from + wanted.length - 1]];
    const range = document.createRange();
    range.setStart(first, start);
    range.setEnd(last, end);
    ranges.push(range);
  }
  return ranges.find((range) => plain(range.commonAncestorContainer.textContent) === wanted) ?? ranges[0] ?? null;
};
const wordsBox = (el, words) => {
  const range = wordsIn(el, words), found = range && largest(range.getClientRects());
  return found && area(found) > 0 ? found : null;
};
// The innermost element that holds these words. One that lets the pointer through is hit through what it is in.
const saying = (el, words) => {
  const holder = words && wordsIn(el, words)?.commonAncestorContainer;
  if (!holder) return el;
  let at = holder instanceof Element ? holder : holder.parentElement;
  while (at !== el && lets(at)) at = at.parentElement;
  return at;
};
// Where to act on an element: where its words are, or anywhere in it.
const spot = (id) => (meant.has(id) && wordsBox(held[id], meant.get(id))) || box(held[id]);

// What is on top at a point: through open roots, and through the closed ones that `el` is in.
const top = (el, x, y) => {
  let hit = document.elementFromPoint(x, y);
  const roots = [];
  for (let tree = root(el); tree; tree = root(tree.host)) roots.unshift(tree);
  for (;;) {
    const tree = hit && (hit.shadowRoot || roots.find((known) => known.host === hit));
    const inner = tree && tree.elementFromPoint(x, y);
    if (!inner || inner === hit) {
      // Text that is put into a slot is nobody's but the host's: what it is drawn in is next.
      return (tree && tree.elementsFromPoint(x, y).find((at) => at.getRootNode() === tree)) || hit;
    }
    hit = inner;
  }
};
// A list that a page dresses up: all that is in a wrapper of about its own size stands for it.
const dressed = (el, hit) => {
  const wrapper = el.parentElement;
  if (!(el instanceof HTMLSelectElement) || !wrapper || wrapper === document.body || !within(hit, wrapper)) return false;
  const only = wrapper.querySelectorAll('a[href], button, input, select, textarea, [tabindex]').length === 1;
  return only && area(wrapper.getBoundingClientRect()) <= 3 * area(box(el));
};
// A field that an editor keeps out of sight while it draws the text itself: the whole editor stands for it.
const tucked = (el, hit) => {
  if (!(el instanceof HTMLTextAreaElement)) return false;
  const around = [el.parentElement, el.parentElement?.parentElement].filter(Boolean);
  const hider = getComputedStyle(el).opacity === '0' ? el
    : around.find((at) => getComputedStyle(at).overflow === 'hidden' && area(at.getBoundingClientRect()) < 100);
  const editor = hider?.parentElement;
  return !!editor && editor !== document.body && within(hit, editor) && editor.querySelectorAll('input, select, textarea').length === 1;
};
// Whether it lets the pointer through to what it is in or what is behind it.
const lets = (el) => getComputedStyle(el).pointerEvents === 'none';
// What is in something that works, such as an icon in a button, is pressed by pressing that; a field, by pressing what
// holds it alone. Anything else that lets the pointer through gets nothing of a press.
const FIELDS = 'input, select, textarea';
const passes = (el, hit) => {
  if (!lets(el) || !within(el, hit) || hit === document.body || hit === document.documentElement) return false;
  if (el.matches(FIELDS)) return hit.querySelectorAll(WORKS).length === 1;
  return !el.matches(WORKS) && lively(hit);
};
const reaches = (el, hit) => {
  if (!hit) return false;
  if (within(hit, el) || dressed(el, hit) || tucked(el, hit)) return true;
  return hit.closest('label')?.control === el || passes(el, hit);
};
const SPOTS = [[0.5, 0.5], [0.25, 0.5], [0.75, 0.5], [0.5, 0.25], [0.5, 0.75], [0.15, 0.15], [0.85, 0.85]];
// A shape of an image map may leave out most of its box.
const FINE = [...SPOTS, ...Array.from({ length: 81 }, (_, nth) => [(nth % 9 + 0.5) / 9, (Math.floor(nth / 9) + 0.5) / 9])];
// What works by itself; in something else that works, a press on it would be meant for it.
const WORKS = 'a[href], area[href], button, input, select, textarea, summary, [onclick], [tabindex]:not([tabindex^="-"]), '
  + 'button checkbox combobox link menuitem menuitemcheckbox menuitemradio option radio searchbox slider spinbutton switch tab textbox treeitem'
    .split(' ').map((role) => `[role=${role}]`).join(', ');
const another = (el, hit) => {
  for (let at = hit; at && at !== el; at = parent(at)) if (at.matches(WORKS)) return true;
  return false;
};
const aim = (el, place, at) => {
  const seen = overlap(place, view());
  if (seen.width <= 0 || seen.height <= 0) return { point: null, cover: null };
  const mixed = !at && el.querySelector(WORKS) !== null;
  // A shape is met well inside of its edge only, as the pointer has whole pixels.
  const shape = !at && el instanceof HTMLAreaElement && /^(circ|poly)/i.test(el.shape);
  const firm = ({ x, y }) => !shape || [[-1.5, 0], [1.5, 0], [0, -1.5], [0, 1.5]].every(([dx, dy]) => reaches(el, top(el, x + dx, y + dy)));
  // In the first line, above what an entry of a tree holds.
  const fine = mixed ? [...SPOTS, ...[0.5, 0.25, 0.1].map((across) => [across, Math.min(0.5, 10 / seen.height)]), ...FINE] : FINE;
  const spots = at ? [[(at.x - seen.x) / seen.width, (at.y - seen.y) / seen.height]] : mixed || el instanceof HTMLAreaElement ? fine : SPOTS;
  let cover = null, first = null, around = false, inner = null;
  for (const [across, down] of spots) {
    const point = { x: seen.x + seen.width * across, y: seen.y + seen.height * down };
    const hit = top(el, point.x, point.y);
    if (reaches(el, hit)) {
      if ((!mixed || !within(hit, el) || !another(el, hit)) && firm(point)) return { point, cover: null, mixed: mixed || shape };
      inner ??= point;
      continue;
    }
    around ||= cover === null && !!hit && within(el, hit);
    cover ??= hit ? describe(hit) : 'nothing';
    first ??= point;
  }
  // All of it is full of others, or near its edge.
  return inner ? { point: inner, cover: null, mixed: mixed || shape } : { point: first, cover, around };
};

// Properties whose animation leaves a box where it is.
const PAINT = /^(opacity|.*[cC]olor|background.*|boxShadow|textShadow|filter|backdropFilter|outline.*|textDecoration.*|visibility|cursor|fill.*|stroke.*|mask.*|scale|perspective|borderRadius|border.*Radius|--.*|offset|computedOffset|easing|composite)$/;
// How far keyframes carry a box, in pixels.
const carry = (frames, key) => {
  try {
    const places = frames.map((one) => new DOMMatrix(one[key] === 'none' ? '' : key === 'translate' ? `translate(${one[key].trim().replace(/ +/g, ', ')})` : one[key]));
    return Math.max(...['e', 'f'].map((side) => Math.max(...places.map((at) => at[side])) - Math.min(...places.map((at) => at[side]))));
  } catch {
    return Infinity;
  }
};
// Whether an animation that is soon over carries the element, or something around it, elsewhere.
const carried = (el, place) => {
  const room = Math.min(place.width, place.height) / 4;
  const far = ({ effect, playState, currentTime, playbackRate }) => {
    const timing = effect?.target && playState === 'running' && within(el, effect.target) && !effect.pseudoElement && effect.getComputedTiming();
    const left = timing ? (timing.endTime - currentTime) / Math.abs(playbackRate || 1) : 0;
    if (!(left > 0 && left < 5000)) return false;
    const frames = effect.getKeyframes();
    const keys = new Set(frames.flatMap(Object.keys));
    return [...keys].some((key) => !PAINT.test(key) && (!/^(transform|translate)$/.test(key) || carry(frames, key) > room));
  };
  for (let tree = root(el) || document; tree; tree = tree === document ? null : root(tree.host) || document) {
    if (tree.getAnimations().some(far)) return true;
  }
  return false;
};

const TEXT = /^(text|search|tel|url|email|password|number|date|time|datetime-local|month|week)$/;
const sort = (el) => {
  if (el instanceof HTMLSelectElement) return 'select';
  if (el instanceof HTMLTextAreaElement) return 'text';
  if (el instanceof HTMLInputElement) return TEXT.test(el.type) ? 'text' : el.type;
  return el.isContentEditable ? 'editable' : 'other';
};
// The box that is switched by the label that an element is in.
const switchedBy = (el) => {
  const label = sort(el) === 'other' && closest(el, (at) => at instanceof HTMLLabelElement || at.matches(WORKS));
  const box = label instanceof HTMLLabelElement ? label.control : null;
  return box instanceof HTMLInputElement && /^(checkbox|radio)$/.test(box.type) ? box : el;
};
const checked = (of) => {
  const el = switchedBy(of);
  if (el instanceof HTMLInputElement && /^(checkbox|radio)$/.test(el.type)) return el.checked;
  const said = el.getAttribute('aria-checked') ?? el.getAttribute('aria-pressed');
  return said === null ? null : said === 'true';
};
// Whether it is neither on nor off.
const partly = (of) => {
  const el = switchedBy(of);
  return el instanceof HTMLInputElement ? el.indeterminate : (el.getAttribute('aria-checked') ?? el.getAttribute('aria-pressed')) === 'mixed';
};
const active = () => {
  let at = document.activeElement;
  for (let next = at; next; next = (at.shadowRoot || sealed.get(at))?.activeElement) at = next;
  return at;
};
// The element that is edited as a whole when something in it is.
const host = (el) => {
  let top = el;
  while (top.parentElement?.isContentEditable) top = top.parentElement;
  return top;
};
// Whether what is typed goes into an editable element: a document whose body has the focus may have no caret.
const caret = (el, focus) => {
  const editing = host(el);
  if (document.designMode !== 'on' && focus !== editing && root(el)?.activeElement !== editing) return false;
  const { anchorNode } = getSelection();
  return !!root(el) || (!!anchorNode && within(anchorNode, el));
};
const isEmpty = (el) => !(el.value ?? el.textContent);
const hasFocus = (el) => {
  const focus = active();
  return document.hasFocus() && (el.isContentEditable ? caret(el, focus) : focus === el || root(el)?.activeElement === el);
};
const look = (id, at) => {
  const el = held[id];
  if (!el.isConnected) return { connected: false };
  const place = spot(id);
  return {
    connected: true,
    visible: seeable(el) && area(place) > 0,
    enabled: !el.matches(':disabled') && !closest(el, (at) => at.getAttribute('aria-disabled') === 'true'),
    sort: sort(el), kind: switchedBy(el).type || '', through: lets(el), multiple: !!el.multiple, editable: !el.readOnly,
    checked: checked(el), partly: partly(el), name: describe(el), empty: isEmpty(el), focused: hasFocus(el),
    frame: el instanceof HTMLIFrameElement || el instanceof HTMLFrameElement,
    hidden: document.hidden, attended: document.hasFocus(), box: place, view: view(), carried: carried(el, place), drawn: drawn(), ...aim(el, place, at),
  };
};
const same = (a, b) => a.connected && b.connected
  && ['x', 'y', 'width', 'height'].every((side) => Math.abs(a.box[side] - b.box[side]) < 0.5);

// What the mouse has done here, for who sends it by a way that brings no answer. `over`: where what the page drags was
// last; `taken`: whether anything took it, once it was let go.
const heard = { down: 0, up: 0, wheel: 0, drag: 0, over: null, taken: null };
const COUNTED = { pointerdown: 'down', pointerup: 'up', dragend: 'up', wheel: 'wheel', dragstart: 'drag' };
const HEARD = [...Object.keys(COUNTED), 'dragover', 'drop'];
const hears = (event) => {
  if (!event.isTrusted) return;
  if (event.type === 'dragover') heard.over = { x: event.clientX, y: event.clientY };
  else if (event.type === 'drop') heard.taken = true;
  else heard[COUNTED[event.type]]++;
  if (event.type === 'dragend') heard.taken ||= event.dataTransfer.dropEffect !== 'none';
};
const pointer = { at: null, note: (event) => { pointer.at = { x: event.clientX, y: event.clientY }; } };

// What changes while an act goes on.
const EVENTS = ['input', 'change', 'toggle', 'submit', 'reset', 'scroll', 'play', 'pause', 'close', 'cancel', 'fullscreenchange', 'hashchange', 'popstate', 'beforeprint'];
// What is selected, though never in a password.
const selected = () => (active()?.type === 'password' ? '' : short(getSelection()?.toString() || '', 200));
const seen = { selection: '', changes: 0, ticks: 0, rested: 0, shows: false, inputs: 0, own: 0, observer: null, focus: null, sent: false, printed: false, wheel: false, links: [], put: [], invalid: [], trees: [] };
// What the act put there or changed and now says that the page is at work, so that more is to come: `Saving…`, a spinner.
const CHOICES = '[role=menu], [role=listbox], [role=option], [role=menuitem], [role=tree], ul, ol, select, table';
const working = (node) => {
  const el = node instanceof Element ? node : node.parentElement, text = node.textContent;
  if (!el?.isConnected) return false;
  return el.matches(BUSY) || !!el.querySelector(BUSY) || (text.length < 60 && /(…|\.\.\.)\s*$/.test(text) && !el.closest(CHOICES));
};
const observed = (list) => {
  seen.changes += list.length;
  for (const { type, target, addedNodes } of list) {
    if (seen.put.length >= 40) break;
    if (type === 'childList') seen.put.push(...[...addedNodes].slice(0, 10)); else seen.put.push(target);
  }
  if (seen.shows) return;
  seen.shows = underway.some(isUnderway) || !areTicks(list);
  if (!seen.shows) seen.ticks += list.length;
};
// What changes while an event of the act is dispatched is its effect, even if it looks as if it changed by itself. An
// event has a phase only as long as it is dispatched, whoever stops it.
const CAUSES = ['pointerdown', 'mousedown', 'pointerup', 'mouseup', 'click', 'auxclick', 'contextmenu', 'keydown', 'keyup', 'beforeinput', 'input', 'change', 'wheel', 'drop'];
let underway = [];
const isUnderway = (event) => event.eventPhase !== Event.NONE;
const causes = (event) => { underway = [...underway.filter(isUnderway), event]; };
const listen = () => {
  underway = [];
  for (const event of CAUSES) addEventListener(event, causes, { capture: true, passive: true });
};
const noted = (event) => { seen.printed ||= event.type === 'beforeprint'; seen.changes++; seen.inputs += event.type === 'input'; seen.own += /^(input|change|submit)$/.test(event.type); };
// Fields that object to what they hold: the browser shows the first of them, and gives it the focus. A page that asks
// them itself may do without.
const objects = (event) => {
  const asked = underway.some(isUnderway);
  if (event.isTrusted && seen.invalid.length < 50) seen.invalid.push({ event, el: event.composedPath()[0], asked, focus: active() });
};
// The field because of which the browser did not send a form, and why.
const refusal = () => {
  const focus = active(), open = seen.invalid.filter(({ event, el }) => !event.defaultPrevented && el.isConnected && el.validationMessage);
  const shown = open.find(({ el, asked, focus: before }) => el === focus && !(asked && before === el));
  // One that cannot have the focus is refused as well.
  const sent = () => press.el && closest(press.el, (at) => /^(submit|image)$/.test(at.type));
  const one = shown ?? open.find(({ el, asked }) => !asked && el.form && !el.form.noValidate && el.form === sent()?.form);
  return one ? { field: describe(one.el), message: short(one.el.validationMessage, 300) } : null;
};
// A form is sent a little later than it says so; by then everybody in the page has had a say.
const sends = (event) => { seen.sent ||= !event.defaultPrevented && event.target.method !== 'dialog'; };
// Nothing but the file itself tells of a link that is a download: whether it is one is known once
// everybody in the page has had a say.
const clicks = (event) => {
  const link = event.composedPath().find((el) => el instanceof Element && el.matches('a[href][download], area[href][download]'));
  if (link && seen.links.length < 20) seen.links.push({ event, link });
};
const download = ({ event, link }) => !event.defaultPrevented && (link.origin === location.origin || /^(blob|data):/.test(link.protocol));
// A page that turns the wheel into something else, such as a map, keeps it from scrolling.
const turned = (event) => { seen.wheel ||= event.defaultPrevented; };
const stop = () => {
  seen.observer?.disconnect();
  seen.observer = null;
  for (const event of CAUSES) removeEventListener(event, causes, true);
  underway = [];
  for (const event of EVENTS) removeEventListener(event, noted, true);
  for (const tree of seen.trees) tree.removeEventListener('invalid', objects, true);
  removeEventListener('submit', sends);
  removeEventListener('click', clicks, true);
  removeEventListener('wheel', turned);
  press.tell?.(null);
  for (const event of PRESSES) removeEventListener(event, presses, true);
  for (const event of LIFTS) removeEventListener(event, lifts, true);
  for (const event of RELEASES) removeEventListener(event, released, true);
};

const scroller = (el) => closest(el, (at) => {
  if (at === document.scrollingElement) return true;
  const style = getComputedStyle(at);
  return (at.scrollHeight > at.clientHeight && /auto|scroll/.test(style.overflowY))
    || (at.scrollWidth > at.clientWidth && /auto|scroll/.test(style.overflowX));
}) || document.scrollingElement || document.documentElement;
// Without an element: what a wheel in the middle of the page turns.
const scrollee = (id) => scroller(id === null ? document.elementFromPoint(innerWidth / 2, innerHeight / 2) || document.documentElement : held[id]);
const position = (el) => ({
  x: el.scrollLeft, y: el.scrollTop,
  right: el.scrollWidth - el.clientWidth - el.scrollLeft, down: el.scrollHeight - el.clientHeight - el.scrollTop,
});

const content = (el) => {
  const kind = sort(el);
  if (kind === 'select') return [...el.selectedOptions].map((option) => option.label).join(', ');
  if (kind === 'file') return [...el.files].map((file) => file.name).join(', ');
  if (kind === 'checkbox' || kind === 'radio') return el.checked ? 'checked' : 'not checked';
  if (kind === 'editable' || kind === 'other') return (el.innerText ?? el.textContent).replace(/\u00a0/g, ' ').replace(/\n+$/, '');
  return el.value;
};
let typing = null;

// A regular expression between slashes; what has none of its signs is plain text, such as a path.
const pattern = (text, flagged) => {
  const [, source, flags] = /^\/(.+)\/([imsu]*)$/s.exec(text || '') || [];
  return source && (/[\\[\](){}^$+|]|\.[*?]/.test(source) || (flagged && flags)) ? new RegExp(source, flags) : null;
};
// What answers do not show of a text, because nobody sees it.
const UNSEEN = /[\p{Cc}\u00ad\u061c\u180e\u200e\u200f\u202a-\u202e\u2060-\u206f\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu;
const composed = (text) => text.replace(/[^\S\n]|\u200b/g, ' ').split('\n').map((line) => line.replace(UNSEEN, '')).join('\n').normalize('NFC');
// As answers show it, no matter the case.
const plain = (text) => composed(text).replace(/\s+/g, ' ').trim().toLowerCase();
