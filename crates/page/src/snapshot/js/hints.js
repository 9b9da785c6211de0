// What a control without a name goes by, and what else an element can do.

const PLAIN_WORD = /^[\p{L}\p{N}_-]{1,40}$/u;
// Classes of layouts and frameworks, which say nothing.
const EMPTY_CLASS = /^(active|hover|focus|col|row|flex|d|p|m|w|h|is|has)(-|$)|^css-|^sc-|^[a-z]{1,2}\d|__?[A-Za-z0-9]{5,6}$/;

const iconOf = (el) => {
  const image = el.localName === 'img' ? el : el.querySelector('img[src]');
  let address = image ? image.currentSrc || image.src : '';
  if (!address) {
    const use = el.querySelector('use');
    address = use ? use.getAttribute('href') || use.getAttribute('xlink:href') || '' : '';
  }
  if (!address) {
    const drawn = /url\("?([^")]*)/.exec(getComputedStyle(el).backgroundImage);
    address = drawn ? drawn[1] : '';
  }
  if (address.startsWith('data:')) return '';
  const file = address.split(/[?]/)[0].split(/[/#]/).pop();
  return /^[\p{L}\p{N}._-]{1,40}$/u.test(file) ? file : '';
};

// Words for an element that has no name: its id, a class, the file of its icon, its kind; else its place.
const goesBy = (el, kind) => {
  const words = [];
  if (el.id && PLAIN_WORD.test(el.id)) words.push(`#${el.id}`);
  else {
    let from = el;
    if (!from.classList.length && from.childElementCount === 1) from = from.firstElementChild;
    const telling = [...from.classList].filter((word) => PLAIN_WORD.test(word) && !EMPTY_CLASS.test(word));
    // What it does says more than what it is made of.
    const deeds = telling.filter((word) => DEEDS.test(word));
    words.push(...(deeds.length ? deeds : telling).slice(0, 2).map((word) => `.${word}`));
  }
  const icon = iconOf(el);
  if (icon) words.push(`icon=${icon}`);
  if (!words.length && el.name && PLAIN_WORD.test(el.name)) words.push(`name=${el.name}`);
  if (!words.length) words.push(...placeOf(el, kind));
  if (el.localName === 'textarea') words.unshift('textarea');
  return words;
};

// Boxes that a page hides to draw their labels in their stead: which box the first such label stands for, and which label
// a box is drawn as.
const BOX = /^(checkbox|radio)$/;
const labelShown = (control) => control.localName === 'input' && BOX.test(control.type) && drawn(control) !== SHOWN
  ? labelsFor(control)?.find((label) => drawn(label) === SHOWN) ?? null : null;
const drawnFor = (label) => {
  const { control } = label;
  return control && labelShown(control) === label && CONTROLS.has(roleOf(control)) && nameOf(control, roleOf(control)) !== '' ? control : null;
};
const drawnAs = (el) => labelShown(el) ?? el;

const GRIPS = /^(grab|grabbing|move|all-scroll|col-resize|row-resize|[ns]?[ew]?-resize|ew-resize|ns-resize)$/;
const DRAGGED = /(^|[-_])(draggable|sortable-handle|drag-handle)($|[-_])/;
const draggable = (el) => el.hasAttributes() && (el.draggable === true && el.hasAttribute('draggable')
  || typeof el.className === 'string' && el.className !== '' && el.className.split(' ').some((word) => DRAGGED.test(word)));
// A cursor of its own that says that something can be pulled.
const grip = (el) => GRIPS.test(getComputedStyle(el).cursor)
  && !(el.parentElement && GRIPS.test(getComputedStyle(el.parentElement).cursor));

// Whether an element without a role works all the same: beside what `clickable` sees in its attributes.
const worked = (el, cursor) => listens(el) || served(el) || droppable(el) || draggable(el) || GRIPS.test(cursor) && grip(el);

// Words beyond the states, for what a line cannot say otherwise.
const moreOf = (el, role, kind, name) => {
  if (kind !== 'i' && kind !== 'c' && kind !== 'r') return '';
  const words = [];
  if (role === 'canvas') words.push(`size=${el.clientWidth || el.width}x${el.clientHeight || el.height}`);
  if (kind !== 'r' && name === '') words.push(...goesBy(el, kind));
  if (kind === 'c' && (draggable(el) || grip(el)) || kind === 'i' && draggable(el)) words.push('draggable');
  if (kind === 'c' && droppable(el)) words.push('droppable');
  return words.length ? ` ${words.join(' ')}` : '';
};
