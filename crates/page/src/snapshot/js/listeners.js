// Elements that work because a script listens on them. The browser names them (`listeners.rs`); no script can.

// Learnt so far: what listens for a press or for the start of a drag.
const pressed = new WeakSet();
// What takes something that is dragged there.
const dropped = new WeakSet();

let learnt = false;
const learn = (el, drops) => { (drops ? dropped : pressed).add(el); learnt = true; };

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

const WHOLE = /^(button|checkbox|combobox|link|menuitem\w*|option|radio|searchbox|slider|spinbutton|switch|tab|textbox)$/;
// Whether something that is dragged can be dropped there: not where a framework listens once for a whole page, and not
// a text that would be a name only.
const droppable = (el) => {
  if (!dropped.has(el) && !(el.hasAttribute('class') && el.classList.contains('ui-droppable')) || el === document.body || el === document.documentElement) return false;
  return holdsOthers(el) ? !pressed.has(el) : el.textContent.length <= 200;
};

// Children that one listener on their parent serves: the cells of a board, the slots of a calendar, the entries of a list.
const served = (el) => {
  if (!learnt) return false;
  let parent = el.parentElement;
  if (!parent) return false;
  if (el.localName === 'td' && !pressed.has(parent)) {
    parent = el.closest('table');
    // Calendars listen around the table of their days.
    if (parent && !pressed.has(parent) && el.getAttribute('role') === 'gridcell') parent = parent.parentElement;
  }
  if (!parent || parent === document.body) return false;
  if (!pressed.has(parent)) return inRow(el, parent);
  if (el.localName === 'td') return true;
  // What a control is drawn with is the control.
  if (WHOLE.test(roleOf(parent))) return false;
  return !BREAKS.test(el.localName) && small(el) && alike(parent, false) && !alike(el, true);
};

// Whether all that is in an element is of one kind, except for breaks between them: of one class, too, if that is asked.
const BREAKS = /^(br|hr|wbr)$/;
const alike = (parent, byClass) => {
  let many = 0, kind = '';
  for (let child = parent.firstElementChild; child; child = child.nextElementSibling) {
    if (BREAKS.test(child.localName)) continue;
    const own = byClass ? `${child.localName} ${child.classList[0] ?? ''}` : child.localName;
    if (many++ > 0 && own !== kind) return false;
    kind = own;
  }
  return many > (kind.startsWith('li') ? 1 : 2);
};
// A line of text or nothing, and no control.
const small = (el) => el.childElementCount <= 3 && el.textContent.length <= 200 && !el.querySelector(WORKED);
// The same two levels below the one that listens: rows of cells.
const inRow = (el, row) => {
  const board = row.parentElement;
  return board !== null && board !== document.body && pressed.has(board) && el.firstElementChild === null
    && !BREAKS.test(el.localName) && alike(row, true) && alike(board, false);
};

// A control of its own within something clickable: that is named by its author only, not by all its content.
const compound = (el) => {
  if (!el.firstElementChild) return false;
  if (holdsOthers(el)) return true;
  if (!pressed.has(el)) return false;
  if (el.localName === 'table') return true;
  const first = el.firstElementChild, hand = getComputedStyle(el).cursor === 'pointer';
  if (served(first) || first.firstElementChild !== null && served(first.firstElementChild)) return true;
  for (let child = first, nth = 0; child && nth < 3 && !hand; child = child.nextElementSibling, nth++) {
    if (getComputedStyle(child).cursor === 'pointer') return true;
  }
  return false;
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
