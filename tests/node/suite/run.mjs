// Runs Playwright's own tests (`tests/page` of its repository) on szk, those that fail also on a bare Chromium, and
// prints what differs.
//
//   node run.mjs REPOSITORY OUT SZK [--contexts own|profile|open] [--workers N] [FILE…]
//
// Exits with 1 when a difference is not listed in differences.txt, or a listed one is gone.
import { spawn, execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { compare, listed, results } from './compare.mjs';
import { place } from './place.mjs';

const here = dirname(fileURLToPath(import.meta.url));

/**
 * The ways to run them: in which context, with which switches of `szk endpoint`, and with which settings. `open` has
 * everything off that keeps pages from noticing a program.
 */
const WAYS = {
  own: { context: 'own', switches: [], settings: '' },
  profile: { context: 'profile', switches: [], settings: '' },
  open: { context: 'profile', switches: ['--no-shield'], settings: '[endpoint]\nidentity = "client"\n' },
};
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    contexts: { type: 'string', multiple: true, default: Object.keys(WAYS) },
    workers: { type: 'string', default: '2' },
  },
});
const [repository, out, szk, ...files] = positionals;
if (!szk) throw new Error('usage: run.mjs REPOSITORY OUT SZK [FILE…]');
const folder = resolve(out, 'place');
mkdirSync(resolve(out), { recursive: true });
place(resolve(repository), folder);

/** A bare Chromium, by its address; `end` ends it. */
async function bare() {
  const child = spawn('node', [join(here, '../matrix/control.mjs')], { stdio: ['pipe', 'pipe', 'inherit'] });
  const line = await new Promise((done, fail) => {
    child.stdout.once('data', done);
    child.once('exit', () => fail(new Error('the bare Chromium did not start')));
  });
  return { endpoint: JSON.parse(line).http_url, end: () => new Promise((done) => { child.once('exit', done); child.stdin.end(); }) };
}

/** A profile of szk in a store of its own. */
async function ours({ switches, settings }) {
  const store = resolve(out, 'store');
  rmSync(store, { recursive: true, force: true });
  const config = resolve(out, 'szk.config.toml');
  writeFileSync(config, settings);
  const env = { ...process.env, SZK_STORE: store, SZK_CONFIG: config };
  const run = (...args) => JSON.parse(execFileSync(szk, args, { env, encoding: 'utf8' }));
  run('open', 'suite', '--detach', '--json');
  const { http_url: endpoint } = run('endpoint', 'suite', ...switches, '--json');
  return { endpoint, end: () => run('close', 'suite', '--json') };
}

/** The first of the ports that test servers take: below those that the system gives out by itself. */
const port = 10_000 + (process.pid % 200) * 100;

/** Runs tests, by one program at a time; which of them passed. */
async function attempt(name, start, contexts, chosen, workers) {
  const browser = await start(WAYS[contexts]);
  const report = resolve(out, `${name}-${contexts}.json`);
  const env = { ...process.env, SUITE_ENDPOINT: browser.endpoint, SUITE_CONTEXT: WAYS[contexts].context, SUITE_PORT: String(port), SUITE_REPORT: report, SUITE_WORKERS: workers, SUITE_RESULTS: resolve(out, 'results'), PWTEST_UNDER_TEST: '1' };
  const cli = join(folder, 'node_modules/@playwright/test/cli.js');
  rmSync(report, { force: true });
  process.stderr.write(`\n==> ${name}, ${contexts}\n`);
  await new Promise((done) => {
    // It fails when a test does; the report has all there is to know.
    spawn('node', [cli, 'test', ...chosen], { cwd: folder, env, stdio: ['ignore', 'inherit', 'inherit'] }).once('exit', done);
  });
  await browser.end();
  return results(JSON.parse(readFileSync(report, 'utf8')));
}

let wrong = 0;
for (const contexts of values.contexts) {
  // Two programs in one context take each other's new pages for their own.
  const most = WAYS[contexts].context === 'profile' ? '1' : values.workers;
  const through = await attempt('szk', ours, contexts, files, most);
  // A bare Chromium is asked about what fails here, and then both again, one after the other: a busy machine is no
  // difference.
  const direct = new Map();
  for (const round of ['first', 'alone']) {
    const failed = [...through].filter(([title, it]) => !it.passed && direct.get(title)?.passed !== false);
    if (failed.length === 0) break;
    const places = failed.map(([, it]) => it.place);
    const workers = round === 'alone' ? '1' : most;
    for (const [title, it] of await attempt(`bare-${round}`, bare, contexts, places, workers)) direct.set(title, it);
    if (round === 'first') continue;
    for (const [title, it] of await attempt(`szk-${round}`, ours, contexts, places, workers)) through.set(title, it);
  }
  wrong += compare(contexts, direct, through, listed(join(here, 'differences.txt'), contexts));
}
process.exit(wrong ? 1 : 0);
