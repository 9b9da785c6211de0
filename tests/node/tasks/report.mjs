// The table at the end.

const GOAL = { solved: 0.95, calls: 4 };

/** Prints the tasks and the sums of each tool; false where szk misses the goal and `judged` is set. */
export function print(results, judged) {
  const tools = Object.keys(results);
  const names = results[tools[0]].map(({ name }) => name);
  console.log(`\n| task | ${tools.map((tool) => `${tool}: calls | chars`).join(' | ')} |\n|---|${'---:|'.repeat(2 * tools.length)}`);
  names.forEach((name, n) => {
    const cells = tools.flatMap((tool) => {
      const one = results[tool][n];
      return [one.solved ? `${one.calls}` : `${one.calls} ✗`, one.characters];
    });
    console.log(`| ${name} | ${cells.join(' | ')} |`);
  });
  console.log(`\n| | solved | calls per solved task | characters per solved task | ms per call (median) |\n|---|---:|---:|---:|---:|`);
  for (const tool of tools) {
    const { solved, all, calls, characters, ms } = sums(results[tool]);
    console.log(`| ${tool} | ${solved} of ${all} | ${calls.toFixed(1)} | ${Math.round(characters)} | ${Math.round(ms)} |`);
  }
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
