// How Playwright's own tests are run: see run.mjs, which sets all of the environment.
export default {
  testDir: './tests/page',
  outputDir: process.env.SUITE_RESULTS,
  snapshotPathTemplate: '{testDir}/{testFileDir}/{testFileName}-snapshots/{arg}-chromium{ext}',
  updateSnapshots: 'none',
  timeout: 30_000,
  expect: { timeout: 10_000 },
  workers: Number(process.env.SUITE_WORKERS),
  reporter: [['json', { outputFile: process.env.SUITE_REPORT }], ['line']],
  use: { mode: 'default', browserName: 'chromium', headless: false },
};
