// Profiles that are not open.
import { element, fill, since, size } from './element.js';

export function show(body, rows, act) {
  const focused = document.activeElement?.getAttribute('aria-label');
  fill(body, ...rows.map((row) => line(row)));
  for (const button of body.querySelectorAll('button')) {
    const row = rows.find(({ session }) => session === button.dataset.session);
    button.onclick = () => act(button.dataset.what, row);
    if (button.getAttribute('aria-label') === focused) button.focus();
  }
}

function line(row) {
  const cell = (...children) => element('td', {}, ...children);
  const used = row.last_used ? since(row.last_used) : 'never';
  const logins = (row.logins ?? []).filter((login) => login.signed_in).map((login) => login.site);
  return element(
    'tr',
    {},
    // Narrow screens have no column for the time.
    cell(row.session, element('span', { class: 'help narrow' }, used)),
    cell(used),
    cell(size(row.size_bytes)),
    cell(logins.join(', ') || '–'),
    cell(element('div', { class: 'actions' }, button(row, 'Open', 'open'), button(row, 'Delete', 'delete'))),
  );
}

function button(row, words, what) {
  const label = `${words} ${row.session}`;
  return element('button', { type: 'button', class: 'quiet', 'aria-label': label, 'data-what': what, 'data-session': row.session }, words);
}
