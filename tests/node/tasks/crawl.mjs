// Everything that is shown can be worked, and everything that can be worked is shown: on the page of every task,
// as it comes, and after a click on some of its controls. See scripts/tasks.
//
//   node crawl.mjs [--clicks N] [NAME…]
//
// Fails on what is not in `known.txt`.
import { readFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { Szk } from './drivers/mcp.mjs';
import { inspect } from './inspect.mjs';
import { buildLibraries } from './libraries.mjs';
import { serve } from './site.mjs';
import { tasks } from './tasks/index.mjs';

const { values, positionals } = parseArgs({ allowPositionals: true, options: { clicks: { type: 'string', default: '3' } } });
const chosen = tasks.filter(({ name }) => !positionals.length || positionals.some((part) => name.includes(part)));
const known = (await readFile(new URL('known.txt', import.meta.url), 'utf8')).split('\n').filter((line) => line && !line.startsWith('#'));
const site = await serve(chosen, await buildLibraries(process.env.TASKS_LIBRARIES));
const driver = await Szk.start();
const call = (name, input) => driver.server.call(name, input);
const sum = { pages: 0, lines: 0, elements: 0, findings: 0, known: 0 };
const used = new Set();
try {
  for (const { name } of chosen) await crawl(name).catch((error) => report(name, `cannot be crawled: ${error.message}`));
} finally {
  await driver.close();
  await site.close();
}
for (const line of known) if (!positionals.length && !used.has(line)) console.log(`known.txt: no longer found: ${line}`);
console.log(`${sum.pages} states of ${chosen.length} pages: ${sum.lines} lines, ${sum.elements} elements, ${sum.findings} findings, ${sum.known} known`);
process.exitCode = sum.findings ? 1 : 0;

async function crawl(name) {
  const url = `${site.url}/t/${name}`;
  const first = await fresh(url);
  await check(name, '', url, first);
  const controls = first.filter(({ line }) => !/disabled/.test(line)).slice(0, +values.clicks);
  for (const { line } of controls) {
    const again = (await fresh(url)).find((one) => one.line === line);
    if (!again) continue;
    const clicked = await call('browser_act', { kind: 'click', ref: again.ref, timeout_ms: 10_000, dialog: 'dismiss' });
    // What cannot be clicked was reported as it came.
    if (clicked.failed || !/^[+~] /m.test(clicked.text)) continue;
    await check(name, ` after a click on ${line}`, url, await lines());
  }
}

/** The page anew, once it has come to rest. */
async function fresh(url) {
  await call('browser_navigate', { url: 'about:blank' });
  await call('browser_navigate', { url, wait: 'networkidle' });
  await call('browser_snapshot', {});
  return lines();
}

/** Lines that carry a ref of something that can be worked, with their boxes. */
async function lines() {
  const all = [];
  let input = { boxes: true };
  do {
    const { data, text, failed } = await call('browser_snapshot', input);
    if (failed) throw new Error(text);
    all.push(...data.snapshot.split('\n'));
    input = { cursor: data.cursor };
  } while (input.cursor);
  const found = all.flatMap((text) => {
    const [, role, ref] = text.match(/^\s*- (\w+).*?\[(e\d+)\]/) ?? [];
    const box = text.match(/\[box=(-?\d+),(-?\d+),(\d+),(\d+)\]/)?.slice(1).map(Number);
    const line = text.trim().replace(/ \[(e\d+|box=[^\]]*)\]/g, '').slice(2, 82);
    return ref && box ? [{ role, ref, box, line }] : [];
  });
  return found;
}

async function check(name, state, url, shown) {
  sum.pages++;
  const works = shown.filter(({ role }) => role !== 'iframe');
  sum.lines += works.length;
  const page = await inspect(driver.port, url);
  try {
    const places = [];
    for (const one of works) places.push(await page.lands(one.box));
    const points = shown.map(({ box: [x, y, width, height] }) => [x + width / 2, y + height / 2]);
    const elements = await page.workable(points);
    sum.elements += elements.length;
    for (const { words, text, box, why } of elements.filter((one) => !one.shown)) {
      report(name, `not shown${state}: <${words}> ${JSON.stringify(text)} (${why}) at ${box}`);
    }
    for (const [n, one] of works.entries()) {
      if (places[n] === 'it') continue;
      // It may be hit elsewhere than in its middle, or has to be scrolled to: szk is to find that out.
      let { failed, text } = await call('browser_act', { kind: 'hover', ref: one.ref, timeout_ms: 10_000 });
      // What only the keyboard reaches can be switched all the same.
      if (failed && /^(radio|checkbox)$/.test(one.role)) ({ failed } = await call('browser_act', { kind: 'check', ref: one.ref, timeout_ms: 10_000 }));
      if (failed) report(name, `not workable${state}: ${one.line}: ${text.split('\n')[0]}`);
    }
  } finally {
    page.close();
  }
}

function report(name, what) {
  const told = `${name}: ${what.replace(/ at [-\d,]+$/, '')}`;
  const line = known.find((one) => told.startsWith(one));
  if (line) {
    sum.known++;
    used.add(line);
    return;
  }
  sum.findings++;
  console.log(`${name}: ${what}`);
}
