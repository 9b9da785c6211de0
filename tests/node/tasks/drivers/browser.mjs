// A Chromium for the tools that join one by its debugging port, with the window size that szk is given.
import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from './mcp.mjs';

/** Its port, and `close`. */
export async function launch() {
  const port = await freePort();
  const folder = await mkdtemp(join(tmpdir(), 'tasks-'));
  const program = process.env.SZK_CHROMIUM ?? 'chromium';
  const root = process.getuid() === 0 ? ['--no-sandbox'] : [];
  const child = spawn(program, [
    '--headless=new', `--remote-debugging-port=${port}`, `--user-data-dir=${folder}`, '--window-size=1280,800',
    '--no-first-run', ...root, 'about:blank',
  ], { stdio: ['ignore', 'ignore', 'pipe'] });
  const ended = new Promise((done) => child.once('close', done));
  // It says so once it listens.
  await new Promise((done, failed) => {
    child.stderr.on('data', (text) => { if (`${text}`.includes('DevTools listening')) done(); });
    child.once('error', failed);
    child.once('exit', (code) => failed(new Error(`${program} ended with ${code}`)));
  });
  return {
    port,
    close: async () => {
      child.kill();
      await ended;
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}
