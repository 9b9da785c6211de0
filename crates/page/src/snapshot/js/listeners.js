// Elements that work because a script listens on them. The browser names them (`listeners.rs`); no script can.

// Learnt so far: what listens for a press, and what for the start of a drag.
const pressed = new WeakSet();

let learnt = false;
const learn = (el) => { pressed.add(el); learnt = true; };

const WORKED = 'a[href],button,input,select,textarea,summary,[role],[tabindex],[contenteditable],[onclick],[draggable=true]';
// Elements looked at to see whether something in them listens, too.
const MOST_INNER = 300;

// Whether a press is meant for the element itself, and not for what is in it: frameworks listen once for a whole page.
const listens = (el) => pressed.has(el) && el !== document.body && el !== document.documentElement && !holdsOthers(el);

const holdsOthers = (el) => {
  if (!el.firstElementChild) return false;
  if (el.querySelector(WORKED)) return true;
  const inner = el.getElementsByTagName('*');
  if (inner.length > MOST_INNER) return true;
  for (let at = 0; at < inner.length; at++) if (pressed.has(inner[at])) return true;
  return false;
};

// Children that one listener on their parent serves: the cells of a board, the slots of a calendar.
const served = (el) => {
  if (!learnt) return false;
  let parent = el.parentElement;
  if (!parent) return false;
  if (el.localName === 'td' && !pressed.has(parent)) parent = el.closest('table');
  if (!parent || !pressed.has(parent) || parent === document.body) return false;
  if (el.localName === 'td') return true;
  const tag = el.localName;
  let alike = 0;
  for (let child = parent.firstElementChild; child; child = child.nextElementSibling) {
    if (child.localName !== tag) return false;
    alike++;
  }
  return alike > 2 && el.firstElementChild === null;
};

// A control of its own within something clickable: that is named by its author only, not by all its content.
const compound = (el) => {
  if (!el.firstElementChild) return false;
  if (holdsOthers(el)) return true;
  return pressed.has(el) && (el.localName === 'table' || el.childElementCount > 2 && served(el.firstElementChild));
};

// Whether asking the browser for listeners goes unnoticed: it compiles handlers written as attributes, and
// a page hears of one that does not compile.
const quiet = (most) => {
  if (document.getElementsByTagName('*').length > most) return false;
  return sound(document);
};

// Trees to ask the browser about: the document and shadow trees, if asking goes unnoticed.
const MOST_TREES = 40;
const trees = (most) => {
  const found = quiet(most) ? [document] : [];
  for (let at = 0; at < found.length; at++) {
    for (const el of found[at].querySelectorAll('*')) {
      const root = rootOf(el);
      if (root && found.length < MOST_TREES) found.push(root);
    }
  }
  return found;
};

const sound = (tree) => {
  for (const el of tree.querySelectorAll('*')) {
    if (el.shadowRoot && !sound(el.shadowRoot)) return false;
    const closed = closedRoots.get(el);
    if (closed && !sound(closed)) return false;
    if (el.localName === 'iframe' || el.localName === 'frame') {
      if (!el.contentDocument || !sound(el.contentDocument)) return false;
    }
    if (!el.hasAttributes()) continue;
    for (const name of el.getAttributeNames()) {
      if (name[0] !== 'o' || name[1] !== 'n') continue;
      try { new Function('event', el.getAttribute(name)); } catch { return false; }
    }
  }
  return true;
};
