// The official TypeScript SDK against `szk mcp`, in each protocol version that it speaks: arguments are the
// program, a page with the title `seen`, and the versions. The session `work` must be open.
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

const [program, url, ...versions] = process.argv.slice(2);
const newest = '2026-07-28';
const tabs = 'szk://sessions/work/tabs';
const at = { session: 'work' };

// What resolves at each `ring`, and is heard by who waits next.
const bell = () => {
  let rings = 0, wake = () => {};
  return {
    ring: () => { rings++; wake(); },
    heard: async () => {
      while (rings === 0) await new Promise((resolve) => { wake = resolve; });
      rings = 0;
    },
  };
};

const check = async (version) => {
  const said = { asked: [], progress: 0 };
  const mode = version === newest ? { pin: version } : 'legacy';
  const client = new Client({ name: 'e2e', version: '0' }, {
    capabilities: { elicitation: { form: {}, url: {} } },
    versionNegotiation: { mode },
    ...(version === newest ? {} : { supportedProtocolVersions: [version] }),
  });
  // The SDK holds each structured result against the tool's output schema.
  const call = (name, args, options) => client.callTool({ name, arguments: args }, options);
  client.setRequestHandler('elicitation/create', async ({ params }) => {
    said.asked.push(params.mode ?? 'form');
    // The person is done once the call has said that it waits for them.
    if (params.mode === 'url') finished = progressed.heard().then(() => call('session_handoff', { ...at, end: 'done' }));
    return params.mode === 'url' ? { action: 'accept' } : { action: 'accept', content: {} };
  });
  const [changed, progressed] = [bell(), bell()];
  let finished;
  client.setNotificationHandler('notifications/resources/updated', ({ params }) => {
    if (params.uri === tabs) { said.changed = tabs; changed.ring(); }
  });
  await client.connect(new StdioClientTransport({ command: program, args: ['mcp', '--tools', 'all'], env: process.env, cwd: process.cwd() }));
  said.version = client.getNegotiatedProtocolVersion();
  said.tools = (await client.listTools()).tools.length;
  said.resources = (await client.listResources()).resources.map((one) => one.uri);
  said.prompts = (await client.listPrompts()).prompts.length;

  await call('session_open', at);
  await call('browser_navigate', { ...at, url });
  const read = await call('browser_run_code', { ...at, code: 'document.title' });
  said.title = read.content[0].text.includes('seen');
  said.value = read.structuredContent?.value ?? null;
  said.failed = (await call('session_open', { session: '..' })).isError;

  const stop = new AbortController();
  const waits = call('browser_act', { ...at, kind: 'wait', time_ms: 100_000, timeout_ms: 200_000 }, { signal: stop.signal });
  stop.abort();
  said.cancelled = await waits.then(() => false, () => true);
  await call('browser_run_code', { ...at, code: '1' });

  const listening = version === newest ? await client.listen({ resourceSubscriptions: [tabs] }) : null;
  if (!listening) await client.subscribeResource({ uri: tabs });
  // At first it is told to look.
  await changed.heard();
  await call('browser_tabs', { ...at, action: 'open', label: 'more' });
  await changed.heard();
  await call('browser_tabs', { ...at, action: 'close', tab: 'more' });
  if (listening) await listening.close();
  else await client.unsubscribeResource({ uri: tabs });

  const handoff = await call('session_handoff', { ...at, reason: 'Press the button.' }, { onprogress: () => { said.progress++; progressed.ring(); } });
  said.person = handoff.content[0].text.includes('the hand-off is over');
  // Its own call goes on after the one that it ends.
  await finished;
  await client.close();
  return said;
};

const said = {};
for (const version of versions) said[version] = await check(version);
console.log(JSON.stringify(said));
