// The same pages as each tool writes them down: how many tokens, which of the words that a person sees are missing,
// and which of the things that work have no line that could be acted on. See scripts/tasks.
//
//   node formats.mjs [NAME…]
//
// Without names: the pages on which snapshots are compared with Chromium's tree (tests/browser/pages). Names are
// those of tasks.
import { readFile, readdir } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { AgentBrowser } from './drivers/agent-browser.mjs';
import { DevTools } from './drivers/devtools.mjs';
import { Szk } from './drivers/mcp.mjs';
import { Playwright } from './drivers/playwright.mjs';
import { inspect } from './inspect.mjs';
import { value } from './judge.mjs';
import { buildLibraries } from './libraries.mjs';
import { serve } from './site.mjs';
import { tasks } from './tasks/index.mjs';

const PAGES = new URL('../../browser/pages/', import.meta.url);
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
  const seen = (el) => el && el.checkVisibility({ visibilityProperty: true }) && !el.closest('script, style, select, textarea');
  const read = (root) => {
    const words = [];
    const nodes = document.createTreeWalker(root, NodeFilter.SHOW_TEXT | NodeFilter.SHOW_ELEMENT);
    for (let node = nodes.nextNode(); node; node = nodes.nextNode()) {
      if (node.nodeType === 3 && seen(node.parentElement)) words.push(...node.data.match(/[\\p{L}\\p{N}]+/gu) ?? []);
      if (node.shadowRoot) words.push(...read(node.shadowRoot));
      if (node.contentDocument?.body) words.push(...read(node.contentDocument.body));
    }
    return words;
  };
  return read(document.body);
})()`;
// Lines without a name that stand for something that works.
const WORKS = /\b(button|link|checkbox|radio|switch|tab|menuitem\w*|option|slider|spinbutton|textbox|searchbox|combobox|treeitem|summary|img)\b|clickable|cursor=pointer/i;

/** Those of the names, one for each thing that works, that no line with a ref has; each line stands for one. */
function unnamed(names, answer, driver) {
  // However a tool writes quotation marks and capitals.
  const plain = (text) => text.replace(/["\\]/g, '').toLowerCase();
  const lines = answer.split('\n').filter((line) => driver.ref(line));
  const take = (fits) => {
    const at = lines.findIndex(fits);
    return at >= 0 && lines.splice(at, 1).length > 0;
  };
  const longest = [...names].sort((a, b) => b.length - a.length);
  const left = longest.filter((name) => name && !take((line) => plain(line).includes(` ${plain(name).trim().slice(0, 40)}`)));
  const nameless = longest.filter((name) => !name);
  return [...left, ...nameless.filter(() => !take((line) => !/"/.test(line) && WORKS.test(line)))];
}

const named = process.argv.slice(2);
const chosen = named.length ? tasks.filter(({ name }) => named.some((part) => name.includes(part))) : await captured();

async function captured() {
  const files = (await readdir(PAGES)).filter((file) => file.endsWith('.html')).sort();
  return Promise.all(files.map(async (file) => ({ name: file.slice(0, -5), whole: await readFile(new URL(file, PAGES), 'utf8') })));
}

const site = await serve(chosen, await buildLibraries(process.env.TASKS_LIBRARIES));
const rows = new Map(FORMATS.map(([name]) => [name, []]));
for (const Tool of new Set(FORMATS.map(([, tool]) => tool))) {
  const driver = await Tool.start();
  try {
    for (const { name } of chosen) {
      let answer;
      driver.record = (_, text) => { answer = text; };
      await driver.open(`${site.url}/t/${name}`);
      const page = await inspect(driver.port, `${site.url}/t/${name}`);
      const names = await Promise.all((await page.workable([])).filter(({ idle }) => !idle).map((one) => page.name(one)));
      page.close();
      for (const [format, , options] of FORMATS.filter(([, tool]) => tool === Tool)) {
        await driver.look(options);
        const words = [...new Set(await value(driver.port, `/t/${name}`, WORDS))];
        const missing = words.filter((word) => !answer.includes(word));
        const lost = unnamed(names, answer, driver);
        rows.get(format).push({ name, tokens: encode(answer).length, words: words.length, missing, works: names.length, lost });
      }
    }
  } finally {
    await driver.close();
  }
}
await site.close();

console.log(`| ${chosen.length} pages | tokens a page (mean) | words missing | things that work without a line |\n|---|---:|---:|---:|`);
for (const [format, pages] of rows) {
  const sum = (of) => pages.reduce((total, page) => total + of(page), 0);
  const missing = 100 * sum((page) => page.missing.length) / sum((page) => page.words);
  const lost = `${sum((page) => page.lost.length)} of ${sum((page) => page.works)}`;
  console.log(`| ${format} | ${Math.round(sum((page) => page.tokens) / pages.length)} | ${missing.toFixed(0)} % | ${lost} |`);
}
console.log(`\n| tokens | ${FORMATS.map(([format]) => format).join(' | ')} |\n|---|${'---:|'.repeat(FORMATS.length)}`);
for (const [n, { name }] of chosen.entries()) console.log(`| ${name} | ${[...rows.values()].map((pages) => pages[n].tokens).join(' | ')} |`);
const list = (what, of) => {
  console.log(`\n${what}:`);
  for (const [format, pages] of rows) {
    for (const page of pages) if (of(page).length) console.log(`${format} | ${page.name} | ${of(page).slice(0, 12).join(' ')}`);
  }
};
list('words missing', ({ missing }) => missing);
list('without a line', ({ lost }) => lost.map((name) => JSON.stringify(name)));
