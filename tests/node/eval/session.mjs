// The profile that tasks are carried out in.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { run } from '../tasks/drivers/cli.mjs';
import { freePort } from '../tasks/drivers/mcp.mjs';

const NAME = 'eval';

export class Session {
  /** Opens it; `env` is what `szk do` finds in its environment besides. */
  static async open(env) {
    const session = new Session();
    session.env = { ...process.env, ...(env || {}) };
    session.port = await freePort();
    await session.szk(['open', NAME, '--detach', '--headless', '--raw-port', `${session.port}`, '--viewport', '1280x800']);
    return session;
  }

  close() {
    return this.szk(['close', NAME, '--force']);
  }

  go(url) {
    return this.szk(['navigate', url, '-s', NAME]);
  }

  secret(name, value) {
    return this.szk(['secret', 'set', name, '--in', 'file'], { stdin: value });
  }

  /** What `szk do` says at the end; a failure is text that is not done. */
  async carryOut(words, options) {
    const { text, code } = await run(process.env.SZK, ['do', words, '-s', NAME, '--json', ...options], { env: this.env });
    const lines = text.split('\n').filter((line) => line.startsWith('{'));
    const said = JSON.parse(lines.at(-1) ?? '{}');
    return said.error ? { done: false, text: said.error.message } : { text: `exit ${code}`, ...said };
  }

  /** What the model was told of each act of a run, on average, in characters. */
  async told(run) {
    if (!run) return 0;
    const file = join(process.env.SZK_STORE, NAME, 'artifacts/runs', run, 'events.jsonl');
    const events = (await readFile(file, 'utf8')).split('\n').filter(Boolean).map((line) => JSON.parse(line));
    const acts = events.filter(({ event }) => event === 'acted');
    return acts.reduce((sum, { outcome }) => sum + outcome.length, 0) / Math.max(acts.length, 1);
  }

  /** The whole page as it is now, in characters. */
  async whole() {
    const { text } = await run(process.env.SZK, ['snapshot', '--mode', 'full', '-s', NAME]);
    return text.length;
  }

  async szk(args, options) {
    const { text, code } = await run(process.env.SZK, args, options);
    if (code) throw new Error(`szk ${args.join(' ')}: ${text}`);
    return text;
  }
}
