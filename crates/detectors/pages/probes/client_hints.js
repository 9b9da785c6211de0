// User agent and client hints: what they say, and whether they say the same.

const HIGH = ['architecture', 'bitness', 'formFactors', 'fullVersionList', 'model', 'platformVersion', 'uaFullVersion', 'wow64'];

probe('client hints', async () => ({
  low: navigator.userAgentData.toJSON(),
  high: await navigator.userAgentData.getHighEntropyValues(HIGH),
}));

// Versions of both, and the platform, must agree; nobody is headless.
probe('client hints agree with the user agent', async () => {
  const agent = navigator.userAgent;
  const {brands, platform, mobile} = navigator.userAgentData;
  const {fullVersionList, architecture, bitness} = await navigator.userAgentData.getHighEntropyValues(HIGH);
  const major = /Chrome\/(\d+)/.exec(agent)?.[1];
  const known = brands.find(({brand}) => brand === 'Chromium');
  const marks = {Linux: 'Linux', Windows: 'Windows', macOS: 'Mac OS X', Android: 'Android', 'Chrome OS': 'CrOS'};
  const ok = known?.version === major
    && fullVersionList.find(({brand}) => brand === 'Chromium')?.version.startsWith(`${major}.`)
    && agent.includes(marks[platform])
    && mobile === /Mobile/.test(agent)
    && (mobile || (architecture !== '' && bitness !== ''))
    && !/headless/i.test(agent + JSON.stringify(brands));
  return {ok: Boolean(ok), seen: {agent, brands, platform, mobile, fullVersionList, architecture, bitness}};
}, {check: true});

// The server answers with the headers that this realm's fetch carried.
probe('headers agree with JavaScript', async () => {
  const headers = await (await fetch(`${BASE}echo/${KIND === 'worker' ? 'worker-fetch' : 'fetch'}`)).json();
  const expected = {
    'user-agent': navigator.userAgent,
    'sec-ch-ua': navigator.userAgentData.brands.map(({brand, version}) => `"${brand}";v="${version}"`).join(', '),
    'sec-ch-ua-platform': `"${navigator.userAgentData.platform}"`,
    'sec-ch-ua-mobile': navigator.userAgentData.mobile ? '?1' : '?0',
  };
  const wrong = {};
  for (const [name, value] of Object.entries(expected)) {
    // Requests of some workers carry no hints.
    if (headers[name] !== undefined && headers[name] !== value) wrong[name] = [value, headers[name]];
  }
  const accepted = headers['accept-language']?.split(',').map((part) => part.split(';')[0]) ?? [];
  // The header adds languages without their region.
  if (!navigator.languages.every((language) => accepted.includes(language)) || accepted[0] !== navigator.language) {
    wrong['accept-language'] = [navigator.languages, headers['accept-language'] ?? null];
  }
  return {ok: Object.keys(wrong).length === 0, seen: wrong};
}, {check: true});
