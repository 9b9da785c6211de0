// chrome-devtools-mcp. An act answers with the page when it is asked to, so its player asks for that in the last
// act of a call's steps; fields that follow each other are one call. It takes points by a flag of its own.
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { launch } from './browser.mjs';
import { connect } from './mcp.mjs';

const package_ = createRequire(import.meta.url).resolve('chrome-devtools-mcp/package.json');
const cli = join(dirname(package_), 'build/src/bin/chrome-devtools-mcp.js');

export class DevTools {
  static async start() {
    const driver = new DevTools();
    driver.browser = await launch();
    driver.port = driver.browser.port;
    const args = [cli, '--browserUrl', `http://127.0.0.1:${driver.port}`, '--no-usage-statistics', '--experimentalVision'];
    driver.server = await connect(process.execPath, args);
    // Every call names its page; a client knows it from then on.
    const { text } = await driver.server.call('list_pages', {});
    driver.pageId = Number(text.match(/^(\d+): /m)[1]);
    return driver;
  }

  async close() {
    await this.server.close();
    await this.browser.close();
  }

  async open(url) {
    await this.#call('navigate_page', { type: 'url', url });
    await this.#call('take_snapshot', {});
  }

  async do(steps) {
    const isField = ({ kind, target }) => ['fill', 'check', 'uncheck', 'select'].includes(kind) && target;
    for (let at = 0; at < steps.length;) {
      let end = at;
      while (end < steps.length && isField(steps[end])) end++;
      const last = Math.max(end, at + 1) === steps.length;
      if (end - at > 1) {
        const elements = [];
        for (const step of steps.slice(at, end)) elements.push({ uid: await this.#uid(step.target), value: valueOf(step) });
        await this.#call('fill_form', { elements, includeSnapshot: last });
        at = end;
      } else await this.#step(steps[at++], last);
    }
  }

  async look({ full }) {
    await this.#call('take_snapshot', full ? { verbose: true } : {});
  }

  async find() {
    await this.#call('take_snapshot', { verbose: true });
  }

  ref(line) {
    return line.match(/\buid=(\d+_\d+)/)?.[1];
  }

  refs(text) {
    return new Set([...text.matchAll(/\buid=(\d+_\d+)/g)].map((match) => match[1]));
  }

  // What has a name has a uid in the newest snapshot, or in the next.
  async #uid(target) {
    if (typeof target === 'string') return target;
    if (target.name === undefined) throw new Error('this tool takes no point');
    if (!this.#named(target).length) await this.look({});
    const lines = this.#named(target);
    if (!lines.length) throw new Error(`the newest snapshot does not show ${JSON.stringify(target.name)}`);
    return this.ref(lines.find((line) => line.includes(`"${target.name}"`)) ?? lines[0]);
  }

  #named({ name, role }) {
    return this.page.split('\n').filter((line) => this.ref(line) && line.includes(name) && (!role || line.includes(` ${role} `)));
  }

  async #step(step, includeSnapshot) {
    const { kind, target, to, text, key, path, count, button, modifiers, dy } = step;
    if (button || modifiers) throw new Error('no tool of it takes a button or a modifier');
    switch (kind) {
      case 'click':
        if (target.x !== undefined) return this.#call('click_at', { x: target.x, y: target.y, ...(count > 1 && { dblClick: true }), includeSnapshot });
        return this.#call('click', { uid: await this.#uid(target), ...(count > 1 && { dblClick: true }), includeSnapshot });
      case 'fill': case 'check': case 'uncheck': case 'select':
        if (step.values?.length > 1) throw new Error('its fill takes one value');
        if (target) return this.#call('fill', { uid: await this.#uid(target), value: valueOf(step), includeSnapshot });
        await this.#call('type_text', { text });
        return includeSnapshot && this.look({});
      case 'type':
        if (target) await this.#call('click', { uid: await this.#uid(target) });
        await this.#call('type_text', { text });
        return includeSnapshot && this.look({});
      case 'press':
        if (target) await this.#call('evaluate_script', { function: '(e) => e.focus()', args: [await this.#uid(target)] });
        for (let n = 1; n < (count ?? 1); n++) await this.#call('press_key', { key });
        return this.#call('press_key', { key, includeSnapshot });
      case 'hover':
        return this.#call('hover', { uid: await this.#uid(target), includeSnapshot });
      case 'drag':
        return this.#call('drag', { from_uid: await this.#uid(target), to_uid: await this.#uid(to), includeSnapshot });
      case 'wait':
        return this.#call('wait_for', { text: [text] });
      case 'scroll':
        await this.#call('evaluate_script', target
          ? { function: `(e) => e.scrollBy(0, ${dy ?? 0})`, args: [await this.#uid(target)] }
          : { function: `() => scrollBy(0, ${dy ?? 0})` });
        return includeSnapshot && this.look({});
      case 'upload':
        return this.#call('upload_file', { uid: await this.#uid(target), filePaths: [path], includeSnapshot });
      default:
        throw new Error(`no tool of it does ${kind}`);
    }
  }

  async #call(name, args) {
    const start = performance.now();
    const { text } = await this.server.call(name, { pageId: this.pageId, ...args });
    if (this.ref(text)) this.page = text;
    this.record(`${name} ${JSON.stringify(args)}`, text, performance.now() - start);
  }
}

function valueOf({ kind, text, values }) {
  if (kind === 'select') return values[0];
  return kind === 'fill' ? text : `${kind === 'check'}`;
}
