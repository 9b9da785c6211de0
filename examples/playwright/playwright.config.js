import { defineConfig } from '@playwright/test';

// One worker: all tests share one profile.
export default defineConfig({ workers: 1, reporter: 'line' });
