// Opens a page, reads it, clicks, and takes a picture: node examples/read.mjs URL
// With SZK_URL and SZK_TOKEN it uses a running `szk serve`, else it starts szk itself.
import { NotFoundError, Szk } from 'szk';

const { SZK_URL, SZK_TOKEN } = process.env;
const szk = SZK_URL ? Szk.http(SZK_URL, { token: SZK_TOKEN, session: 'example' }) : await Szk.start();
try {
  const { tab } = await szk.session.open(
    { session: 'example', url: process.argv[2] },
    { onProgress: ({ message }) => console.error(message) },
  );
  const page = await szk.browser.snapshot({ session: 'example', tab });
  console.log(page.title);
  await szk.browser.act({ session: 'example', tab, kind: 'click', role: 'button', name: 'Go' });
  const { matches } = await szk.browser.find({ session: 'example', tab, text: 'gone' });
  console.log(matches.length);
  await szk.browser.act({ session: 'example', tab, ref: 'e99999' });
} catch (error) {
  if (!(error instanceof NotFoundError)) throw error;
  console.log(error.code, error.effect);
} finally {
  await szk.session.close({ session: 'example' });
  await szk.close();
}
