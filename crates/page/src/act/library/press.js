// What the press of an act really hits, and what the page puts in the place of that; the page gets the same events as
// without us.

// `part`: what works of what was hit; `mark`: its sign; `heir`: what stood in its place when the button went up.
const press = { el: null, sign: '', told: null, click: null, tell: null, menu: null, part: null, mark: '', heir: null, clicked: false };
const LIVE = 'a[href], area[href], button, input, select, textarea, label, summary, option, audio, video, iframe, object, embed, [onclick], [onmousedown], [onpointerdown], [role], [tabindex], [contenteditable]';
const lively = (el) => !!closest(el, (at) => at.matches(LIVE)) || getComputedStyle(el).cursor === 'pointer';
// What an element and the one that a page renders in its stead have in common; what somebody writes into it is not that.
const sign = (el) => [el.localName, el.type, el.id, el.getAttribute('name'), el.isContentEditable ? '' : name(el)].map(String).join('\n');
// An element, or what the page has put in its place since the act began: what has the focus, or the only one like it.
const current = (el) => {
  if (el.isConnected || el !== press.el) return el;
  const like = (at) => at.localName === el.localName && sign(at) === press.sign, focus = active();
  if (focus && like(focus)) return focus;
  const found = all(document, el.localName).filter(like);
  return found.length === 1 ? found[0] : el;
};
// Whether a switch is on or off, as it should be. One that is gone has been taken away with what it switched.
const switchState = (el, on) => {
  const now = current(el);
  if (!now.isConnected || (checked(now) === on && !partly(now))) return 'as_asked';
  return partly(now) ? 'mixed' : 'opposite';
};
const struck = (event) => {
  const { el } = press, path = event.composedPath(), hit = path.find((at) => at instanceof Element) || document.documentElement;
  return {
    hit: !el || path.includes(el) || reaches(el, hit) || reaches(el, top(el, event.clientX, event.clientY)),
    name: describe(hit), live: lively(hit),
  };
};
const presses = (event) => {
  if (!event.isTrusted) return;
  if (!press.told) {
    const path = event.composedPath().filter((at) => at instanceof Element);
    press.told = struck(event);
    press.part = path.find((at) => at.matches(LIVE)) ?? path.find((at) => at === press.el) ?? null;
    press.mark = press.part && sign(press.part);
  }
  press.tell?.(press.told);
};
// A browser clicks only what was there for the whole press.
const lifts = (event) => {
  const { part, mark } = press;
  if (!event.isTrusted || event.button !== 0 || !part || part.isConnected) return;
  press.heir ??= event.composedPath().find((at) => at instanceof Element && at.localName === part.localName && sign(at) === mark) ?? null;
};
const released = (event) => {
  if (!event.isTrusted || !press.told) return;
  press.click ??= struck(event);
  press.clicked ||= event.composedPath().some((at) => at === press.part || at === press.heir);
  if (event.type === 'contextmenu') press.menu = event;
};
// Whether a press gives its target the focus only because any press does: not where what is typed goes there from then on.
const isLed = (focus) => press.told !== null && press.el !== null && focus !== document.body
  && (within(press.el, focus) || within(focus, press.el) && root(focus) !== root(press.el)) && !/^(text|editable)$/.test(sort(focus));
const PRESSES = ['pointerdown', 'mousedown'], LIFTS = ['pointerup', 'mouseup'], RELEASES = ['click', 'auxclick', 'contextmenu'];
const landing = () => press.told && {
  ...press.told, slipped: press.told.hit && press.click && !press.click.hit && press.el?.isConnected ? press.click.name : null,
  replaced: !!press.heir && !press.clicked,
};

