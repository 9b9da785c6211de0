// A folder in which Playwright's own tests can be run by @playwright/test from npm: the tests, their configuration and
// their pages are copied from its repository, the packages come from npm.
import { cpSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const packages = join(here, '../node_modules');

export function place(repository, folder) {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(join(folder, 'packages'), { recursive: true });
  for (const part of ['page', 'config', 'assets', 'third_party']) cpSync(join(repository, 'tests', part), join(folder, 'tests', part), { recursive: true });
  cpSync(join(here, 'fixtures.ts'), join(folder, 'tests/page/pageTest.ts'));
  cpSync(join(here, 'playwright.config.ts'), join(folder, 'playwright.config.ts'));
  // Two runs at the same time must not share ports.
  const servers = join(folder, 'tests/config/serverFixtures.ts');
  writeFileSync(servers, readFileSync(servers, 'utf8').replace('8907 +', 'Number(process.env.SUITE_PORT) +'));
  symlinkSync(packages, join(folder, 'node_modules'));
  symlinkSync(join(packages, 'playwright-core'), join(folder, 'packages/playwright-core'));
  symlinkSync(join(packages, '@playwright/test'), join(folder, 'packages/playwright-test'));
  // The test server wants this one only for the types of files; Playwright has it inside.
  const mime = join(folder, 'tests/node_modules/mime');
  mkdirSync(mime, { recursive: true });
  writeFileSync(join(mime, 'index.js'), "module.exports = require('playwright-core/lib/utilsBundle').mime;\n");
}
