// The programs that are connected to a session's endpoint, and ending one.
import { send, session } from './api.js';
import { element } from './element.js';

/** A list with a button for each; nothing if there are none, or if the token may not know. */
export async function programs(row, failed) {
  if (!row.endpoint_open) return null;
  const at = `${session(row.session)}/endpoint`;
  const { clients } = await send('POST', at).catch(() => ({ clients: [] }));
  if (!clients.length) return null;
  const items = clients.map(({ id, name }) => {
    const button = element('button', { type: 'button', class: 'quiet', 'aria-label': `Disconnect ${name}` }, 'Disconnect');
    const item = element('li', {}, element('span', {}, name), button);
    button.addEventListener('click', async () => {
      button.disabled = true;
      try {
        await send('POST', at, { disconnect: id });
        item.replaceChildren(element('span', { role: 'status' }, `${name} is disconnected`));
      } catch (error) {
        button.disabled = false;
        failed(error.message);
      }
    });
    return item;
  });
  return element('div', {}, element('h3', {}, 'Programs'), element('ul', { class: 'programs' }, ...items));
}
