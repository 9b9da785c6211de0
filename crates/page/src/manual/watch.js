// What a person does, for a recording: trusted input, seen in the capturing phase from a world that the
// page cannot reach. It prevents nothing and changes nothing.

const TEXTS = new Set(`text search email url tel number password date time datetime-local month week color
range`.split(/\s+/));
const EDITING = new Set(['Enter', 'Escape', 'ArrowUp', 'ArrowDown']);
const LONGEST_VALUE = 10000, MOST_KEPT = 200;
// Pixels from which on a press on a drawing is a drag.
const MOVED = 6;

const kept = [];
const tell = (said) => {
  const text = JSON.stringify(said);
  const way = globalThis.BINDING;
  if (way) way(text);
  else if (kept.length < MOST_KEPT) kept.push(text);
};

// What is worked by scripts alone: the whole of it that the pointer shows as one.
const pointed = (el) => el !== null && getComputedStyle(el).cursor === 'pointer';
const worked = (el) => {
  const of = control(el);
  if (of !== el || !pointed(el) || CONTROLS.has(roleOf(el)) || focusable(el)) return of;
  while (pointed(el.parentElement) && el.parentElement !== document.body) el = el.parentElement;
  return el;
};
const known = (el) => { forget(); return equals(worked(el)); };
// The same, or a point of a drawing.
const pointedAt = (el, event) => {
  const of = control(el), from = { x: event.clientX, y: event.clientY };
  if (CONTROLS.has(roleOf(of)) || !surface(el)) return { on: known(el) };
  forget();
  const meant = meantAt(el, from.x, from.y);
  return meant ? { on: meant.identity, point: meant.point, from } : { on: known(el) };
};
const target = (event) => { const first = event.composedPath()[0]; return first instanceof Element ? first : document.documentElement; };
const when = (event) => performance.timeOrigin + event.timeStamp;

// The text field that an element is, or is a part of.
const field = (el) => {
  if (el.localName === 'textarea' || el.localName === 'input' && TEXTS.has(el.type)) return el;
  if (!el.isContentEditable) return null;
  let root = el;
  while (root.parentElement && root.parentElement.isContentEditable) root = root.parentElement;
  return root;
};
const isLine = (el) => el.localName === 'input';
const valueOf = (el) => String(el.isContentEditable ? el.innerText : el.value).slice(0, LONGEST_VALUE).toWellFormed();

// Fields that hide their text, or did so once: a page may show a password on request.
const hidden = new WeakSet();
const hides = (el) => {
  const so = el.type === 'password' || /password|one-time-code|cc-csc/.test(el.autocomplete || '')
    || getComputedStyle(el).webkitTextSecurity !== 'none';
  if (so) hidden.add(el);
  return hidden.has(el);
};

// The field that is being written in.
let open = null;
const begin = (el) => {
  hides(el);
  if (!open || open.el !== el) { finish(); open = { el, on: known(el), at: 0 }; }
};
const filled = () => ({ act: 'fill', on: open.on, at: open.at, secret: hides(open.el), value: valueOf(open.el) });
const finish = () => {
  if (open && open.at) tell(filled());
  open = null;
};

// Where something can be dropped: the next element that has a role or a name.
const place = (el) => {
  for (let at = el; at && at !== document.body; at = above(at)) {
    if (at.id || draggable(at) || roleShown(at) !== 'generic') return at;
  }
  return el;
};

let down = null, spaced = null, entered = null, dragged = null;

const seen = {
  pointerdown(event) {
    if (event.button !== 0) return;
    const el = target(event), own = field(el);
    if (own) hides(own);
    if (open && open.el !== own) finish();
    down = { ...pointedAt(el, event), told: false };
  },
  click(event) {
    const el = target(event);
    const begun = event.detail === 0 ? spaced : down;
    // One that a key or a label made is told already.
    if (!begun || begun.told) return;
    begun.told = true;
    const of = control(el);
    if (of.localName === 'select' || of.localName === 'option') return;
    if (of.localName === 'input' && /^(checkbox|radio|file)$/.test(of.type)) return;
    const said = { act: 'click', on: begun.on, point: begun.point, at: when(event), field: field(of) !== null };
    const by = begun.from ? { x: Math.round(event.clientX - begun.from.x), y: Math.round(event.clientY - begun.from.y) } : { x: 0, y: 0 };
    // Something was drawn, or moved in a drawing.
    if (begun.point && Math.hypot(by.x, by.y) >= MOVED) Object.assign(said, { act: 'drag', by });
    tell(said);
  },
  beforeinput(event) {
    const own = field(target(event));
    if (!own) return;
    if (/^insert(LineBreak|Paragraph)$/.test(event.inputType)) entered = null;
    begin(own);
  },
  input(event) {
    const own = field(target(event));
    if (!own) return;
    begin(own);
    open.at = when(event);
  },
  change(event) {
    const el = target(event);
    const at = when(event);
    if (el.localName === 'select') {
      tell({ act: 'select', on: known(el), at, value: [...el.selectedOptions].map((one) => one.label).join('\n') });
    } else if (el.localName === 'input' && /^(checkbox|radio)$/.test(el.type)) {
      tell({ act: el.checked ? 'check' : 'uncheck', on: known(el), at });
    } else if (el.localName === 'input' && el.type === 'file') {
      tell({ act: 'upload', on: known(el), at, value: el.files.length ? el.files[0].name : '' });
    } else if (open && open.el === field(el)) finish();
  },
  keydown(event) {
    const { key } = event;
    const el = target(event), own = field(el);
    if (event.isComposing || /^(Control|Shift|Alt|AltGraph|Meta|CapsLock|Tab|Process|Dead|Unidentified)$/.test(key)) return;
    if (el.localName === 'select' || el.localName === 'input' && el.type === 'radio') return;
    const held = event.ctrlKey || event.metaKey || event.altKey;
    if (key === ' ' && !own) spaced = { on: known(el), told: false };
    // Letters are text, or may be a part of a password.
    if (key.length === 1 && (!held || event.getModifierState('AltGraph'))) return;
    if (own ? !EDITING.has(key) : /^[acvxyz]$/i.test(key)) return;
    const names = [['Control', event.ctrlKey], ['Alt', event.altKey], ['Shift', event.shiftKey && key.length > 1], ['Meta', event.metaKey]];
    const value = [...names.filter(([, is]) => is).map(([name]) => name), key].join('+');
    const press = { act: 'press', on: known(el), at: when(event), value };
    if (own && !isLine(own) && key === 'Enter') {
      // It may be a new line, which comes as input; and a page that sends may empty the field at once.
      entered = { press, text: open && open.el === own && open.at ? filled() : null };
      return;
    }
    if (own && key !== 'Enter') { if (open && open.at) tell(filled()); if (open) open.at = 0; } else finish();
    tell(press);
  },
  keyup(event) {
    if (event.key === ' ') spaced = null;
    if (event.key !== 'Enter' || !entered) return;
    const { press, text } = entered;
    entered = null;
    open = null;
    if (text) tell(text);
    tell(press);
  },
  dragstart(event) { dragged = known(target(event)); },
  dragend() { dragged = null; },
  drop(event) {
    if (!dragged) return;
    forget();
    tell({ act: 'drag', on: dragged, to: equals(place(target(event))), at: when(event) });
    dragged = null;
  },
  focusin(event) { const own = field(target(event)); if (own) hides(own); },
  focusout() { finish(); },
};

const hear = (event) => {
  if (!event.isTrusted) return;
  // What goes wrong here must not show anywhere.
  try { seen[event.type](event); } catch { down = null; }
};
const options = { capture: true, passive: true };
for (const type of Object.keys(seen)) addEventListener(type, hear, options);
addEventListener('pagehide', finish, options);

globalThis.BINDING_flush = () => kept.splice(0).forEach((text) => globalThis.BINDING(text));
globalThis.BINDING_end = () => {
  finish();
  for (const type of Object.keys(seen)) removeEventListener(type, hear, options);
  removeEventListener('pagehide', finish, options);
  delete globalThis.BINDING_flush;
};
