// What a program does with the types that openapi-typescript made from /openapi.json (`./api.d.ts`), and
// openapi-fetch.

import createClient from 'openapi-fetch';
import type { paths } from './api.js';

const { SZK_URL = '', SZK_TOKEN, PAGE = '' } = process.env;
const szk = createClient<paths, 'application/json'>({
  baseUrl: SZK_URL,
  headers: { Authorization: `Bearer ${SZK_TOKEN}` },
});
const params = { path: { session: 'work' } };

const opened = await szk.POST('/v1/sessions', {
  body: { session: 'work', url: PAGE, headless: true },
});
if (opened.error) throw new Error(opened.error.error.message);
const page = await szk.GET('/v1/sessions/{session}/snapshot', {
  params: { ...params, query: { mode: 'full' } },
});
const act = (selector: string) =>
  szk.POST('/v1/sessions/{session}/act', { params, body: { kind: 'click', selector } });
await act('button');
const picture = await szk.GET('/v1/sessions/{session}/screenshot', {
  params,
  parseAs: 'arrayBuffer',
});
const bytes = new Uint8Array(picture.data as unknown as ArrayBuffer);
const tabs = await szk.GET('/v1/sessions/{session}/tabs', { params });
const pdf = await szk.POST('/v1/sessions/{session}/pdf', { params, body: {}, parseAs: 'blob' });
const files = await szk.GET('/v1/sessions/{session}/files', { params });
const missing = await act('#none');
const closed = await szk.DELETE('/v1/sessions/{session}', { params });
console.log(
  JSON.stringify({
    read: page.data?.snapshot.includes('Press'),
    title: tabs.data?.tabs[0]?.title,
    picture: String.fromCharCode(...bytes.slice(0, 4)),
    pdf: pdf.response.status,
    files: files.data?.files.length,
    refused: missing.error?.error.code,
    saved: closed.data?.saved,
  }),
);
