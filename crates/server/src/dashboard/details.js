// One session: its page, its tabs, logins and recipes, and what happens in it.
import { get, picture, session } from './api.js';
import { byId, element, fill, since } from './element.js';
import { programs } from './programs.js';
import { recipes } from './recipes.js';

const LONGEST = 500;
let events = null;
let shown = '';

export async function details(row) {
  const dialog = byId('details');
  byId('details-title').textContent = row.session;
  fill(byId('details-body'));
  fill(byId('details-failed'));
  byId('timeline').replaceChildren();
  dialog.showModal();
  follow(row.session);
  byId('details-recipes').replaceChildren();
  const [now] = (await get(session(row.session))).sessions;
  const [tab] = now?.tabs ?? [];
  if (tab) shown = await picture(row.session, tab.id);
  const image = tab ? element('img', { src: shown, alt: `The page in ${tab.id}: ${tab.title || tab.url}` }) : null;
  fill(byId('details-body'), image, list('Tabs', now?.tabs ?? [], tabLine), list('Logins', now?.logins ?? [], loginLine), list('Used by', now?.clients ?? [], (name) => name));
  const connected = now ? await programs(now, (why) => fill(byId('details-failed'), why)) : null;
  if (connected && byId('details-title').textContent === row.session) byId('details-body').append(connected);
  const known = await recipes(row.session);
  // Another session may be looked at by now.
  if (known && byId('details-title').textContent === row.session) byId('details-recipes').replaceChildren(known);
}

/** Stops following when the dialog closes, however it does. */
export function prepare() {
  const dialog = byId('details');
  byId('details-close').addEventListener('click', () => dialog.close());
  dialog.addEventListener('close', () => {
    events?.close();
    URL.revokeObjectURL(shown);
  });
}

function list(title, items, line) {
  if (!items.length) return null;
  return element('div', {}, element('h3', {}, title), element('ul', {}, ...items.map((item) => element('li', {}, line(item)))));
}

const tabLine = (tab) => `${tab.id}: ${tab.title || tab.url}${tab.client ? `, used by ${tab.client}` : ''}`;

function loginLine(login) {
  const state = login.signed_in ? `signed in ${since(login.since)}` : `signed out: ${login.ended ?? 'unknown'}`;
  return `${login.site}: ${state}`;
}

function follow(name) {
  events?.close();
  events = new EventSource(`${session(name)}/events?after=0`);
  events.onmessage = ({ data }) => add(JSON.parse(data));
  for (const kind of KINDS) events.addEventListener(kind, ({ data }) => add(JSON.parse(data)));
}

function add(event) {
  const line = WORDS[event.event]?.(event);
  if (!line) return;
  const time = element('time', { datetime: event.at }, new Date(event.at).toLocaleTimeString());
  const timeline = byId('timeline');
  timeline.prepend(element('li', {}, time, element('span', {}, line)));
  while (timeline.children.length > LONGEST) timeline.lastChild.remove();
}

const tab = (event) => event.tab ?? 'a page';
const WORDS = {
  tab_opened: (event) => `${event.tab} opened: ${event.url}`,
  tab_closed: (event) => `${event.tab} closed`,
  navigated: (event) => `${event.tab} is at ${event.url}`,
  dialog_opened: (event) => `${tab(event)} shows a dialog: “${event.message}”`,
  dialog_closed: (event) => `the dialog of ${tab(event)} was ${event.accepted ? 'accepted' : 'dismissed'}`,
  download: (event) => `${tab(event)} downloads ${event.name} (${event.state})`,
  login_ended: (event) => `no longer signed in to ${event.site}`,
  handoff_began: (event) => `${event.tab} is handed to a person: “${event.reason}”`,
  handoff_ended: () => 'the hand-off is over',
  approval_asked: (event) => `${event.client} waits for an approval: ${event.what}`,
  call_progress: (event) => `${event.operation} of ${event.client} is at ${event.done} of ${event.total}`,
  client_came: (event) => `${event.client} connected`,
  client_left: (event) => `${event.client} left`,
  tab_taken: (event) => (event.from ? `${event.client} took ${event.tab} from ${event.from}` : `${event.client} works in ${event.tab}`),
  state_imported: (event) => `${event.client} imported cookies and storage`,
  browser_exited: (event) => `Chromium exited (${event.why})`,
  browser_restarted: () => 'Chromium is back, with its tabs and logins',
  closing: (event) => (event.client ? `${event.client} closes the session` : 'the session is closing'),
};
const KINDS = Object.keys(WORDS);
