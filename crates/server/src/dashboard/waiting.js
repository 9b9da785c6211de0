// Who waits for a person: above everything else, with a button that leads there.
import { byId, element, fill, since } from './element.js';

export function show(rows, act) {
  const waiting = rows.filter((row) => row.handoff);
  const list = byId('waiting-list');
  const focused = document.activeElement?.getAttribute('aria-label');
  fill(list, ...waiting.map(line));
  for (const button of list.querySelectorAll('button')) {
    const row = waiting.find(({ session }) => session === button.dataset.session);
    button.onclick = () => act('handoff', row);
    if (button.getAttribute('aria-label') === focused) button.focus();
  }
  byId('waiting').hidden = !waiting.length;
  document.title = waiting.length ? `(${waiting.length}) szk` : 'szk';
  return waiting.length;
}

function line({ session, handoff }) {
  const button = { type: 'button', 'aria-label': `Help ${session}`, 'data-session': session };
  return element(
    'li',
    {},
    element('div', {}, element('strong', {}, session), element('span', { class: 'help' }, `, asked ${since(handoff.since)}`), element('p', {}, handoff.reason)),
    element('button', button, 'Help'),
  );
}
