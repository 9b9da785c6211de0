// The tables at the end, as docs/tasks.md has them.

const GOAL = { solved: 0.95, calls: 4 };
const TITLES = { mcp: 'szk (MCP)', cli: 'szk (terminal)', playwright: '@playwright/mcp', devtools: 'chrome-devtools-mcp' };

/** Prints the sums of each tool and the tasks; false where szk misses the goal and `judged` is set. */
export function print(results, judged) {
  const tools = Object.keys(results);
  const titles = tools.map((tool) => TITLES[tool] ?? tool);
  console.log(`\n| | solved | calls per solved task | characters per solved task | ms per call (median) |\n|---|---:|---:|---:|---:|`);
  for (const [nth, tool] of tools.entries()) {
    const { solved, all, calls, characters, ms } = sums(results[tool]);
    console.log(`| ${titles[nth]} | ${solved} of ${all} | ${calls.toFixed(1)} | ${Math.round(characters)} | ${Math.round(ms)} |`);
  }
  console.log(`\n| task | ${titles.join(' | ')} |\n|---|${'---:|'.repeat(tools.length)}`);
  results[tools[0]].forEach(({ name }, n) => {
    const cells = tools.map((tool) => {
      const { solved, calls, characters } = results[tool][n];
      return `${calls}${solved ? '' : ' ✗'} · ${characters}`;
    });
    console.log(`| ${name} | ${cells.join(' | ')} |`);
  });
  return !judged || tools.filter((tool) => tool === 'mcp' || tool === 'cli').every((tool) => {
    const { solved, all, calls } = sums(results[tool]);
    return solved / all >= GOAL.solved && calls <= GOAL.calls;
  });
}

function sums(tasks) {
  const solved = tasks.filter((task) => task.solved);
  const mean = (of) => solved.reduce((sum, task) => sum + task[of], 0) / Math.max(solved.length, 1);
  const ms = tasks.flatMap((task) => task.milliseconds).sort((a, b) => a - b);
  return { solved: solved.length, all: tasks.length, calls: mean('calls'), characters: mean('characters'), ms: ms[ms.length >> 1] ?? 0 };
}
