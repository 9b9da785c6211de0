// What differs between two runs of Playwright's own tests, and which of that is known.
import { readFileSync } from 'node:fs';

/** By file and title: whether each test that was run has passed, and where it is. */
export function results(report) {
  const found = new Map();
  const walk = (suite, titles) => {
    for (const { file, line, title, tests } of suite.specs ?? []) {
      const [test] = tests;
      if (test.status === 'skipped') continue;
      // `expected` is also what fails and is said to fail.
      found.set([file, ...titles, title].join(' › '), { passed: test.status === 'expected', place: `${file}:${line}`, why: why(test) });
    }
    for (const inner of suite.suites ?? []) walk(inner, [...titles, inner.title]);
  };
  for (const file of report.suites) walk(file, []);
  return found;
}

function why({ results }) {
  const text = results.at(-1)?.errors?.[0]?.message ?? '';
  return text.replace(/\u001b\[[0-9;]*m/g, '').split('\n').filter(Boolean).slice(0, 3).join(' | ').slice(0, 300);
}

/**
 * The list: a reason on a line of its own that begins with `#`, and below it the tests that differ for it, each as
 * `own`, `profile` or `open` (the way they are run), a colon and the test's file and title.
 */
export function listed(path, contexts) {
  const list = new Map();
  let reason = '';
  for (const line of readFileSync(path, 'utf8').split('\n')) {
    if (line.startsWith('# ')) reason = line.slice(2);
    else if (line.startsWith(`${contexts}: `)) list.set(line.slice(contexts.length + 2), reason);
  }
  return list;
}

/** Prints what differs, of what bare Chromium was asked about too; says how many are not as the list has them. */
export function compare(contexts, direct, through, list) {
  const say = (text) => process.stdout.write(`${text}\n`);
  const failed = [...through].filter(([, it]) => !it.passed);
  if (through.size === 0) throw new Error('no tests were run');
  const differ = failed.filter(([title]) => direct.get(title)?.passed);
  const counts = `${through.size - failed.length} pass, ${failed.length - differ.length} fail on bare Chromium too, ${differ.length} differ`;
  say(`\n${contexts}: ${through.size} tests; ${counts}`);
  let wrong = 0;
  for (const [title, it] of differ) {
    if (list.has(title)) say(`  known: ${title} (${list.get(title)})`);
    else {
      wrong += 1;
      say(`  not listed: ${title}\n      ${it.why}`);
    }
  }
  for (const title of list.keys()) {
    if (!through.get(title)?.passed) continue;
    wrong += 1;
    say(`  passes; take it off the list: ${title}`);
  }
  say(wrong ? `${wrong} are not as differences.txt has them` : 'nothing differs but what differences.txt names');
  return wrong;
}
