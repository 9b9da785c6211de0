// agent-browser, a process for each call. Its batch takes any number of commands, so its player always reads
// the page at the end of a call.
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { launch } from './browser.mjs';
import { run } from './cli.mjs';

const program = join(dirname(createRequire(import.meta.url).resolve('agent-browser/package.json')), 'bin/agent-browser.js');

export class AgentBrowser {
  static async start() {
    const driver = new AgentBrowser();
    driver.browser = await launch();
    driver.port = driver.browser.port;
    driver.session = `tasks-${process.pid}`;
    await driver.#run(['connect', `${driver.port}`]);
    return driver;
  }

  async close() {
    await this.#run(['close']);
    await this.browser.close();
  }

  async open(url) {
    await this.#batch([['open', url], ['snapshot', '-i']]);
  }

  async do(steps) {
    await this.#batch([...steps.flatMap(commands), ['snapshot', '-i']]);
  }

  async look({ full }) {
    await this.#batch([full ? ['snapshot'] : ['snapshot', '-i']]);
  }

  async find() {
    await this.#batch([['snapshot']]);
  }

  ref(line) {
    return line.match(/\bref=(e\d+)\b/)?.[1];
  }

  refs(text) {
    return new Set([...text.matchAll(/\bref=(e\d+)\b/g)].map((match) => match[1]));
  }

  #run(args, stdin) {
    return run(process.execPath, [program, ...args, '--session', this.session], { stdin });
  }

  async #batch(list) {
    const start = performance.now();
    const { text } = await this.#run(['batch'], JSON.stringify(list));
    this.record(JSON.stringify(list), text, performance.now() - start);
  }
}

function commands({ kind, target, to, text, key, values, path, count, dx, dy, button }) {
  const at = typeof target === 'string' ? `@${target}` : target;
  if (target?.name !== undefined && kind !== 'click' && kind !== 'hover' && kind !== 'fill') throw new Error(`no command finds what to ${kind} by name`);
  if (target?.name !== undefined) {
    const by = kind === 'fill' ? ['label', target.name] : target.role ? ['role', target.role] : ['text', target.name];
    return [['find', ...by, kind, ...(kind === 'fill' ? [text] : []), ...(by[0] === 'role' ? ['--name', target.name] : []), '--exact']];
  }
  if (target?.x !== undefined) {
    const there = ['mouse', 'move', `${target.x}`, `${target.y}`];
    if (kind === 'drag') return [there, ['mouse', 'down'], ['mouse', 'move', `${to.x}`, `${to.y}`, '--steps', '8'], ['mouse', 'up']];
    return [there, ...(kind === 'click' ? Array(count ?? 1).fill([['mouse', 'down', button ?? 'left'], ['mouse', 'up', button ?? 'left']]).flat() : [])];
  }
  switch (kind) {
    case 'click':
      if (button) throw new Error('no command clicks an element with another button');
      return count === 2 ? [['dblclick', at]] : Array(count ?? 1).fill(['click', at]);
    case 'fill': case 'type':
      return at ? [[kind, at, text]] : [['keyboard', 'type', text]];
    case 'press':
      return [...(at ? [['focus', at]] : []), ...Array(count ?? 1).fill(['press', key])];
    case 'drag':
      return [['drag', at, `@${to}`]];
    case 'select':
      return [['select', at, ...values]];
    case 'hover': case 'check': case 'uncheck':
      return [[kind, at]];
    case 'wait':
      return [['wait', '--text', text]];
    case 'scroll':
      if (dx) throw new Error('not ported');
      return [['scroll', 'down', `${dy ?? 0}`, ...(at ? ['--selector', at] : [])]];
    case 'upload':
      return [['upload', at, path]];
    default:
      throw new Error(`no command does ${kind}`);
  }
}
