// Every task with every tool, one after the other, and what each cost. See scripts/tasks.
//
//   node run.mjs [--with TOOL,…] [--goal N] [--show] [NAME…]
//
// `--show` prints each call and its answer. Fails when szk solves fewer than 95 % of the tasks, or needs more
// than four calls for one on average.
import { parseArgs } from 'node:util';
import { AgentBrowser } from './drivers/agent-browser.mjs';
import { Cli } from './drivers/cli.mjs';
import { DevTools } from './drivers/devtools.mjs';
import { Szk } from './drivers/mcp.mjs';
import { Playwright } from './drivers/playwright.mjs';
import { judge } from './judge.mjs';
import { buildLibraries } from './libraries.mjs';
import { Player } from './player.mjs';
import { print } from './report.mjs';
import { serve } from './site.mjs';
import { tasks as all } from './tasks/index.mjs';

const TOOLS = { mcp: Szk, cli: Cli, playwright: Playwright, 'agent-browser': AgentBrowser, devtools: DevTools };
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { with: { type: 'string', default: 'mcp,cli,playwright,agent-browser,devtools' }, show: { type: 'boolean', default: false } },
});

const tasks = all.filter(({ name }) => !positionals.length || positionals.some((part) => name.includes(part)));
const libraries = await buildLibraries(process.env.TASKS_LIBRARIES);
const site = await serve(tasks, libraries);
const results = {};
for (const tool of values.with.split(',')) {
  let driver = await TOOLS[tool].start();
  results[tool] = [];
  try {
    for (const task of tasks) {
      const played = await play(tool, driver, task);
      results[tool].push(played);
      if (played.solved) continue;
      // What went wrong, such as a dialog that stays open, is not to spoil the next task.
      await driver.close();
      driver = await TOOLS[tool].start();
    }
  } finally {
    await driver.close();
  }
}
await site.close();
process.exitCode = print(results, positionals.length === 0) ? 0 : 1;

async function play(tool, driver, task) {
  const player = new Player(driver, task.words);
  let trouble;
  try {
    await player.open(`${site.url}/t/${task.name}`);
    await task.play(player);
  } catch (error) {
    trouble = error.message;
  }
  const { solved, found } = await judge(driver.port, `/t/${task.name}`, task.done).catch((error) => ({ solved: false, found: error.message }));
  if (values.show) {
    player.calls.forEach(({ request, ms }, n) => console.log(`\n>>> ${request}  (${Math.round(ms)} ms)\n${player.answers[n]}`));
  }
  if (!solved) console.error(`${tool}: ${task.name}: ${trouble ?? `judged ${JSON.stringify(found)}`}`);
  const { characters, milliseconds } = player;
  return { name: task.name, solved, calls: player.calls.length, characters, milliseconds, trouble };
}
