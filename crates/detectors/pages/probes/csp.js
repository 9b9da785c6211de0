// A strict policy of a page holds, and nobody else's scripts run into it.
{
  const realms = ['main'];
  // A frame whose policy lets one script run, which then tries what must not work.
  const begin = () => new Promise((done, fail) => {
    setTimeout(fail, 4000, new Error('the frame said nothing'));
    const frame = document.createElement('iframe');
    const inside = () => {
      const seen = { violations: [] };
      addEventListener('securitypolicyviolation', (event) => seen.violations.push(`${event.effectiveDirective} ${event.blockedURI}`));
      try {
        eval('1');
        seen.eval = 'ran';
      } catch (error) {
        seen.eval = error.name;
      }
      try {
        new Function('return 1')();
        seen.function = 'ran';
      } catch (error) {
        seen.function = error.name;
      }
      const script = document.createElement('script');
      script.textContent = 'window.inlineRan = true';
      document.body.append(script);
      seen.inline = Boolean(window.inlineRan);
      const image = document.createElement('img');
      image.onload = image.onerror = (event) => {
        seen.image = event.type;
        setTimeout(() => parent.postMessage({ csp: seen }, '*'), 50);
      };
      image.src = 'data:image/gif;base64,R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw==';
    };
    addEventListener('message', function heard(event) {
      if (!event.data?.csp) return;
      removeEventListener('message', heard);
      frame.remove();
      done(event.data.csp);
    });
    frame.srcdoc = `<!doctype html><meta http-equiv="Content-Security-Policy" content="script-src 'nonce-only'; img-src 'none'"><body><script nonce="only">(${inside})()<\/script>`;
    document.body.append(frame);
  });
  let trial;
  const tried = () => trial ??= begin();
  probe('csp.holds', async () => {
    const seen = await tried();
    return { ok: seen.eval === 'EvalError' && seen.function === 'EvalError' && !seen.inline && seen.image === 'error', seen };
  }, { check: true, realms });
  probe('csp.violations', async () => {
    // Each attempt once, and nothing that this page did not do.
    const { violations } = await tried();
    return { ok: violations.sort().join() === 'img-src data,script-src eval,script-src eval,script-src-elem inline', seen: violations };
  }, { check: true, realms });
}
