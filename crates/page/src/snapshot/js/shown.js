// Which nodes are really to be seen, and where: for pictures, on which nothing else says what is covered.

// The parts of these nodes' boxes that are drawn: x, y, width and height from the corner of their box;
// `null` for what is not seen. Of a whole page also what is outside of the viewport.
const shown = (numbers, whole) => numbers.map((known) => {
  const named = node(known);
  if (!named || !named.isConnected) return null;
  const el = drawnAs(named), own = el.getBoundingClientRect();
  const seen = visiblePart(el, own, whole);
  if (seen.right - seen.left < 1 || seen.bottom - seen.top < 1 || covered(el, seen)) return null;
  return [seen.left - own.left, seen.top - own.top, seen.right - seen.left, seen.bottom - seen.top].map(Math.round);
});

const cutTo = (part, { left, top, right, bottom }) => ({
  left: Math.max(part.left, left), top: Math.max(part.top, top),
  right: Math.min(part.right, right), bottom: Math.min(part.bottom, bottom),
});

const visiblePart = (el, own, whole) => {
  let part = whole ? own : cutTo(own, { left: 0, top: 0, right: innerWidth, bottom: innerHeight });
  let position = getComputedStyle(el).position;
  for (let at = above(el); at && at !== document.documentElement && at !== document.body && position !== 'fixed'; at = above(at)) {
    const style = getComputedStyle(at);
    // What is placed absolutely is not cut by what it is not placed in.
    if (position === 'absolute' && style.position === 'static' && style.transform === 'none') continue;
    if (style.overflowX !== 'visible' || style.overflowY !== 'visible') part = cutTo(part, at.getBoundingClientRect());
    position = style.position;
  }
  return part;
};

const above = (el) => {
  if (el.assignedSlot) return el.assignedSlot;
  return el.parentElement || (el.getRootNode() instanceof ShadowRoot ? el.getRootNode().host : null);
};

const covered = (el, part) => {
  const x = (part.left + part.right) / 2, y = (part.top + part.bottom) / 2;
  if (x < 0 || y < 0 || x >= innerWidth || y >= innerHeight) return false;
  const hit = el.getRootNode().elementFromPoint(x, y);
  if (!hit) return false;
  for (let at = hit; at; at = above(at)) if (at === el) return false;
  for (let at = el; at; at = above(at)) if (at === hit) return false;
  // A box that is drawn by its label.
  return !(el.labels && [...el.labels].some((label) => label.contains(hit)));
};
