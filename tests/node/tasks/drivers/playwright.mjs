// @playwright/mcp. Every call answers with the page, so its player never asks for it; fields that follow each
// other are one call. It may answer with the name of a file that holds the page: reading it counts as
// characters, and not as a call.
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { launch } from './browser.mjs';
import { connect } from './mcp.mjs';

const cli = join(dirname(createRequire(import.meta.url).resolve('@playwright/mcp/package.json')), 'cli.js');

export class Playwright {
  static async start() {
    const driver = new Playwright();
    driver.browser = await launch();
    driver.port = driver.browser.port;
    driver.folder = await mkdtemp(join(tmpdir(), 'tasks-'));
    driver.server = await connect(process.execPath, [cli, '--cdp-endpoint', `http://127.0.0.1:${driver.port}`], driver.folder);
    return driver;
  }

  async close() {
    await this.server.close();
    await this.browser.close();
    await rm(this.folder, { recursive: true, force: true });
  }

  async open(url) {
    await this.#call('browser_navigate', { url });
  }

  async do(steps) {
    const isField = ({ kind, target }) => (kind === 'fill' || kind === 'check') && target;
    for (let at = 0; at < steps.length;) {
      let end = at;
      while (end < steps.length && isField(steps[end])) end++;
      if (end - at > 1) {
        const fields = steps.slice(at, end).map(({ kind, target, text }) => ({
          target: this.#target(target), element: 'field', name: 'field', type: kind === 'check' ? 'checkbox' : 'textbox', value: text ?? 'true',
        }));
        await this.#call('browser_fill_form', { fields });
        at = end;
      } else await this.#step(steps[at++]);
    }
  }

  async look({ boxes }) {
    await this.#call('browser_snapshot', boxes ? { boxes } : {});
  }

  async find(text) {
    await this.#call('browser_find', { text });
  }

  ref(line) {
    return line.match(/\[ref=(\w+)\]/)?.[1];
  }

  refs(text) {
    return new Set([...text.matchAll(/\[ref=(\w+)\]/g)].map((match) => match[1]));
  }

  // What was shown under a name has a ref in the newest answer.
  #target(target) {
    if (typeof target === 'string') return target;
    if (target.name === undefined) throw new Error('no tool of it takes a point');
    const lines = this.last.split('\n').filter((line) => this.ref(line) && line.includes(target.name) && (!target.role || line.includes(`- ${target.role}`)));
    const exact = lines.find((line) => line.includes(`"${target.name}"`) || line.endsWith(`: ${target.name}`));
    if (!lines.length) throw new Error(`the newest answer does not show ${JSON.stringify(target.name)}`);
    return this.ref(exact ?? lines[0]);
  }

  async #step({ kind, target, to, text, key, values, path, count, button, modifiers, dy }) {
    const at = target === undefined ? {} : { target: this.#target(target), element: 'element' };
    switch (kind) {
      case 'click':
        return this.#call('browser_click', { ...at, ...(count > 1 && { doubleClick: true }), ...(button && { button }), ...(modifiers && { modifiers }) });
      case 'fill':
        return this.#call('browser_type', { ...at, text });
      case 'type':
        return this.#call('browser_type', { ...at, text, slowly: true });
      case 'press':
        if (target) await this.#call('browser_click', at);
        for (let n = 0; n < (count ?? 1); n++) await this.#call('browser_press_key', { key });
        return undefined;
      case 'hover':
        return this.#call('browser_hover', at);
      case 'drag':
        return this.#call('browser_drag', { startTarget: at.target, startElement: 'from', endTarget: this.#target(to), endElement: 'to' });
      case 'select':
        return this.#call('browser_select_option', { ...at, values });
      case 'check': case 'uncheck':
        return this.#call('browser_click', at);
      case 'wait':
        return this.#call('browser_wait_for', { text });
      case 'scroll':
        return this.#call('browser_evaluate', { ...at, function: target ? `(e) => e.scrollBy(0, ${dy ?? 0})` : `() => scrollBy(0, ${dy ?? 0})` });
      case 'upload':
        await this.#call('browser_click', at);
        return this.#call('browser_file_upload', { paths: [path] });
      default:
        throw new Error(`no tool of it does ${kind}`);
    }
  }

  async #call(name, args) {
    const start = performance.now();
    let { text } = await this.server.call(name, args);
    const [, file] = text.match(/\[Snapshot\]\(([^)]+)\)/) ?? [];
    if (file) text += `\n${await readFile(resolve(this.folder, file), 'utf8')}`;
    this.last = text;
    this.record(`${name} ${JSON.stringify(args)}`, text, performance.now() - start);
  }
}
