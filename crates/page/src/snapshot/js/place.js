// Where a control is that goes by nothing else: the text next to it, what it is in, and which of several it is.

// Ancestors to look at, texts of one of them, controls among which one is counted, and characters to say.
const OUTWARD = 6, MOST_NEAR = 60, MOST_PEERS = 200, LONGEST_PLACE = 40;
// Characters of the thing around it, beyond which a text in it is not near.
const MOST_AROUND = 300;
const HOLDERS = new Set(`alertdialog dialog form group menu menubar navigation radiogroup region search tablist tabpanel
toolbar`.split(/\s+/));

// A word of a line holds no spaces: what writes the lines puts them back, and the quotes around.
const spelled = (text) => squeeze(text).slice(0, LONGEST_PLACE).trim().replaceAll(' ', '\u00a0');

const outward = (el, most, test) => {
  for (let at = above(el), up = 0; at && up < most; at = above(at), up++) if (test(at)) return at;
  return null;
};

// Text that people read, and that is not what another control says.
const telling = (text) => (/[\p{L}\p{N}]/u.test(text) ? text : '');
const speaks = (at, el) => !el.contains(at) && !SKIPPED.has(at.localName) && drawn(at) === SHOWN;
const works = (at) => CONTROLS.has(roleOf(at)) || pressed.has(at) || listens(at);

// In a row what it begins with; elsewhere the text that comes last before an element, else the first one after it, in
// the smallest thing around it that says something.
const textNear = (el, row) => {
  const says = (at) => at.textContent.length <= MOST_AROUND && telling(squeeze(at.textContent)) !== '';
  const around = row && says(row) ? row : outward(el, OUTWARD, says);
  if (!around || around === document.documentElement) return '';
  if (around === document.body) return beside(el);
  const texts = document.createTreeWalker(around, NodeFilter.SHOW_TEXT);
  let before = '';
  for (let at = texts.nextNode(), count = 0; at && count < MOST_NEAR; at = texts.nextNode(), count++) {
    const text = telling(squeeze(at.data));
    if (text === '' || !speaks(at.parentElement, el) || around !== row && works(at.parentElement)) continue;
    if (around === row) return text;
    if (!(el.compareDocumentPosition(at) & Node.DOCUMENT_POSITION_PRECEDING)) return before || text;
    before = text;
  }
  return before;
};

// The text right before an element that nothing but the page is around.
const beside = (el) => {
  for (let at = el.previousSibling; at; at = at.previousSibling) {
    const text = telling(squeeze(at.textContent));
    if (at.nodeType === 3 && text !== '') return text;
    if (at.nodeType === 1 && !SKIPPED.has(at.localName) && drawn(at) === SHOWN) return works(at) || text.length > CAPTION ? '' : text;
  }
  return '';
};

// Words for it: `near` and `in` are text of the page, `nth` counts.
const placeOf = (el, kind) => {
  if (el.localName !== 'select' && worded(squeeze(el.textContent)) !== '') return [];
  const row = outward(el, OUTWARD, (at) => at.matches(ROWS));
  const holder = outward(el, 2 * OUTWARD, (at) => HOLDERS.has(roleOf(at)));
  const words = [];
  const near = spelled(textNear(el, row));
  if (near) words.push(`near=${near}`);
  else if (holder) words.push(`in=${spelled(nameOf(holder, roleOf(holder))) || roleOf(holder)}`);
  const among = row || holder || el.parentElement;
  const peers = !among ? [] : kind === 'i' ? among.getElementsByTagName(el.localName) : el.parentElement?.children ?? [];
  if (peers.length > 1 && peers.length <= MOST_PEERS) {
    const alike = [...peers].filter((other) => other.localName === el.localName && other.type === el.type && drawn(other) === SHOWN);
    if (alike.length > 1) words.push(`nth=${alike.indexOf(el) + 1}/${alike.length}`);
  }
  return words;
};
