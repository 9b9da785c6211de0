// Tasks in the applications of scripts/apps, each started in an empty folder: their words, their play, and what
// is on the application's own disk once they are done.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { apps } from '../apps/apps.mjs';
import { freePort } from '../tasks/drivers/mcp.mjs';
import { click, drag, fill, press, wait } from '../tasks/player.mjs';

const PLACES = { jupyter: ['JupyterLab', '/lab'], 'node-red': ['Node-RED', '/'], fab: ['Flask-AppBuilder', '/login/'] };

const tasks = [
  {
    name: 'jupyter-text',
    words: 'Write "milk and bread" into a new text file, and save it as shopping.txt.',
    play: (p) => write(p, 'Text File', 'milk and bread', 'shopping.txt'),
    done: (folder) => holds(join(folder, 'shopping.txt'), 'milk and bread'),
  },
  {
    name: 'jupyter-markdown',
    words: 'Make a Markdown file with the line "Plans for May", and save it as plans.md.',
    play: (p) => write(p, 'Markdown File', 'Plans for May', 'plans.md'),
    done: (folder) => holds(join(folder, 'plans.md'), 'Plans for May'),
  },
  {
    name: 'jupyter-folder',
    words: 'Create a folder named invoices.',
    async play(p) {
      await launcher(p);
      await p.do(click(p.see(/button "New Folder"/)));
      if (!p.has(/textbox .*Untitled Folder/)) await p.look();
      const name = p.see(/textbox .*Untitled Folder/);
      await p.do(fill(name, 'invoices'), press('Enter', name));
    },
    done: (folder) => existsSync(join(folder, 'invoices')),
  },
  {
    name: 'node-red-inject',
    words: 'Decline the notifications, close the tour, put an inject node on the flow, and deploy it.',
    play: (p) => deploy(p, 'inject'),
    done: (folder) => holds(join(folder, 'flows.json'), '"inject"'),
  },
  {
    name: 'node-red-comment',
    words: 'Decline the notifications, close the tour, put a comment on the flow, and deploy it.',
    play: (p) => deploy(p, 'comment'),
    done: (folder) => holds(join(folder, 'flows.json'), '"comment"'),
  },
  {
    name: 'fab-role',
    words: 'Sign in as admin, and add a role named Auditor.',
    async play(p) {
      await menu(p, 'List Roles');
      await p.do(click(p.see(/link "Add/)));
      await p.look();
      await p.do(fill(p.see(/textbox "Name/), 'Auditor'), click(p.see(/button "Save/)));
    },
    done: (folder) => row(folder, "select count(*) from ab_role where name = 'Auditor'") === '1',
  },
  {
    name: 'fab-last-name',
    words: 'Sign in as admin, and change the last name of the user admin to Byron.',
    async play(p) {
      await menu(p, 'List Users');
      await p.do(click(p.see(/link "Edit/)));
      await p.look();
      await p.do(fill(p.see(/textbox "Last Name/), 'Byron'), click(p.see(/button "Save/)));
    },
    done: (folder) => row(folder, "select last_name from ab_user where username = 'admin'") === 'Byron',
  },
];

/** The tasks, where each finds its application. */
export async function applied() {
  const port = await freePort();
  return tasks.map((task) => {
    const [name, path] = PLACES[Object.keys(PLACES).find((place) => task.name.startsWith(place))];
    const app = apps.find((one) => one.name === name);
    // The secret is the model's by name only.
    return { ...task, app, port, path, secret: app.secret, options: app.secret && ['--secret', app.secret[0]] };
  });
}

async function launcher(p) {
  // It takes seconds to be there.
  if (!p.has(/button "Text File"/)) await p.do(wait('Text File'));
  if (!p.has(/button "Text File"/)) await p.look();
}

async function write(p, kind, text, name) {
  await launcher(p);
  await p.do(click(p.see(new RegExp(`button "${kind}"`))));
  await p.do({ kind: 'type', text });
  await p.do(press('Control+s'));
  await p.look();
  await p.do(fill(p.see(/textbox "File name"/), name), click(p.see(/button "Rename and Save"/)));
}

async function deploy(p, node) {
  if (!p.has(/button "No, do not enable/)) await p.do(wait('information is collected'));
  if (!p.has(/button "No, do not enable/)) await p.look();
  await p.do(click(p.see(/button "No, do not enable/)));
  await p.do(wait('discover the new features'));
  await p.look();
  await p.do(click(p.see(/button .*red-ui-button-small|button "(Skip|Close)/, -1)));
  await p.do(drag(p.see(new RegExp(`generic "${node}"`)), undefined, { dx: 350, dy: 60 }));
  await p.do(click(p.see(/link "Deploy"/)), wait('Successfully deployed'));
}

async function menu(p, entry) {
  await p.login('app', 'admin');
  await p.look();
  await p.do(click(p.see(/link ".*Security"/)));
  if (!p.has(new RegExp(`link ".*${entry}"`))) await p.look();
  await p.do(click(p.see(new RegExp(`link ".*${entry}"`))));
  await p.look();
}

const holds = (file, text) => existsSync(file) && readFileSync(file, 'utf8').includes(text);
const row = (folder, query) => execFileSync('python3', ['-c', `import sqlite3; print(sqlite3.connect(${JSON.stringify(join(folder, 'app.db'))}).execute(${JSON.stringify(query)}).fetchone()[0])`]).toString().trim();
