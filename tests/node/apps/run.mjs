// Flows in real applications, recorded once by szk and replayed; see scripts/apps.
//
//   node run.mjs [NAME…]
//
// Each replay meets the application started anew in an empty folder: after the session was closed and opened
// again, in a clone of the profile, and by the recipe's export to Playwright. Fails if one of them does not come
// to the same end, which is looked up on the application's own disk.
import { execFile, execFileSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { connect, freePort } from '../tasks/drivers/mcp.mjs';
import { apps as all } from './apps.mjs';
import { running, until } from './running.mjs';

const { SZK, PYTHON } = process.env;
const apps = all.filter(({ name }) => process.argv.length < 3 || process.argv.slice(2).some((part) => name.includes(part)));
const session = 'apps';
const szk = await connect(SZK, ['mcp', '--tools', 'all']);

async function call(tool, input) {
  const answer = await szk.call(tool, { session, ...input });
  if (answer.failed) throw new Error(`${tool}: ${answer.text}`);
  return answer.data;
}

/** Runs `work` while the application runs, and looks whether it came to its end. */
function within(app, port, work) {
  return running(app, port, async (folder) => {
    const began = Date.now();
    const said = await work();
    const took = Date.now() - began;
    await until(`${app.name} has it on its disk`, () => app.done(folder), 5);
    return { took, said };
  });
}

const open = (name, more = {}) => szk.call('session_open', { session: name, headless: 'true', viewport: '1280x900', ...more });
const table = [];
for (const app of apps) {
  const port = await freePort();
  const origin = `http://127.0.0.1:${port}`;
  const row = { app: app.name, calls: app.steps.length };
  table.push(row);
  if (app.secret) {
    execFileSync(SZK, ['secret', 'set', app.secret[0]], { input: app.secret[1], stdio: ['pipe', 'ignore', 'inherit'] });
  }
  try {
    await open(session);
    const recorded = await within(app, port, async () => {
      await call('recipe_record', { action: 'start', name: 'flow' });
      for (const [tool, input] of app.steps) await call(tool, input.url ? { ...input, url: origin + input.url } : input);
      return call('recipe_record', { action: 'stop' });
    });
    row.recorded = recorded.took;
    if (process.env.APPS_SHOW) console.log(recorded.said.text);
    const names = [...recorded.said.text.matchAll(/^\[params\.(.+)\]$/gm)].map(([, name]) => name);
    const params = Object.fromEntries(names.map((name) => [name, app.params[name]]));
    const run = async (name) => {
      const ran = await szk.call('recipe_run', { session: name, name: 'flow', params });
      if (ran.failed) throw new Error(ran.text);
    };
    await call('session_close', { force: true });
    await open(session);
    await attempt(row, 'restart', () => within(app, port, () => run(session)));
    await attempt(row, 'clone', async () => {
      const { session: clone } = (await open(session, { clone: true })).data;
      try {
        return await within(app, port, () => run(clone));
      } finally {
        await szk.call('session_close', { session: clone, force: true });
      }
    });
    await attempt(row, 'export', async () => {
      const { text } = await call('recipe_export', { name: 'flow', format: 'python' });
      const file = join(process.env.SZK_STORE, `${app.name}.py`);
      await writeFile(file, text);
      const values = Object.fromEntries(Object.entries({ ...params, ...app.plain }).map(([name, value]) => [`TEST_${name.toUpperCase().replace(/[^A-Z0-9]/g, '_')}`, value]));
      // Where two of its pages are open at once, an application may give the second other addresses.
      await call('browser_navigate', { url: 'about:blank' });
      return within(app, port, () => promisify(execFile)(SZK, ['run', session, '--', PYTHON, file], { env: { ...process.env, ...values }, timeout: 120_000 }));
    });
  } catch (error) {
    row.failed = error.message;
  }
  await szk.call('session_close', { session, force: true });
  await szk.call('session_delete', { session });
}

/** One way of replaying: its time, or why it failed. */
async function attempt(row, way, work) {
  try {
    row[way] = (await work()).took;
  } catch (error) {
    row[way] = 'failed';
    // What went wrong is in the last lines of a program's.
    console.log(`${row.app}, ${way}: ${error.message.slice(-600)}`);
  }
}

const ms = (value) => (typeof value === 'number' ? `${(value / 1000).toFixed(1)} s` : value ?? '-').padEnd(11);
console.log(`\n${'application'.padEnd(18)}calls  recorded   restart    clone      export`);
for (const row of table) {
  console.log(`${row.app.padEnd(18)}${String(row.calls).padEnd(7)}${ms(row.recorded)}${ms(row.restart)}${ms(row.clone)}${ms(row.export)}${row.failed ?? ''}`);
}
await szk.close();
process.exit(table.every((row) => ['restart', 'clone', 'export'].every((way) => typeof row[way] === 'number')) ? 0 : 1);
