// Flows, recorded once by szk and once by Playwright's recorder, on pages that change under them; see
// scripts/mutations.
//
//   node run.mjs [--seed N] [--show] [NAME…]
//
// Fails if anything wrong was acted on, if a change of meaning was not noticed, or if fewer than 98 % of the
// changes of layout replay.
import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join, normalize } from 'node:path';
import { parseArgs } from 'node:util';
import { chromium } from 'playwright';
import { connect } from '../tasks/drivers/mcp.mjs';
import { buildLibraries } from '../tasks/libraries.mjs';
import { flows as allFlows } from './flows.mjs';
import { around, mutators, page } from './mutators.mjs';

const { values, positionals } = parseArgs({ allowPositionals: true, options: { seed: { type: 'string' }, show: { type: 'boolean', default: false } } });
const seed = Number(values.seed ?? Date.now() % 1_000_000);
const flows = allFlows.filter(({ name }) => !positionals.length || positionals.some((part) => name.includes(part)));
const libraries = await buildLibraries(process.env.TASKS_LIBRARIES, ['plain-react', 'svelte-notes', 'svelte-steps']);
console.log(`seed ${seed}: ${flows.length} flows, ${mutators.length} mutators`);

// One page at a time: what it shows is what was asked for last.
let shown = { flow: flows[0], mutator: null, seed };
const server = createServer(async (request, response) => {
  const { pathname } = new URL(request.url, 'http://a/');
  if (pathname.startsWith('/lib/')) {
    const body = await readFile(join(libraries, normalize(pathname.slice(5)))).catch(() => null);
    response.writeHead(body ? 200 : 404, { 'content-type': 'text/javascript' });
    return response.end(body);
  }
  const { flow, mutator, seed: given } = shown;
  const pages = flow.frame
    ? { '/': around(flow), '/inner': page(flow, mutator, given) }
    : { '/': page(flow, mutator, given) };
  response.writeHead(pages[pathname] ? 200 : 204, { 'content-type': 'text/html', 'cache-control': 'no-store' });
  return response.end(pages[pathname] ?? '');
});
await new Promise((done) => server.listen(0, '127.0.0.1', done));
const url = `http://127.0.0.1:${server.address().port}/`;
const upload = join(await mkdtemp(join(tmpdir(), 'szk-mutations-')), 'file.txt');
await writeFile(upload, 'hello');

const szk = await connect(process.env.SZK, ['mcp', '--tools', 'all']);
const session = 'mutations';
const call = async (name, input) => {
  const answer = await szk.call(name, { session, ...input });
  if (answer.failed) throw new Error(`${name}: ${answer.text}`);
  return answer;
};
await call('session_open', { viewport: '1280x900', headless: 'true' });
const { data: endpoint } = await call('session_endpoint', {});
const browser = await chromium.connectOverCDP(endpoint.http_url);
const other = await browser.contexts()[0].newPage();

const ended = async (look) => {
  // The page says it every 30 ms.
  await new Promise((done) => setTimeout(done, 120));
  return look();
};
const title = async () => (await call('browser_run_code', { code: 'document.title' })).data.value;

/** Does a flow once, and returns how to do it again: by szk, and by Playwright. */
async function record(flow, name) {
  shown = { flow, mutator: null, seed };
  await call('browser_navigate', { url });
  for (const step of flow.steps) {
    const given = JSON.parse(JSON.stringify(step).replace('UPLOAD', upload));
    await call('browser_act', given);
  }
  const now = await ended(title);
  if (now !== 'right') throw new Error(`${flow.name}: the flow itself ends as ${now}`);
  const { data: saved } = await call('recipe_save', { name });
  const typed = flow.steps.filter(({ text, paths }) => text || paths).map(({ text, paths }) => text ?? paths[0].replace('UPLOAD', upload));
  const names = [...saved.text.matchAll(/value = "\{\{(.+?)\}\}"/g)].map(([, param]) => param);
  const params = Object.fromEntries(names.map((param, n) => [param, typed[n]]));

  // What the recorder would write, for each element as it is when it is worked.
  await other.goto(url);
  const lines = [];
  for (const step of flow.steps) {
    const css = step.selector.split(' >> ').at(-1);
    const own = flow.frame ? other.locator('iframe').contentFrame().locator(css) : other.locator(step.selector.replace(' >> ', ' '));
    const written = { step, by: String(await own.normalize()), to: step.to && String(await other.locator(step.to).normalize()) };
    lines.push(written);
    await work(written);
  }
  return { text: saved.text, params, lines };
}

async function work({ step, by, to }) {
  const locate = (text) => new Function('page', `return page.${text}`)(other);
  const element = locate(by);
  const how = { timeout: 1500 };
  switch (step.kind) {
    case 'fill': return element.fill(step.text, how);
    case 'select': return element.selectOption(step.values, how);
    case 'press': return element.press(step.key, how);
    case 'check': return element.check(how);
    case 'upload': return element.setInputFiles(upload, how);
    case 'drag': return element.dragTo(locate(to), how);
    default: return element.click(how);
  }
}

const table = [];
for (const [at, flow] of flows.entries()) {
  const name = `flow-${at}`;
  const known = await record(flow, name);
  for (const [nth, mutator] of mutators.entries()) {
    shown = { flow, mutator, seed: seed + 97 * at + nth };
    const ran = await szk.call('recipe_run', { session, name, params: known.params });
    const ours = await ended(title);
    // Each mutation meets the recipe as it was recorded.
    await call('recipe_save', { name, text: known.text });
    await other.goto(url);
    for (const line of known.lines) {
      if (!await work(line).then(() => true, () => false)) break;
    }
    const theirs = await ended(() => other.title());
    table.push({ flow, mutator, ours, theirs });
    const expected = mutator.replays ? 'right' : 'untouched';
    if (ours !== expected || values.show) console.log(`${flow.name}, ${mutator.name}: ${ours}, Playwright ${theirs}${ours !== expected ? `\n  ${ran.text.slice(0, 400)}` : ''}`);
  }
  await call('recipe_delete', { name });
}

const share = (rows, tool, wanted) => {
  const fits = rows.filter((row) => row[tool] === wanted).length;
  return `${fits} of ${rows.length}`;
};
console.log('\nmutator                              szk           Playwright    acted on another element: szk, Playwright');
for (const mutator of mutators) {
  const rows = table.filter((row) => row.mutator === mutator);
  const wanted = mutator.replays ? 'right' : 'untouched';
  const wrong = (tool) => rows.filter((row) => row[tool] === 'wrong').length;
  console.log(`${(mutator.replays ? 'replays: ' : 'stops: ') + mutator.name}`.padEnd(49).slice(0, 49), share(rows, 'ours', wanted).padEnd(13), share(rows, 'theirs', wanted).padEnd(13), wrong('ours'), wrong('theirs'));
}
const [layouts, meanings] = [true, false].map((replays) => table.filter(({ mutator }) => mutator.replays === replays));
const wrong = (tool) => table.filter((row) => row[tool] === 'wrong').length;
console.log(`\nlayout replayed:  szk ${share(layouts, 'ours', 'right')}, Playwright ${share(layouts, 'theirs', 'right')}`);
console.log(`meaning stopped:  szk ${share(meanings, 'ours', 'untouched')}, Playwright ${share(meanings, 'theirs', 'untouched')}`);
console.log(`wrong element acted on: szk ${wrong('ours')}, Playwright ${wrong('theirs')}`);
const replayed = layouts.filter(({ ours }) => ours === 'right').length;
const good = wrong('ours') === 0 && meanings.every(({ ours }) => ours === 'untouched') && replayed >= 0.98 * layouts.length;
await browser.close();
await szk.call('session_close', { session, force: true });
await szk.close();
server.close();
server.closeAllConnections();
process.exit(good ? 0 : 1);
