// szk over MCP, by the official SDK, as a model's client would call it.
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';

const SESSION = 'tasks-mcp';

/** Connects to a server and calls its tools; what a call answers is all the text that a model reads. */
export async function connect(command, args, cwd = process.cwd()) {
  const client = new Client({ name: 'tasks', version: '0' });
  await client.connect(new StdioClientTransport({ command, args, cwd, env: process.env, stderr: 'ignore' }));
  const call = async (name, input) => {
    const result = await client.callTool({ name, arguments: input }, undefined, { timeout: 60_000 });
    const text = result.content.map((part) => part.text ?? `[${part.type}]`).join('\n');
    return { text, failed: result.isError === true, data: result.structuredContent };
  };
  return { call, close: () => client.close() };
}

export class Szk {
  static async start() {
    const driver = new Szk();
    driver.server = await connect(process.env.SZK, ['mcp']);
    driver.port = await freePort();
    const opened = await driver.server.call('session_open', { session: SESSION, raw_port: driver.port, headless: 'true', viewport: '1280x800' });
    if (opened.failed) throw new Error(opened.text);
    return driver;
  }

  async close() {
    await this.server.call('session_close', { session: SESSION, force: true });
    await this.server.close();
  }

  async open(url) {
    await this.#call('browser_navigate', { url, snapshot: 'interactive' });
  }

  async do(steps) {
    const inputs = steps.map(input);
    if (inputs.length === 1) await this.#call('browser_act', inputs[0]);
    else await this.#call('browser_batch', { steps: inputs.map((one) => ({ tool: 'browser_act', input: one })) });
  }

  async look({ boxes, full, scope }) {
    await this.#call('browser_snapshot', { ...(boxes && { boxes }), ...(full && { mode: 'full' }), ...(scope && { scope }) });
  }

  async find(text) {
    await this.#call('browser_find', { text });
  }

  ref(line) {
    return line.match(/\[(e\d+)\]/)?.[1];
  }

  refs(text) {
    return new Set(text.match(/\be\d+\b/g));
  }

  async #call(name, args) {
    const start = performance.now();
    const { text } = await this.server.call(name, args);
    this.record(`${name} ${JSON.stringify(args)}`, text, performance.now() - start);
  }
}

/** The input of `browser_act` for a step. */
export function input({ target, to, kind, path, count, ...rest }) {
  const at = target === undefined ? {} : typeof target === 'string' ? { ref: target } : target;
  const end = to === undefined ? {} : { to: typeof to === 'object' ? `${to.x},${to.y}` : to };
  return { kind, ...at, ...end, ...(path && { paths: [path] }), ...(count > 1 && { count }), ...rest };
}

/** A port of the loopback interface that nobody has. */
export async function freePort() {
  const { createServer } = await import('node:net');
  const server = createServer();
  await new Promise((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address();
  await new Promise((done) => server.close(done));
  return port;
}
