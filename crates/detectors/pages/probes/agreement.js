// Frames and workers say what the main page says. It reported first; its report is the measure.

const OTHERS = ['frame', 'cross-frame', 'srcdoc', 'blank-frame', 'sandboxed', 'popup', 'cross-popup', 'blank-popup', 'small-popup', 'dedicated', 'nested', 'shared', 'service'];
const COMMON = ['userAgent', 'appVersion', 'platform', 'vendor', 'product', 'language', 'languages', 'hardwareConcurrency', 'deviceMemory', 'maxTouchPoints'];

probe('agrees with the page', async () => {
  const main = await (await fetch(`${BASE}report/main`)).json();
  const theirs = main.navigator.value;
  const ours = values(navigator);
  const wrong = {};
  const hold = (name, ours, theirs) => {
    if (ours !== undefined && JSON.stringify(ours) !== JSON.stringify(theirs)) wrong[name] = [theirs ?? null, ours];
  };
  for (const name of COMMON) hold(name, ours[name], theirs[name]);
  hold('hints', navigator.userAgentData?.toJSON(), main['client hints'].value.low);
  hold('time zone', Intl.DateTimeFormat().resolvedOptions().timeZone, main['time zone'].value.name);
  const gl = surface(1, 1).getContext('webgl');
  const debug = gl?.getExtension('WEBGL_debug_renderer_info');
  hold('renderer', debug ? [gl.getParameter(debug.UNMASKED_VENDOR_WEBGL), gl.getParameter(debug.UNMASKED_RENDERER_WEBGL)] : null, main.webgl.value?.unmasked ?? null);
  gl?.getExtension('WEBGL_lose_context')?.loseContext();
  return {ok: Object.keys(wrong).length === 0, seen: wrong};
}, {realms: OTHERS, check: true});
