// The tables at the end.

const mean = (rows, of) => rows.reduce((sum, row) => sum + (row[of] ?? 0), 0) / Math.max(rows.length, 1);

/** Prints the tasks, and the sums of each surface, carried out by this model. */
export function print(results, model) {
  const surfaces = Object.keys(results);
  const names = results[surfaces[0]].map(({ name }) => name);
  console.log(`\n| task | ${surfaces.map((surface) => `${surface}: steps | tokens`).join(' | ')} |\n|---|${'---:|'.repeat(2 * surfaces.length)}`);
  names.forEach((name, n) => {
    const cells = surfaces.flatMap((surface) => {
      const one = results[surface][n];
      return [`${one.steps ?? '-'}${one.solved ? '' : ' ✗'}`, one.tokens ?? '-'];
    });
    console.log(`| ${name} | ${cells.join(' | ')} |`);
  });
  console.log('\n| | solved | told the truth | said to be done and was not | steps | tokens | tokens per step | seconds | US dollars |\n|---|---:|---:|---:|---:|---:|---:|---:|---:|');
  for (const surface of surfaces) {
    const all = results[surface];
    const solved = all.filter((task) => task.solved);
    const truth = all.filter((task) => task.solved === task.claimed).length;
    const wrong = all.filter((task) => task.claimed && !task.solved).length;
    const [steps, tokens] = [mean(solved, 'steps'), mean(solved, 'tokens')];
    console.log(`| ${surface} | ${solved.length} of ${all.length} | ${truth} | ${wrong} | ${steps.toFixed(1)} | ${Math.round(tokens)} | ${steps ? Math.round(tokens / steps) : 0} | ${mean(solved, 'seconds').toFixed(1)} | ${solved.some(({ cost }) => cost !== undefined) ? mean(solved, 'cost').toFixed(4) : '-'} |`);
  }
  const recipes = (results.recipe ?? []).filter(({ replayed, steps }) => replayed && !steps).length;
  if (results.recipe) console.log(`\nRecipes that came to their end without the model: ${recipes} of ${results.recipe.length}.`);
  console.log(`\nModel: ${model}. Steps to dollars are of a solved task, on average.`);
  const acted = Object.values(results).flat().filter(({ told }) => told);
  console.log(`What the model hears after an act: ${Math.round(mean(acted, 'told'))} characters; a full snapshot of the page at the end: ${Math.round(mean(acted, 'whole'))}.`);
}
