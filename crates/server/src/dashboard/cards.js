// What is open: a card for each session, kept while it is there so that focus stays in it.
import { element, fill, since, size } from './element.js';

const cards = new Map();

/** Shows these rows; `act` is called with what a button does and its session. */
export function show(grid, rows, act) {
  const names = new Set(rows.map((row) => row.session));
  for (const [name, card] of cards) {
    if (names.has(name)) continue;
    card.node.remove();
    cards.delete(name);
  }
  rows.forEach((row, index) => {
    let card = cards.get(row.session);
    if (!card) cards.set(row.session, (card = make(row.session, act)));
    if (grid.children[index] !== card.node) grid.insertBefore(card.node, grid.children[index] ?? null);
    update(card, row);
  });
}

/** The cards that can be seen, with the tab that each shows. */
export function visible() {
  return [...cards.values()].filter((card) => card.seen && card.row.tabs?.length);
}

const watch = new IntersectionObserver((entries) => {
  for (const entry of entries) entry.target.card.seen = entry.isIntersecting;
});

function make(name, act) {
  const image = element('img', { alt: '', hidden: true });
  const picture = element('button', { type: 'button', class: 'picture' }, image);
  const badges = element('ul', { class: 'badges' });
  const page = element('p', { class: 'page' });
  const about = element('p');
  const age = element('p', { class: 'help' });
  const title = element('h3', { id: `session-${name}` }, name);
  const button = (words, what, kind = 'quiet') => {
    const made = element('button', { type: 'button', class: kind, 'aria-label': `${words} ${name}` }, words);
    made.addEventListener('click', () => act(what, card.row));
    return made;
  };
  picture.addEventListener('click', () => act('details', card.row));
  const node = element(
    'article',
    { class: 'card', 'aria-labelledby': title.id },
    picture,
    element('div', { class: 'body' }, title, badges, page, about, age),
    element('div', { class: 'actions' }, button('Details', 'details'), button('Take over', 'handoff'), button('Close', 'close')),
  );
  const card = { node, image, picture, badges, page, about, age, seen: false, row: null };
  node.card = card;
  watch.observe(node);
  return card;
}

function update(card, row) {
  card.row = row;
  const [tab] = row.tabs ?? [];
  const shown = tab ? tab.title || tab.url : 'busy';
  card.picture.setAttribute('aria-label', `Details of ${row.session}, which shows ${shown}`);
  card.picture.dataset.site = tab ? host(tab.url) : shown;
  fill(card.badges, ...badges(row));
  card.badges.hidden = !card.badges.children.length;
  fill(card.page, shown);
  const tabs = row.tabs?.length ?? 0;
  const clients = row.clients?.length ? row.clients.join(', ') : 'nobody';
  fill(card.about, `${tabs} ${tabs === 1 ? 'tab' : 'tabs'}, used by ${clients}`);
  const memory = row.memory_bytes ? `, ${size(row.memory_bytes)} of memory` : '';
  fill(card.age, row.since ? `opened ${since(row.since)}${memory}` : '');
}

/** What stands in the place of a picture until there is one. */
function host(url) {
  return URL.canParse(url) ? new URL(url).hostname || url : url;
}

function badges(row) {
  const badge = (text, kind = '') => element('li', { class: kind }, text);
  const ended = (row.logins ?? []).filter((login) => !login.signed_in);
  return [
    row.handoff ? badge('waits for a person', 'warn') : null,
    row.status === 'busy' ? badge('busy', 'warn') : null,
    row.kind === 'clone' ? badge('clone') : null,
    row.endpoint_open ? badge('endpoint') : null,
    ...ended.map((login) => badge(`signed out of ${login.site}`, 'warn')),
    row.note ? badge(row.note, 'warn') : null,
  ];
}
