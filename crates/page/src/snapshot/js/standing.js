// What an element is like and where it stands, for what recipes expect of it after an act.

const MOST_BESIDE = 200, LONGEST_BESIDE = 2000;

// The text of something beside an element; nothing of what is not drawn, such as what is cloned from.
const besideText = (el) => {
  if (drawn(el) === GONE || el.textContent.length > LONGEST_BESIDE) return '';
  return squeeze(worded(el.innerText ?? el.textContent));
};

const BESIDE = { after: 'previousElementSibling', before: 'nextElementSibling' };

// The nearest text on one side of an element; of what it is in, where it is alone there.
const besideOf = (el, side) => {
  const way = BESIDE[side], back = BESIDE[side === 'after' ? 'before' : 'after'];
  for (let at = el, up = 0; at && at !== document.body && up < 4; at = at.parentElement, up++) {
    for (let one = at[way], steps = 0; one && steps < MOST_BESIDE; one = one[way], steps++) {
      const text = trait(telling(besideText(one)));
      if (text) return text;
    }
    for (let one = at[back], steps = 0; one && steps < MOST_BESIDE; one = one[back], steps++) {
      if (telling(besideText(one))) return null;
    }
  }
  return null;
};

// The label of the nearest thing that has one around an element, or the heading before it there.
const holderOf = (el) => {
  for (let at = el, up = 0; at && at !== document.body && up < 8; at = at.parentElement, up++) {
    for (let before = at.previousElementSibling, steps = 0; before && steps < MOST_BESIDE; before = before.previousElementSibling, steps++) {
      if (/^(h[1-6]|legend|caption)$/.test(before.localName)) return trait(before.textContent) || null;
    }
    const around = at.parentElement;
    if (around && (around.hasAttribute('aria-label') || labelledBy(around))) return trait(nameOf(around, roleOf(around))) || null;
  }
  return null;
};

const standingOf = (el) => ({ within: holderOf(el), after: besideOf(el, 'after'), before: besideOf(el, 'before') });

// Words side by side, whatever is between them.
const wordsOf = (text) => ` ${text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, ' ').trim()} `;

// Whether a text stands on one side of an element. What stands on the other side, nearer, does not: the text is
// looked for around the element until it is found.
const isBeside = (el, side, text) => {
  const words = wordsOf(text);
  const says = (at, way) => {
    for (let one = at[way], steps = 0; one && steps < MOST_BESIDE; one = one[way], steps++) {
      if (wordsOf(besideText(one)).includes(words)) return true;
    }
    return false;
  };
  for (let at = el, up = 0; at && at !== document.body && up < 6; at = at.parentElement, up++) {
    if (says(at, BESIDE[side])) return true;
    if (says(at, BESIDE[side === 'after' ? 'before' : 'after'])) return false;
  }
  return false;
};

// What of a place is not so of an element.
const astray = (el, { within, after, before }) => [
  within != null && wordsOf(holderOf(el) ?? '') !== wordsOf(within) && 'within',
  after != null && !isBeside(el, 'after', after) && 'after',
  before != null && !isBeside(el, 'before', before) && 'before',
].filter(Boolean);

// What an element is like: its states and what it holds, as lines have them; its place, where it may be moved, or
// what is not so of one that is `wanted`.
const conditionOf = (el, moves, wanted) => {
  const role = roleOf(el), tag = el.localName;
  return {
    states: statesOf(el, role, tag),
    value: String(valueOf(el, role, tag) ?? '').slice(0, LONGEST_BESIDE).toWellFormed(),
    place: moves ? standingOf(el) : {},
    astray: wanted ? astray(el, wanted) : [],
  };
};
