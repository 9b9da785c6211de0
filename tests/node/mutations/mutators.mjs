// What a site does to its pages between two visits. Layout replays; meaning stops.
// Each is a body with `all` (elements of the page), `truth` (one element of the flow, chosen by the seed),
// `unit` (it, with its label), `texts` (text nodes), `root` (their tree), `number()` (the next of the seed).

const layout = {
  'ids and classes renamed': `for (const one of all) { if (one.id && !kept.has(one.id)) one.id = 'n' + number(1e6); if (one.className) one.className = 'x' + number(1e6); }`,
  'wrapped': `for (let n = 1 + number(3); n > 0; n--) { const wrap = document.createElement(n % 2 ? 'div' : 'section'); unit.before(wrap); wrap.append(document.createElement('span'), unit); }`,
  'order changed': `const parent = unit.parentElement || root; if (!parent.querySelector('script')) parent.append(...[...parent.children].reverse());`,
  'advertisement inserted': `const ad = '<div class=ad><a href="#ad">Buy now</a><button>Not interested</button><input aria-label="Your mail for our offers"></div>'; document.body.insertAdjacentHTML(number(2) ? 'afterbegin' : 'beforeend', ad);`,
  'neighbours inserted': `for (let n = 0; n <= number(3); n++) unit.insertAdjacentHTML(n % 2 ? 'beforebegin' : 'afterend', '<button>Help ' + n + '</button>');`,
  'attributes in another language': `for (const one of all) { one.title = 'Titel ' + number(9); if (one.alt) one.alt = 'Bild'; }`,
  'written in another way': `for (const node of texts) node.data = number(2) ? node.data.toUpperCase() : node.data.replace(/ +/g, '  ');`,
  'attributes of builds added': `for (const one of all) { one.setAttribute('data-v-' + number(1e6), ''); one.setAttribute('jsname', 'j' + number(1e6)); }`,
  'another style': `document.head.insertAdjacentHTML('beforeend', '<style>main { display: flex; flex-direction: column-reverse; font-size: ' + (14 + number(8)) + 'px; padding: ' + number(60) + 'px } button { border-radius: 20px; margin: 4px }</style>');`,
};

// The element is one that the flow presses or fills for good: there must not be another one that is it, too.
const meaning = {
  // A second summary of the same details would be no control.
  'duplicated': `const whole = unit.localName === 'summary' ? unit.parentElement : unit, twin = whole.cloneNode(true); for (const one of [twin, ...twin.querySelectorAll('*')]) { one.removeAttribute('data-truth'); one.removeAttribute('onclick'); } whole.after(twin);`,
  'replaced by another control': `truth.removeAttribute('data-truth'); truth.removeAttribute('onclick'); rename('Remove everything');`,
  'taken away': `unit.remove();`,
};

export const mutators = [
  ...Object.entries(layout).map(([name, body]) => ({ name, body, replays: true })),
  ...Object.entries(meaning).map(([name, body]) => ({ name, body, replays: false })),
];

/** The page around a flow that is in a frame: its title is that of the frame. */
export function around(flow) {
  return `<!doctype html><html lang=en><meta charset=utf-8><body><h1>Portal</h1><button onclick="document.title = 'wrong'">Sign out</button>
<iframe src=/inner title=${JSON.stringify(flow.name)} style="width: 900px; height: 600px"></iframe>
<script>setInterval(() => { const now = document.querySelector('iframe').contentDocument?.title; if (now && document.title !== 'wrong') document.title = now; }, 30)</script>`;
}

/** The page of a flow, changed by a mutator; without one as it was recorded. */
export function page(flow, mutator, seed) {
  const whole = `const main = document.querySelector('main'), host = ${JSON.stringify(flow.shadow ?? null)};
    const root = host ? main.querySelector(host).shadowRoot : main;
    const all = [...root.querySelectorAll('*')].filter((one) => one.localName !== 'script');
    const kept = new Set(all.filter((one) => one.id && document.documentElement.outerHTML.includes(one.id + '.')).map((one) => one.id));
    const truths = [...root.querySelectorAll('[data-truth]')].filter((one) => one.getClientRects().length);
    const truth = truths[number(truths.length)], unit = truth.closest('[data-unit]') || truth.closest('label') || truth;
    const texts = []; const walk = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
    while (walk.nextNode()) if (walk.currentNode.parentElement?.localName !== 'script') texts.push(walk.currentNode);
    const rename = (text) => { const named = [...unit.childNodes].filter((node) => node.nodeType === 3 && node.data.trim());
      if (truth.ariaLabel) truth.ariaLabel = text; else if (named.length) named.forEach((node) => { node.data = text; }); else unit.textContent = text; };
    ${mutator?.body ?? ''}`;
  return `<!doctype html><html lang=en><meta charset=utf-8><body><main>
<script>
  let state = 0, wrong = 0, seed = ${seed};
  const number = (most) => (seed = (seed * 1103515245 + 12345) % 2147483648, Math.floor(seed / 65536) % most);
  const found = (query, tree = document) => tree.querySelector(query) || [...tree.querySelectorAll('*')].map((one) => one.shadowRoot && found(query, one.shadowRoot)).find(Boolean) || null;
  const el = (n) => found('[data-truth="' + n + '"]') || found('[data-truth]') || {};
  const right = (one) => one.closest('[data-truth]') || (one.closest('label')?.control?.closest('[data-truth]'));
  for (const kind of ['click', 'input', 'change']) addEventListener(kind, (event) => {
    const one = event.composedPath()[0];
    if (event.isTrusted && !(kind === 'click' && event.detail === 0) && one.closest && !right(one) && !one.matches('html,body,main')) wrong = 1;
  }, true);
  setInterval(() => { let now = 'untouched'; try { now = wrong ? 'wrong' : (${flow.done}) ? 'right' : 'untouched'; } catch {} if (document.title !== now) document.title = now; }, 30);
</script>
${flow.html}</main>
<script>
  const mutate = () => { ${whole} };
  // Changed as soon as it is there, before the page has loaded or anything that it is drawn with goes on: a replay
  // may begin right after that.
  ${mutator ? `const change = () => { mutate(); document.body.dataset.ready = 1; };
  const drawn = new MutationObserver(() => { if (found('[data-truth]')) { drawn.disconnect(); change(); } });
  if (found('[data-truth]')) change(); else drawn.observe(document.body, { subtree: true, childList: true, attributes: true });` : ''}
</script>`;
}
