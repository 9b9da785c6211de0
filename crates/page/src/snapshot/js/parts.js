// Small things in something that works, which do something of their own: the bin of a row, the cross of a chip, the arrows
// of a field.

// Pixels of an icon's sides; elements in something that is withdrawn, beyond which nothing in it is looked at.
const LEAST_ICON = 6, LARGEST_ICON = 40, MOST_UNSAID = 60;
// What icons are called that do something.
const DEEDS = new RegExp(`(^|[-_ ])(${'add archive bin cancel check clear close cog collapse copy delete done down download drag edit '
  + 'expand eye fav favorite favourite flag gear handle heart info like lock menu minus more next pencil pin play plus prev remove '
  + 'reply save settings share star toggle trash up upload'.replaceAll(' ', '|')})($|[-_ ])`, 'i');

const iconSized = (el) => {
  const { width, height } = el.getBoundingClientRect();
  return width >= LEAST_ICON && width <= LARGEST_ICON && height >= LEAST_ICON && height <= LARGEST_ICON;
};

// Whether a script listens on it or on what it is one of.
const heard = (el) => pressed.has(el) || el.parentElement !== null && pressed.has(el.parentElement);

// Part of a control with a listener of its own, which is not simply all of it.
const ownPart = (el, control) => {
  if (!pressed.has(el) || holdsOthers(el)) return false;
  const { width, height } = el.getBoundingClientRect(), around = control.getBoundingClientRect();
  return width * height > 0 && width * height < around.width * around.height / 2;
};

const picturesOnly = (el) => /^(svg|img)$/.test(el.localName)
  || el.firstElementChild === null && rootOf(el) === null && worded(squeeze(el.textContent)) === '';

// An icon in something whose listener may tell it from the rest: it is called so, or it is one of several. What comes first
// belongs to the text behind it.
const glyph = (el, holder) => {
  if (!picturesOnly(el) || !iconSized(el)) return false;
  if (el.title) return true;
  const before = document.createRange();
  before.setStart(holder, 0);
  before.setEndBefore(el);
  if (before.toString().trim() === '') return false;
  if (DEEDS.test(`${el.getAttribute('class') || ''} ${el.id}`)) return true;
  let many = 0;
  for (const other of el.parentElement.children) if (picturesOnly(other) && iconSized(other)) many++;
  return many > 1;
};

// What is pressed in something that is withdrawn from assistive technology alone, where a press in the middle reaches it.
// In something clickable, icons as well.
const unsaidParts = (el, holder) => {
  if (el.hasAttribute('inert') || el.getElementsByTagName('*').length > MOST_UNSAID) return [];
  const found = [];
  for (const one of [el, ...el.getElementsByTagName('*')]) {
    if (found.some((outer) => outer.contains(one)) || drawn(one) !== SHOWN) continue;
    const works = pressed.has(one) ? !holdsOthers(one)
      : one.matches('button,[role=button],[onclick]') || holder !== null && glyph(one, holder);
    if (works && reached(one)) found.push(one);
  }
  return found;
};

const reached = (el) => {
  const { x, y, width, height } = el.getBoundingClientRect();
  if (width < LEAST_ICON || height < LEAST_ICON) return false;
  const hit = el.getRootNode().elementFromPoint(x + width / 2, y + height / 2);
  return hit !== null && el.contains(hit);
};
