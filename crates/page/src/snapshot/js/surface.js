// Points of drawings: what has no parts that could be named, so only a place in it says what is meant.

const CLIMB = 8;
// Whether an element can be found again without words: the author gave it, or something around it, an id of its own.
const handled = (identity) => identity.css.startsWith('#') || identity.test_id !== '';

// The drawing that an element is, or is a part of: a canvas, a video, a whole SVG, or a box and an image with a handle that
// say nothing.
const surface = (el) => {
  let box = null;
  for (let at = el, up = 0; at && up < CLIMB && at !== document.body && at !== document.documentElement; at = above(at), up++) {
    if (/^(canvas|video)$/.test(at.localName) || at.localName === 'svg' && !at.ownerSVGElement) return at;
    if (at.ownerSVGElement) continue;
    if (isField(at) || at.isContentEditable || worded(squeeze(at.textContent))) break;
    if (at.id && !MADE.test(at.id) || TEST_IDS.some((name) => at.getAttribute(name)) || nameShown(at)) box = at;
  }
  return box;
};

// Whether it has an id of its own, and whether there is no other of its kind.
const ownHandle = (identity) => identity.test_id !== '' || identity.css.startsWith('#') && !identity.css.includes(' ');
const onlyOne = (el) => el.getRootNode().querySelectorAll(el.localName).length === 1;

const pointOf = (el, x, y) => {
  const rect = el.getBoundingClientRect();
  return { x: Math.round(x - rect.x), y: Math.round(y - rect.y), width: Math.round(rect.width), height: Math.round(rect.height) };
};

// What a point of the viewport means: the control there, or a point of the drawing there; `null` if it can only be guessed.
const meantAt = (el, x, y) => {
  const of = control(el);
  const drawing = surface(el);
  if (CONTROLS.has(roleOf(of)) || !drawing && of === el && (listens(of) || served(of))) return { el: of, identity: equals(of), point: null };
  if (!drawing) return null;
  const identity = equals(drawing);
  // Of several, one that has changed places with another would be drawn on.
  if (!ownHandle(identity) && !onlyOne(drawing)) return null;
  if (!handled(identity)) return identity.name ? { el: drawing, identity, point: pointOf(drawing, x, y) } : null;
  // What it shows is not what it is: drawings change, and so does the text around them.
  return { el: drawing, identity: { ...identity, text: '', around: '' }, point: pointOf(drawing, x, y) };
};
