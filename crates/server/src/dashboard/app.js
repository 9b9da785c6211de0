// The dashboard: who is logged in, what is open and stored, and what its buttons do.
import { Failed, get, picture, send, session } from './api.js';
import * as cards from './cards.js';
import { details, prepare } from './details.js';
import { byId } from './element.js';
import * as stored from './stored.js';
import * as waiting from './waiting.js';

/** How often the list is read, and how often pictures are taken, in milliseconds; only while looked at. */
const LIST = 3000;
const PICTURES = 4000;

let loggedIn = false;

function notice(text) {
  const node = byId('notice');
  node.textContent = text;
  node.hidden = !text;
}

/** Runs what a person asked for and says what came of it. */
async function trying(work) {
  try {
    const done = await work();
    notice('');
    return done;
  } catch (error) {
    if (error instanceof Failed && error.status === 401 && loggedIn) return enter(null);
    notice(error.message);
    return undefined;
  }
}

function enter(who) {
  loggedIn = who !== null;
  byId('login').hidden = loggedIn;
  byId('content').hidden = byId('who').hidden = !loggedIn;
  byId('name').textContent = who?.name ?? '';
  byId('summary').textContent = '';
  if (loggedIn) refresh();
  else byId('token').focus();
}

async function refresh() {
  if (!loggedIn) return;
  await trying(async () => {
    const { sessions } = await get('/v1/sessions');
    sessions.sort((a, b) => a.session.localeCompare(b.session, 'en', { numeric: true }));
    const open = sessions.filter((row) => row.status !== 'stored');
    const rest = sessions.filter((row) => row.status === 'stored');
    const waits = waiting.show(open, act);
    cards.show(byId('open'), open, act);
    stored.show(byId('stored'), rest, act);
    byId('open-empty').hidden = open.length > 0;
    byId('stored-empty').hidden = rest.length > 0;
    byId('stored-scroll').hidden = rest.length === 0;
    const persons = waits ? `, ${waits} ${waits === 1 ? 'waits' : 'wait'} for a person` : '';
    const summary = `${open.length} open, ${rest.length} stored${persons}`;
    if (byId('summary').textContent !== summary) byId('summary').textContent = summary;
  });
}

/** One picture after the other, so that many sessions cost no more than one. */
async function pictures() {
  for (const card of document.hidden || !loggedIn ? [] : cards.visible()) {
    const { session: name, tabs } = card.row;
    try {
      const before = card.image.src;
      card.image.src = await picture(name, tabs[0].id);
      card.image.hidden = false;
      URL.revokeObjectURL(before);
    } catch {
      // It closed, or its page is busy; the next round tries again.
    }
  }
  setTimeout(pictures, PICTURES);
}

const ACTS = {
  details,
  async handoff({ session: name, tabs }) {
    const anew = { tab: tabs?.[0]?.id, reason: 'Taken over from the dashboard' };
    // Opened at once: a browser blocks a window that comes after the answer.
    const view = window.open('about:blank');
    let asked = anew;
    const begin = () => send('POST', `${session(name)}/handoff`, asked);
    try {
      // Whoever waits for a person goes on waiting for this one.
      const [now] = (await get(session(name))).sessions;
      if (now?.handoff) asked = {};
      const { url } = await begin().catch(async (error) => {
        if (error.code !== 'TAB_TAKEN') throw error;
        // A person goes first.
        await send('POST', `${session(name)}/tabs/focus`, { tab: asked.tab, take: true });
        return begin();
      });
      view?.location.replace(url);
    } catch (error) {
      view?.close();
      throw error;
    }
  },
  async close({ session: name, clients = [] }) {
    const others = clients.length ? `Also while ${clients.join(', ')} may be using it. ` : '';
    byId('closing-title').textContent = `Close ${name}?`;
    byId('closing-about').textContent = `${others}Its logins and tabs are saved.`;
    if (!(await answer('closing'))) return;
    await send('POST', `${session(name)}/stop`, { force: true });
    await refresh();
  },
  async open({ session: name }) {
    await send('POST', '/v1/sessions', { session: name });
    await refresh();
  },
  async delete({ session: name }) {
    byId('deleting-name').textContent = name;
    byId('deleting-typed').value = '';
    const go = byId('deleting').querySelector('[value=go]');
    go.disabled = true;
    byId('deleting-typed').oninput = ({ target }) => (go.disabled = target.value !== name);
    if (!(await answer('deleting'))) return;
    await send('DELETE', `/v1/profiles/${encodeURIComponent(name)}`);
    await refresh();
  },
};

const act = (what, row) => trying(() => ACTS[what](row));

/** Shows a dialog; true if its button was pressed, false if it was left. */
function answer(id) {
  const dialog = byId(id);
  dialog.returnValue = '';
  dialog.querySelector('[value=cancel]').onclick = () => dialog.close('');
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.addEventListener('close', () => resolve(dialog.returnValue === 'go'), { once: true });
  });
}

byId('login').addEventListener('submit', (event) => {
  event.preventDefault();
  const token = byId('token').value.trim();
  byId('token').value = '';
  trying(async () => enter(await send('POST', '/dashboard/login', { token })));
});
byId('leave').addEventListener('click', () => trying(async () => enter(await send('POST', '/dashboard/logout').then(() => null))));
byId('open-new').addEventListener('click', async () => {
  byId('opening-form').reset();
  if (!(await answer('opening'))) return;
  const url = byId('opening-url').value.trim();
  const wanted = { session: byId('opening-name').value, ...(url && { url }) };
  await trying(() => send('POST', '/v1/sessions', wanted));
  await refresh();
});
prepare();
setInterval(() => document.hidden || refresh(), LIST);
document.addEventListener('visibilitychange', () => document.hidden || refresh());
get('/dashboard/me').then(enter, (error) => (error.status === 401 ? enter(null) : notice(error.message)));
pictures();
