// The tree as it is drawn: shadow trees, slots, and what `aria-owns` moves.

// Closed shadow roots, which a script cannot reach; they are handed in from outside.
const closedRoots = new WeakMap();
const rootOf = (el) => el.shadowRoot || closedRoots.get(el) || null;

// Who owns what by `aria-owns`; made anew for each walk.
let owners = new Map();

const ownedIn = (owner) => {
  const root = owner.getRootNode();
  const ids = owner.getAttribute('aria-owns').split(/\s+/);
  return ids.map((id) => id && root.getElementById ? root.getElementById(id) : null).filter((owned) => owned);
};

const findOwners = (root) => {
  for (const owner of root.querySelectorAll('[aria-owns]')) {
    for (const owned of ownedIn(owner)) {
      if (owned !== owner && !owned.contains(owner) && !owners.has(owned)) owners.set(owned, owner);
    }
  }
};

const ownedBy = (el) => {
  if (owners.size === 0 || !el.hasAttribute('aria-owns')) return [];
  return ownedIn(el).filter((owned) => owners.get(owned) === el);
};

// Where children hang: the shadow root, what is put into a slot, or the element itself.
const source = (el) => {
  const root = rootOf(el);
  if (root) return root;
  if (el.localName === 'slot') {
    const assigned = el.assignedNodes();
    if (assigned.length) return assigned;
  }
  return el;
};

// Calls `visit` for each child as drawn.
const eachChild = (el, visit) => {
  const from = source(el);
  if (Array.isArray(from)) {
    for (const node of from) if (!owners.has(node)) visit(node);
  } else {
    for (let node = from.firstChild; node; node = node.nextSibling) {
      if (owners.size === 0 || !owners.has(node)) visit(node);
    }
  }
  for (const node of ownedBy(el)) visit(node);
};

const VISIBLE = { visibilityProperty: true };
const SHOWN = 0, HOLLOW = 1, GONE = 2;

// Whether an element is drawn: `HOLLOW` is not, but what is in it may be.
const drawn = (el) => {
  if (el.checkVisibility(VISIBLE)) return SHOWN;
  const style = getComputedStyle(el);
  const display = style.display;
  if (display === 'contents') return style.visibility === 'visible' ? SHOWN : HOLLOW;
  // An element that is not in the drawn tree has no style at all.
  if (display === 'none' || display === '') return el.localName === 'area' ? SHOWN : GONE;
  return style.visibility === 'visible' ? GONE : HOLLOW;
};

// Whether an element is drawn without what is in it, which is skipped until it is opened or found.
const UNCONTAINED = /^(inline|contents)$|^ruby|^table-(?!caption)/;
const skipsContents = (el) => {
  if (el.localName === 'details' && !el.open) return getComputedStyle(el, '::details-content').contentVisibility !== 'visible';
  const { contentVisibility, display } = getComputedStyle(el);
  return contentVisibility === 'hidden' && !UNCONTAINED.test(display);
};

// The smallest thing around two elements.
const holderOfBoth = (one, other) => {
  const holds = (at) => {
    for (let node = other; node; node = node.getRootNode().host) if (at.contains(node)) return true;
    return false;
  };
  for (let at = one; at; at = at.parentElement ?? at.getRootNode().host) if (holds(at)) return at;
  return one;
};

// Taken away from everybody, or from assistive technology.
const withdrawn = (el) => el.getAttribute('aria-hidden') === 'true' && el !== document.body && el !== document.documentElement
  || el.hasAttribute('inert');
