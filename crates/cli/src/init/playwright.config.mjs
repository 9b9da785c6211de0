// Runs in the browser that szk keeps:  szk run work -- npx playwright test
import { defineConfig } from '@playwright/test';

export default defineConfig({
  testDir: './tests',
  // One browser with one set of logins: tests would get in each other's way.
  workers: 1,
  fullyParallel: false,
  reporter: [['list']],
});
