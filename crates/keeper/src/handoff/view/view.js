// Shows the pictures that come, and what else there is to know.
'use strict';

const part = (id) => document.getElementById(id);
const screen_ = part('screen');
const paint = screen_.getContext('2d', {alpha: false});
const socket = new WebSocket(`${location.href.replace(/^http/, 'ws').replace(/[?#].*$/, '')}live`);
socket.binaryType = 'blob';

let size = {width: 1, height: 1};
let over = false;
const send = (message) => socket.readyState === WebSocket.OPEN && socket.send(JSON.stringify(message));

const ENDS = {
  done: 'Thank you. The agent continues; you can close this page.',
  given_up: 'The agent knows. You can close this page.',
  replaced: 'This view was opened elsewhere, so this one has ended.',
};

function ended(text) {
  over = true;
  document.body.classList.add('over');
  part('reason').textContent = text;
  if (part('dialog').open) part('dialog').close();
}

function showTabs({tabs, current}) {
  const buttons = tabs.map((tab) => {
    const button = document.createElement('button');
    button.textContent = tab.title || tab.url;
    button.title = tab.url;
    button.role = 'tab';
    button.ariaSelected = String(tab.id === current);
    button.addEventListener('click', () => send({t: 'tab', id: tab.id}));
    return button;
  });
  part('tabs').replaceChildren(...(tabs.length > 1 ? buttons : []));
  part('address').textContent = tabs.find((tab) => tab.id === current)?.url ?? '';
}

function showDialog({kind, message, text}) {
  part('dialog-message').textContent = message || (kind === 'beforeunload' ? 'Leave this page? What you entered may be lost.' : '');
  part('dialog-text').hidden = kind !== 'prompt';
  part('dialog-text').value = text;
  part('dialog-dismiss').hidden = kind === 'alert';
  part('dialog').showModal();
}

function showApprovals({waiting}) {
  part('approvals').replaceChildren(...waiting.map(({id, client, what}) => {
    const row = document.createElement('div');
    const text = document.createElement('p');
    text.textContent = `${client || 'Somebody'} wants to ${what}. Let this happen, once?`;
    const buttons = [['Yes', true], ['No', false]].map(([label, yes]) => {
      const button = document.createElement('button');
      button.textContent = label;
      button.className = yes ? '' : 'quiet';
      button.addEventListener('click', () => send({t: 'approve', id, yes}));
      return button;
    });
    row.append(text, ...buttons);
    return row;
  }));
}

function answer(accept) {
  const text = part('dialog-text').hidden ? undefined : part('dialog-text').value;
  send({t: 'dialog', accept, text});
  part('dialog').close();
}

const told = {
  reason: ({text, session}) => {
    part('reason').textContent = text;
    document.title = `${session}: your turn`;
    screen_.focus();
  },
  tabs: showTabs,
  picture: (picture) => size = picture,
  approvals: showApprovals,
  dialog: showDialog,
  dialog_closed: () => part('dialog').open && part('dialog').close(),
  ended: ({how, why}) => ended(ENDS[how] ?? `The browser is gone: ${why}`),
};

async function show(blob) {
  try {
    const picture = await createImageBitmap(blob);
    if (screen_.width !== picture.width || screen_.height !== picture.height) {
      [screen_.width, screen_.height] = [picture.width, picture.height];
    }
    paint.drawImage(picture, 0, 0);
    picture.close();
  } finally {
    send({t: 'shown'});
  }
}

socket.addEventListener('message', ({data}) => {
  if (typeof data !== 'string') return show(data);
  const message = JSON.parse(data);
  told[message.t]?.(message);
});
socket.addEventListener('close', () => over || ended('The connection has ended. Reload this page to continue.'));

connectInput(screen_, part('keyboard'), () => size, send);
part('back').addEventListener('click', () => send({t: 'go', to: 'back'}));
part('reload').addEventListener('click', () => send({t: 'go', to: 'reload'}));
part('dialog-accept').addEventListener('click', () => answer(true));
part('dialog-dismiss').addEventListener('click', () => answer(false));
part('dialog').addEventListener('cancel', (event) => {
  event.preventDefault();
  answer(false);
});
part('end').addEventListener('submit', (event) => {
  event.preventDefault();
  send({t: 'end', how: event.submitter?.value === 'given_up' ? 'given_up' : 'done', note: part('note').value});
});
