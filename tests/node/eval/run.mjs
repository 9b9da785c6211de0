// Tasks carried out by `szk do` on each of its surfaces, and what each cost. See scripts/eval.
//
//   node run.mjs [--with SURFACE,…] [--tasks FILE] [--max-steps N] [--json] [NAME…]
import { readFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { running, until } from '../apps/running.mjs';
import { judge } from '../tasks/judge.mjs';
import { buildLibraries } from '../tasks/libraries.mjs';
import { serve } from '../tasks/site.mjs';
import { tasks as local } from '../tasks/tasks/index.mjs';
import { applied } from './apps.mjs';
import { counter } from './count.mjs';
import { serveModel } from './model.mjs';
import { Session } from './session.mjs';
import { print } from './table.mjs';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    with: { type: 'string', default: 'acts,code,recipe' },
    tasks: { type: 'string' },
    'max-steps': { type: 'string', default: '25' },
    json: { type: 'boolean', default: false },
  },
});

// What each surface adds to the command; that of `recipe` is the second run of a task whose first was saved.
const SURFACES = {
  acts: ['--no-code', '--no-recipe'],
  code: ['--no-recipe'],
  recipe: [],
};

const { APPS, SZK_AGENT_MODEL, TASKS_LIBRARIES } = process.env;
const libraries = TASKS_LIBRARIES && await buildLibraries(TASKS_LIBRARIES);
const wanted = ({ name }) => !positionals.length || positionals.some((part) => name.includes(part));
const pages = local.filter((task) => wanted(task) && (libraries || !task.lib?.length));
const site = await serve(pages, libraries);
const here = pages.map((task) => ({ ...task, check: task.done, done: undefined, url: `${site.url}/t/${task.name}` }));
const given = values.tasks ? JSON.parse(await readFile(values.tasks, 'utf8')) : [];
const tasks = [...here, ...(APPS ? await applied() : []).filter(wanted), ...given.filter(wanted)];
// Without a model of yours, the script of each task plays one.
const model = !SZK_AGENT_MODEL && await serveModel(tasks, await counter(TASKS_LIBRARIES));
const results = {};
const session = await Session.open(model && { SZK_AGENT_MODEL: 'scripted', SZK_AGENT_BASE_URL: model.url, SZK_AGENT_KEY: 'none' });
try {
  for (const surface of values.with.split(',')) {
    if (!SURFACES[surface]) throw new Error(`there is no surface ${surface}: ${Object.keys(SURFACES)}`);
    results[surface] = [];
    for (const task of tasks) results[surface].push(await carryOut(surface, task).catch((error) => unable(surface, task, error)));
  }
} finally {
  await session.close();
  await site.close();
  await model?.close?.();
}
if (values.json) console.log(JSON.stringify(results));
else print(results, model ? 'scripted' : SZK_AGENT_MODEL);

/** The row of a task on a surface. */
async function carryOut(surface, task) {
  const limits = ['--max-steps', values['max-steps'], ...(task.options ?? [])];
  if (task.secret) await session.secret(...task.secret);
  const once = (options) => placed(task, async (url, holds) => {
    await session.go(url);
    const start = performance.now();
    const said = await session.carryOut(task.words, [...limits, ...options]);
    const seconds = (performance.now() - start) / 1000;
    return { said, seconds, ...(await holds()) };
  });
  if (surface === 'recipe') {
    const { said } = await once(['--no-recipe', '--save', task.name]);
    if (!said.recipe) return { name: task.name, solved: false, claimed: false, trouble: `no recipe: ${said.text}` };
  }
  const { said, seconds, solved, found } = await once(SURFACES[surface]);
  if (!solved) console.error(`${surface}: ${task.name}: ${said.text}; judged ${JSON.stringify(found)}`);
  return {
    name: task.name,
    solved,
    claimed: said.done === true,
    replayed: said.replayed,
    steps: said.steps ?? 0,
    tokens: (said.tokens?.input ?? 0) + (said.tokens?.output ?? 0),
    cost: said.cost,
    seconds,
    told: await session.told(said.run),
    whole: await session.whole(),
  };
}

/** Runs `work` where the task's page is served; it gets the address, and what looks up whether the task was done. */
function placed(task, work) {
  if (!task.app) {
    const path = new URL(task.url).pathname;
    return work(task.url, () => judge(session.port, path, task.check).catch((error) => ({ solved: false, found: error.message })));
  }
  return running(task.app, task.port, (folder) => work(
    `http://127.0.0.1:${task.port}${task.path}`,
    () => until('it is on the disk', () => task.done(folder), 5).then(() => ({ solved: true }), (error) => ({ solved: false, found: error.message })),
  ));
}

function unable(surface, task, error) {
  console.error(`${surface}: ${task.name}: ${error.message}`);
  return { name: task.name, solved: false, claimed: false, trouble: error.message };
}
