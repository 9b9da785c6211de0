// Tasks carried out by `szk do` on each of its surfaces, and what each cost. See scripts/eval.
//
//   node run.mjs [--with SURFACE,…] [--tasks FILE] [--max-steps N] [--json] [NAME…]
import { readFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { judge } from '../tasks/judge.mjs';
import { buildLibraries } from '../tasks/libraries.mjs';
import { serve } from '../tasks/site.mjs';
import { tasks as local } from '../tasks/tasks/index.mjs';
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

const libraries = process.env.TASKS_LIBRARIES && await buildLibraries(process.env.TASKS_LIBRARIES);
const wanted = ({ name }) => !positionals.length || positionals.some((part) => name.includes(part));
const pages = local.filter((task) => wanted(task) && (libraries || !task.lib?.length));
const site = await serve(pages, libraries);
const here = pages.map(({ name, words, done }) => ({ name, words, check: done, url: `${site.url}/t/${name}` }));
const given = values.tasks ? JSON.parse(await readFile(values.tasks, 'utf8')) : [];
const tasks = [...here, ...given.filter(wanted)];
const results = {};
const session = await Session.open();
try {
  for (const surface of values.with.split(',')) {
    if (!SURFACES[surface]) throw new Error(`there is no surface ${surface}: ${Object.keys(SURFACES)}`);
    results[surface] = [];
    for (const task of tasks) results[surface].push(await carryOut(surface, task));
  }
} finally {
  await session.close();
  await site.close();
}
if (values.json) console.log(JSON.stringify(results));
else print(results);

async function carryOut(surface, task) {
  const limits = ['--max-steps', values['max-steps']];
  if (surface === 'recipe') {
    await session.go(task.url);
    const learnt = await session.carryOut(task.words, [...limits, '--no-recipe', '--save', task.name]);
    if (!learnt.recipe) return { name: task.name, solved: false, claimed: false, trouble: `no recipe: ${learnt.text}` };
  }
  await session.go(task.url);
  const start = performance.now();
  const said = await session.carryOut(task.words, [...limits, ...SURFACES[surface]]);
  const seconds = (performance.now() - start) / 1000;
  const path = new URL(task.url).pathname;
  const { solved, found } = await judge(session.port, path, task.check).catch((error) => ({ solved: false, found: error.message }));
  if (!solved) console.error(`${surface}: ${task.name}: ${said.text}; judged ${JSON.stringify(found)}`);
  return {
    name: task.name,
    solved,
    claimed: said.done === true,
    steps: said.steps ?? 0,
    tokens: (said.usage?.input ?? 0) + (said.usage?.output ?? 0),
    cost: said.cost,
    seconds,
    told: await session.told(said.run),
    whole: await session.whole(),
  };
}
