// Runs a test with a tab of the profile that `szk run` opened.
import { connect } from 'puppeteer-core';

export async function withPage(run) {
  const browser = await connect({
    browserWSEndpoint: process.env.SZK_CDP_WS_ENDPOINT,
    defaultViewport: null,
  });
  const page = await browser.newPage();
  try {
    await run(page);
  } finally {
    await page.close();
    await browser.disconnect(); // Leaves; the browser stays.
  }
}
