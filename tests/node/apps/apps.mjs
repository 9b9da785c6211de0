// Applications as their makers publish them, and one flow in each, as an agent does it. `tools` is the folder
// that scripts/apps has installed them in.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const click = (selector) => ['browser_act', { kind: 'click', selector }];
const fill = (selector, text) => ['browser_act', { kind: 'fill', selector, text }];
const press = (key) => ['browser_act', { kind: 'press', key }];
const shows = (text) => ['browser_act', { kind: 'wait', text }];
const go = (path) => ['browser_navigate', { url: path }];

export const apps = [
  {
    name: 'JupyterLab',
    start: (tools, folder, port) => [join(tools, 'python/bin/jupyter-lab'), [
      '--allow-root', '--no-browser', `--ServerApp.port=${port}`, '--ServerApp.port_retries=0', `--ServerApp.root_dir=${folder}`,
      '--IdentityProvider.token=', '--ServerApp.password=', '--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate', '--LabApp.news_url=None',
    ]],
    ready: '/lab',
    params: { value: 'milk and bread' },
    steps: [
      go('/lab'),
      shows('Text File'),
      click('.jp-LauncherCard[title="Create a new text file"]'),
      fill('.jp-FileEditor .cm-content', 'milk and bread'),
      press('Control+s'),
      click('.jp-Dialog button.jp-mod-accept'),
    ],
    done: (folder) => existsSync(join(folder, 'untitled.txt')) && readFileSync(join(folder, 'untitled.txt'), 'utf8').includes('milk and bread'),
  },
  {
    name: 'Node-RED',
    start: (tools, folder, port) => [process.execPath, [join(tools, 'node/node_modules/node-red/red.js'), '-u', folder, '-p', String(port)]],
    ready: '/',
    params: {},
    steps: [
      go('/'),
      shows('information is collected'),
      click('.red-ui-dialog-toolbar button:nth-child(2)'),
      shows('discover the new features'),
      click('.red-ui-tourGuide-popover button.red-ui-button-small'),
      ['browser_act', { kind: 'drag', selector: '.red-ui-palette-node[data-palette-type=inject]', to: '#red-ui-workspace-chart' }],
      click('#red-ui-header-button-deploy'),
      shows('Successfully deployed'),
    ],
    done: (folder) => existsSync(join(folder, 'flows.json')) && readFileSync(join(folder, 'flows.json'), 'utf8').includes('"inject"'),
  },
  {
    name: 'Flask-AppBuilder',
    start: (tools, folder, port) => [join(tools, 'python/bin/python'), [join(import.meta.dirname, 'builder.py'), folder, String(port)]],
    ready: '/login/',
    params: { username: 'admin', password: 'app', name: 'Auditor' },
    // Its recipe has the name of a secret, the export its value.
    secret: ['app', 'correct horse'],
    plain: { password: 'correct horse' },
    steps: [
      go('/login/'),
      fill('#username', 'admin'),
      fill('#password', 'correct horse'),
      click('input[type=submit]'),
      go('/roles/add'),
      fill('#name', 'Auditor'),
      click('button[type=submit]'),
      shows('Added Row'),
    ],
    done: (folder) => execFileSync('python3', ['-c', `import sqlite3; print(sqlite3.connect(${JSON.stringify(join(folder, 'app.db'))}).execute("select count(*) from ab_role where name = 'Auditor'").fetchone()[0])`]).toString().trim() === '1',
  },
];
