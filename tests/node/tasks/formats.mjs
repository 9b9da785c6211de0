// The same pages as each tool writes them down: how many tokens, and which of the words that a person sees are
// missing. See scripts/tasks.
//
//   node formats.mjs [NAME…]
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { AgentBrowser } from './drivers/agent-browser.mjs';
import { DevTools } from './drivers/devtools.mjs';
import { Szk } from './drivers/mcp.mjs';
import { Playwright } from './drivers/playwright.mjs';
import { value } from './judge.mjs';
import { buildLibraries } from './libraries.mjs';
import { serve } from './site.mjs';
import { tasks } from './tasks/index.mjs';

const PAGES = 30;
const library = createRequire(join(process.env.TASKS_LIBRARIES, 'package.json'));
const { encode } = await import(pathToFileURL(library.resolve('gpt-tokenizer/encoding/o200k_base')));

// How a tool is asked for the page that it is on.
const FORMATS = [
  ['szk', Szk, {}],
  ['szk, `full`', Szk, { full: true }],
  ['Playwright (MCP)', Playwright, {}],
  ['agent-browser, `-i`', AgentBrowser, {}],
  ['agent-browser', AgentBrowser, { full: true }],
  ['chrome-devtools-mcp', DevTools, {}],
];
// All words that the page shows, in frames and shadow trees too, but for what is drawn.
const WORDS = `(() => {
  const read = (doc) => [doc.body.innerText, ...[...doc.querySelectorAll('*')].flatMap((el) => [
    ...(el.shadowRoot ? [...el.shadowRoot.children].map((one) => one.innerText) : []),
    ...(el.contentDocument?.body ? [read(el.contentDocument)] : [])])].join(' ');
  return read(document).match(/[\\p{L}\\p{N}]+/gu) ?? [];
})()`;

const named = process.argv.slice(2);
// Every third page, so that all kinds are among them.
const chosen = named.length ? tasks.filter(({ name }) => named.some((part) => name.includes(part)))
  : tasks.filter((_, n) => n % 3 === 0).slice(0, PAGES);
const site = await serve(chosen, await buildLibraries(process.env.TASKS_LIBRARIES));
const rows = new Map(FORMATS.map(([name]) => [name, []]));
for (const Tool of new Set(FORMATS.map(([, tool]) => tool))) {
  const driver = await Tool.start();
  try {
    for (const { name } of chosen) {
      let answer;
      driver.record = (_, text) => { answer = text; };
      await driver.open(`${site.url}/t/${name}`);
      for (const [format, , options] of FORMATS.filter(([, tool]) => tool === Tool)) {
        await driver.look(options);
        const words = [...new Set(await value(driver.port, `/t/${name}`, WORDS))];
        const missing = words.filter((word) => !answer.includes(word));
        rows.get(format).push({ name, tokens: encode(answer).length, words: words.length, missing });
      }
    }
  } finally {
    await driver.close();
  }
}
await site.close();

console.log(`| ${chosen.length} pages | tokens a page (mean) | words missing |\n|---|---:|---:|`);
for (const [format, pages] of rows) {
  const sum = (of) => pages.reduce((total, page) => total + of(page), 0);
  const missing = 100 * sum((page) => page.missing.length) / sum((page) => page.words);
  console.log(`| ${format} | ${Math.round(sum((page) => page.tokens) / pages.length)} | ${missing.toFixed(0)} % |`);
}
console.log('\nmissing:');
for (const [format, pages] of rows) {
  for (const { name, missing } of pages) if (missing.length) console.log(`${format} | ${name} | ${missing.slice(0, 12).join(' ')}`);
}
