// What SVG drawings show: shapes and texts, which can be charts, boards and buttons.

const SHAPES = new Set('circle ellipse line path polygon polyline rect image text use'.split(' '));
const UNDRAWN = 'defs,clipPath,mask,symbol,pattern,marker,linearGradient,radialGradient';
// Drawings up to this size in pixels are icons. Shapes that are listed of one drawing, unless they can be clicked.
const ICON = 48, MOST_SHAPES = 40, MOST_CLICKABLE = 200;

const shape = (el) => el.namespaceURI === 'http://www.w3.org/2000/svg' && SHAPES.has(el.localName);

// The role of a line: shapes have the word of their kind.
const lineRole = (el, role) => role || (shape(el) ? el.localName : 'generic');

const shapeName = (el) => {
  const said = el.getAttribute('aria-label') || (el.localName === 'text' ? el.textContent : childText(el, 'title', {}));
  const group = el.parentElement;
  if (said || !group || group.localName !== 'g' || group.childElementCount > 3) return squeeze(said || '').slice(0, 200);
  return squeeze(childText(group, 'title', {}) || '').slice(0, 200);
};

// A colour as short as it can be said.
const colour = (value) => {
  const parts = /^rgba?\((\d+), (\d+), (\d+)(?:, ([\d.]+))?\)$/.exec(value);
  if (!parts || parts[4] === '0') return '';
  return `#${parts.slice(1, 4).map((part) => Number(part).toString(16).padStart(2, '0')).join('')}`;
};

const paint = (el, width, height) => {
  const style = getComputedStyle(el);
  const stroke = colour(style.stroke), drawn = el.localName === 'line' ? '' : colour(style.fill);
  const fill = stroke && drawn === '#000000' ? '' : drawn;
  const words = [];
  if (fill && !(el.localName === 'text' && fill === '#000000')) words.push(`fill=${fill}`);
  if (stroke) words.push(`stroke=${stroke}`);
  if (el.localName !== 'text') words.push(`size=${Math.round(width)}x${Math.round(height)}`);
  return words.join(' ');
};

const pressable = (el, drawing) => {
  for (let at = el; at && at !== drawing; at = at.parentElement) {
    if (pressed.has(at) || at.hasAttribute('onclick') || at.hasAttribute('onmousedown')) return true;
  }
  const hand = getComputedStyle(el).cursor;
  return (hand === 'pointer' || GRIPS.test(hand)) && getComputedStyle(drawing).cursor !== hand;
};

// The shapes of a drawing that are worth a line, and how many are not listed.
const shapesOf = (drawing, full) => {
  const { width, height } = drawing.getBoundingClientRect();
  const small = width <= ICON && height <= ICON;
  const found = [];
  let still = 0, clicks = 0, left = 0;
  for (const el of drawing.getElementsByTagName('*')) {
    if (!SHAPES.has(el.localName) || el.closest(UNDRAWN) || el.closest('a[href],[role=button],[role=link],[tabindex]')) continue;
    const clickable = pressable(el, drawing);
    if (small && !clickable) continue;
    if (clickable ? clicks >= MOST_CLICKABLE : still >= (full ? MOST_CLICKABLE : MOST_SHAPES)) { left++; continue; }
    const box = el.getBoundingClientRect();
    if (box.width < 1 && box.height < 1 || drawn(el) !== SHOWN) continue;
    if (clickable) clicks++; else still++;
    found.push({ el, clickable, name: shapeName(el), words: paint(el, box.width, box.height) });
  }
  return { found, left };
};
