// Runs a caller's code or file with Playwright on the session, and writes what comes of it to a file.
// The endpoint is in the environment, everything else in the job.
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import vm from 'node:vm';

const job = JSON.parse(readFileSync(process.argv[2], 'utf8'));
// It may hold secrets.
rmSync(process.argv[2]);
const file = job.path ?? join(job.dir, 'code.js');

function answer(result) {
  writeFileSync(`${job.result}.new`, JSON.stringify(result));
  // All of it or nothing.
  renameSync(`${job.result}.new`, job.result);
  process.exit(0);
}

function fail(error) {
  const thrown = error instanceof Error;
  const message = thrown ? `${error.name}: ${error.message}` : `thrown: ${JSON.stringify(error) ?? String(error)}`;
  const stack = thrown ? String(error.stack) : '';
  const at = [pathToFileURL(file).href, file].map((name) => stack.indexOf(`${name}:`)).find((at) => at >= 0);
  const line = at === undefined ? undefined : Number(/:(\d+)/.exec(stack.slice(at).replace(/^file:/, ''))?.[1]);
  answer({ error: message.slice(0, 4000), line: line || undefined, syntax: thrown && error.name === 'SyntaxError' });
}

// What the runner itself uses of Node is not the caller's business.
process.removeAllListeners('warning');
process.on('warning', (warning) => warning.name === 'ExperimentalWarning' || console.error(String(warning)));
process.on('uncaughtException', fail);
process.on('unhandledRejection', fail);

// The project's Playwright, else one that is installed for all.
function playwright() {
  const folders = [dirname(file), job.dir, join(dirname(process.execPath), '..', 'lib')];
  for (const folder of folders) {
    const require = createRequire(join(folder, 'noop.js'));
    for (const name of ['playwright-core', 'playwright', '@playwright/test']) {
      try {
        return require(name);
      } catch (error) {
        if (error.code !== 'MODULE_NOT_FOUND') throw error;
      }
    }
  }
  return answer({ missing: 'playwright' });
}

async function pageOf(context, target) {
  for (const page of context.pages()) {
    const session = await context.newCDPSession(page);
    const { targetInfo } = await session.send('Target.getTargetInfo');
    await session.detach();
    if (targetInfo.targetId === target) return page;
  }
  throw new Error(`Playwright does not see the tab ${job.tab}`);
}

// `async ({ page, args }) => …` asks for one object, `async (page, args) => …` for each by itself.
function call(run, given) {
  const source = Function.prototype.toString.call(run);
  const first = /^(?:async\b)?\s*(?:function\b\s*\*?\s*[\w$]*|[\w$]+)?\s*\(\s*(.)/s.exec(source)?.[1];
  return first === '{' ? run(given) : run(given.page, given.args, given);
}

// First as an expression or function; if that is not JavaScript, nothing ran, and it is tried as statements.
function compile(code) {
  const names = ['page', 'context', 'browser', 'args', 'require'];
  const options = {
    filename: file,
    lineOffset: -1,
    importModuleDynamically: vm.constants?.USE_MAIN_CONTEXT_DEFAULT_LOADER,
  };
  try {
    return vm.compileFunction(`return (async () => { return (\n${code.trimEnd().replace(/;+$/, '')}\n); })();`, names, options);
  } catch (error) {
    if (error.name !== 'SyntaxError') throw error;
    return vm.compileFunction(`return (async () => {\n${code}\n})();`, names, options);
  }
}

async function fromCode(given) {
  const run = compile(job.code);
  const value = await run(given.page, given.context, given.browser, given.args, createRequire(file));
  return typeof value === 'function' ? call(value, given) : value;
}

async function fromFile(given) {
  const exported = await import(pathToFileURL(file).href);
  const name = job.export ?? 'default';
  const all = { ...exported.default, ...exported };
  const run = all[name];
  if (typeof run === 'function') return call(run, given);
  const functions = Object.keys(all).filter((key) => typeof all[key] === 'function');
  // A script without functions has done what it does.
  if (job.export === null && functions.length === 0) return undefined;
  return answer({ no_export: name, functions });
}

const seen = (value) => (value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value);

function plain(value) {
  if (value === undefined || typeof value === 'function') return null;
  if (typeof value === 'bigint') return `${value}n`;
  if (typeof value === 'number' && (!Number.isFinite(value) || Object.is(value, -0))) {
    return Object.is(value, -0) ? '-0' : String(value);
  }
  if (typeof value === 'symbol') throw new TypeError('a symbol cannot be given back');
  const text = JSON.stringify(value, function (key, shown) {
    const raw = this[key];
    if (raw instanceof Uint8Array) return Buffer.from(raw).toString('base64');
    if (raw instanceof Map || raw instanceof Set) return [...raw];
    if (raw instanceof Error) return { name: raw.name, message: raw.message };
    if (raw && typeof raw === 'object' && typeof raw._guid === 'string') {
      throw new TypeError(`a ${raw.constructor.name.replace(/^_/, '')} of Playwright cannot be given back`);
    }
    return shown;
  });
  return JSON.parse(text);
}

const { chromium } = playwright();
const browser = await chromium.connectOverCDP(process.env.SZK_CDP_ENDPOINT);
const context = browser.contexts()[0];
const page = await pageOf(context, job.target);
const given = { page, context, browser, args: job.args };
const value = await (job.path ? fromFile(given) : fromCode(given));
let result;
try {
  result = { value: plain(value), kind: seen(value) };
} catch (error) {
  result = { not_plain: error.message };
}
await browser.close();
answer(result);
