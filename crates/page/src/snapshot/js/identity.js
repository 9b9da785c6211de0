// What tells an element from all others of a page, for recipes: words, handles of the author, place.

const TEST_IDS = ['data-testid', 'data-test-id', 'data-test', 'data-cy', 'data-qa'];
const ROWS = 'tr,li,article,[role=row],[role=listitem],[role=article],[role=option]';
const LANDMARKS = new Set(`alertdialog banner complementary contentinfo dialog form grid main menu navigation region search
table tabpanel toolbar`.split(/\s+/));
const MOST_EQUALS = 3000, LONGEST_TRAIT = 120;
// What tools make up anew with every build.
const MADE = /\d{3,}|^[:_]|[0-9a-f]{6,}|^(ember|react|radix|mui|headlessui|ng-|cdk-)/i;

const trait = (text) => squeeze(String(text ?? '')).slice(0, LONGEST_TRAIT).toWellFormed();

const roleShown = (el) => { const role = roleOf(el); return lineRole(el, role) || 'generic'; };
const nameShown = (el) => trait(lineName(el, roleOf(el), 'i') || (roleShown(el) === 'generic' ? shortText(el) : ''));

// The control that a node is a part of, else the node itself. A cell, an entry or a shape that what is around it listens for is
// one of its own.
const DRAWN_CONTROL = 'a[href],button,[role=button],[role=link],[tabindex]';
const control = (el) => {
  // What only scripts give the focus may be the inside of an entry.
  let inner = null;
  for (let at = el, up = 0; at && up < 6; at = above(at), up++) {
    if (at.localName === 'label' && at.control) return at.control;
    if (CONTROLS.has(roleOf(at)) || served(at) || inner === null && listens(at)) return at;
    if (shape(at) && !at.closest(DRAWN_CONTROL)) return at;
    if (inner === null && focusable(at)) {
      if (!(Number(at.getAttribute('tabindex')) < 0)) return at;
      inner = at;
    }
  }
  return inner ?? el;
};

const pathOf = (el) => {
  const parts = [];
  for (let at = el; at && parts.length < 5; at = at.parentElement) {
    if (at.id && !MADE.test(at.id)) { parts.unshift(`#${CSS.escape(at.id)}`); break; }
    if (at === document.body || at === document.documentElement) break;
    const same = at.parentNode ? [...at.parentNode.children].filter((other) => other.localName === at.localName) : [];
    parts.unshift(same.length > 1 ? `${at.localName}:nth-of-type(${same.indexOf(at) + 1})` : at.localName);
  }
  return parts.join(' > ');
};

// The heading or caption that comes last before an element, in what is around it.
const nearOf = (el) => {
  for (let at = el, up = 0; at && up < 8; at = at.parentElement, up++) {
    for (let before = at.previousElementSibling, steps = 0; before && steps < 40; before = before.previousElementSibling, steps++) {
      if (/^(h[1-6]|legend|caption)$/.test(before.localName)) return trait(before.textContent);
    }
  }
  return '';
};

const withinOf = (el) => {
  for (let at = above(el); at; at = above(at)) {
    const role = roleOf(at);
    if (LANDMARKS.has(role)) return trait(`${role} ${nameOf(at, role)}`);
  }
  return '';
};

// The text of what an element is in, for one that says nothing itself. A whole page's says nothing either.
let arounds = new WeakMap();
const FAR_AROUND = 2000;
const aroundOf = (el) => {
  for (let at = above(el), up = 0; at && up < 6 && at !== document.body; at = above(at), up++) {
    if (!arounds.has(at)) {
      const long = at.textContent.length > FAR_AROUND;
      arounds.set(at, long ? null : trait(worded(at.innerText ?? at.textContent)));
    }
    const text = arounds.get(at);
    if (text !== '') return text ?? '';
  }
  return '';
};

const hrefOf = (el) => {
  if (el.localName !== 'a' || !el.getAttribute('href')) return '';
  try {
    const url = new URL(el.href);
    return url.protocol.startsWith('http') ? url.pathname + url.search : '';
  } catch { return ''; }
};

const shadowOf = (el) => {
  const hosts = [];
  for (let root = el.getRootNode(); root instanceof ShadowRoot; root = root.host.getRootNode()) hosts.unshift(root.host.localName);
  return hosts.join(' ');
};

const isField = (el) => /^(input|select|textarea)$/.test(el.localName);
const ownText = (el) => (isField(el) || el.isContentEditable ? '' : trait(el.textContent));

const identityOf = (el) => {
  const tag = el.localName;
  const typed = isField(el);
  const given = typed ? labelsFor(el) : null;
  const row = el.closest(ROWS);
  const id = TEST_IDS.map((name) => el.getAttribute(name)).find(Boolean);
  const name = nameShown(el);
  const label = given ? trait(given.map((label) => label.textContent).join(' ')) : '';
  const placeholder = typed ? trait(el.placeholder) : '';
  const text = ownText(el);
  return {
    role: roleShown(el),
    name,
    label,
    placeholder,
    text,
    around: name || label || placeholder || worded(text) ? '' : aroundOf(el),
    test_id: trait(id),
    field: typed ? trait(el.getAttribute('name')) : '',
    type: tag === 'input' ? trait(el.type) : '',
    href: trait(hrefOf(el)),
    near: nearOf(el),
    row: row && row !== el ? trait(row.innerText ?? row.textContent) : '',
    within: withinOf(el),
    css: trait(pathOf(el)),
    frame: window.top === window ? '' : trait(window.name || location.pathname),
    shadow: trait(shadowOf(el)),
    lang: trait(document.documentElement.lang),
  };
};

// The same with its place among elements of the same role and name.
const equals = (el) => {
  arounds = new WeakMap();
  const identity = identityOf(el);
  const others = [...el.getRootNode().querySelectorAll(el.localName)].slice(0, MOST_EQUALS);
  // What has no name goes by its text.
  const alike = (other) => roleShown(other) === identity.role && nameShown(other) === identity.name
    && (identity.name !== '' || trait(other.textContent) === identity.text)
    && (identity.around === '' || aroundOf(other) === identity.around);
  const same = others.filter((other) => other === el || drawn(other) === SHOWN && alike(other));
  return { ...identity, nth: same.indexOf(el) + 1, of: same.length };
};

const identitiesOf = (els) => {
  arounds = new WeakMap();
  return els.map((el) => (el && el.nodeType === 1 ? identityOf(el) : null));
};
