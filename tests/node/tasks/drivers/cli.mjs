// szk in a terminal: a process for each call.
import { spawn } from 'node:child_process';
import { freePort } from './mcp.mjs';

const SESSION = 'tasks-cli';

export class Cli {
  static async start() {
    const driver = new Cli();
    driver.port = await freePort();
    const opened = await run(process.env.SZK, ['open', SESSION, '--detach', '--headless', '--raw-port', `${driver.port}`, '--viewport', '1280x800']);
    if (opened.code) throw new Error(opened.text);
    return driver;
  }

  async close() {
    await run(process.env.SZK, ['close', SESSION, '--force']);
  }

  async open(url) {
    await this.#call(['navigate', url, '--snapshot=interactive', '-s', SESSION]);
  }

  async do(steps) {
    const lines = steps.map(words);
    if (lines.length === 1) await this.#call(['act', ...lines[0], '-s', SESSION]);
    else await this.#call(['batch', ...lines.map((line) => line.map(quoted).join(' ')), '-s', SESSION]);
  }

  async look({ boxes, full, scope }) {
    await this.#call(['snapshot', ...(boxes ? ['--boxes'] : []), ...(full ? ['--mode', 'full'] : []), ...(scope ? ['--scope', scope] : []), '-s', SESSION]);
  }

  async find(text) {
    await this.#call(['find', text, '-s', SESSION]);
  }

  ref(line) {
    return line.match(/\[(e\d+)\]/)?.[1];
  }

  refs(text) {
    return new Set(text.match(/\be\d+\b/g));
  }

  async #call(args) {
    const start = performance.now();
    const { text } = await run(process.env.SZK, args);
    this.record(args.join(' '), text, performance.now() - start);
  }
}

const quoted = (word) => /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;

// A step as a line of the terminal; options stand before what may begin with a dash.
function words({ kind, target, to, text, key, values, path, count, dx, dy, button, modifiers, dialog }) {
  const at = target === undefined ? [] : typeof target === 'string' ? ['--ref', target]
    : target.name !== undefined ? ['--name', target.name, ...(target.role ? ['--role', target.role] : [])]
      : ['--x', `${target.x}`, '--y', `${target.y}`];
  const options = [
    ...(text !== undefined ? [`--text=${text}`] : []), ...(key ? ['--key', key] : []),
    ...(values ?? []).flatMap((value) => ['--values', value]), ...(path ? ['--paths', path] : []),
    ...(count > 1 ? ['--count', `${count}`] : []), ...(button ? ['--button', button] : []),
    ...(modifiers ?? []).flatMap((one) => ['--modifiers', one]),
    ...(dialog ? ['--dialog', dialog] : []),
    ...(dx !== undefined ? [`--dx=${dx}`] : []), ...(dy !== undefined ? [`--dy=${dy}`] : []),
    ...(to !== undefined ? ['--to', typeof to === 'object' ? `${to.x},${to.y}` : to] : []),
  ];
  return [kind, ...at, ...options];
}

/** What a program printed, and its exit code. */
export function run(command, args, { stdin = '', env = process.env } = {}) {
  return new Promise((done, failed) => {
    const child = spawn(command, args, { env });
    let text = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (part) => { text += part; });
    child.on('error', failed);
    child.on('close', (code) => done({ code, text }));
    child.stdin.on('error', () => {});
    child.stdin.end(stdin);
  });
}
