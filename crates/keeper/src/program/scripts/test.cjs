// Becomes the project's own `playwright test`. What is left to say when there is none goes to a file.
const { writeFileSync } = require('node:fs');
const { createRequire } = require('node:module');
const { dirname, join } = require('node:path');

const [, , missing, ...args] = process.argv;

function cli() {
  const folders = [process.cwd(), join(dirname(process.execPath), '..', 'lib')];
  for (const folder of folders) {
    const { resolve } = createRequire(join(folder, 'noop.js'));
    for (const name of ['@playwright/test', 'playwright']) {
      try {
        return join(dirname(resolve(`${name}/package.json`)), 'cli.js');
      } catch (error) {
        if (error.code !== 'MODULE_NOT_FOUND') throw error;
      }
    }
  }
  return undefined;
}

const found = cli();
if (found) {
  process.argv = [process.execPath, found, 'test', ...args];
  require(found);
} else {
  writeFileSync(missing, '');
  process.exitCode = 1;
}
