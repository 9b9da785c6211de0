// Opens the other realms, one after the other: what they see must not depend on who else is busy.
(async () => {
  const state = document.getElementById('state');
  const base = location.href;
  const other = base.replace('127.0.0.1', 'localhost');
  const missing = [];
  const suite = await (await fetch('suite')).text();
  const full = suite === 'full';
  const few = suite === 'few';

  // Waits until a realm has reported.
  async function reported(realm) {
    state.textContent = realm;
    const answer = await fetch(`wait/${realm}`);
    if (!answer.ok) missing.push(realm);
  }

  async function inFrame(realm, prepare) {
    const frame = document.createElement('iframe');
    frame.width = 400;
    frame.height = 300;
    prepare(frame);
    document.body.append(frame);
    if (!frame.src && !frame.srcdoc) {
      const script = frame.contentDocument.createElement('script');
      script.src = `${base}bundle.js?realm=${realm}&kind=document`;
      frame.contentDocument.body.append(script);
    }
    await reported(realm);
    frame.remove();
  }

  async function inPopup(realm, url, features) {
    const popup = open(url, '_blank', features);
    if (!popup) {
      missing.push(realm);
      return;
    }
    if (url === 'about:blank') {
      const script = popup.document.createElement('script');
      script.src = `${base}bundle.js?realm=${realm}&kind=document`;
      popup.document.body.append(script);
    }
    await reported(realm);
    popup.close();
    // The next one opens where this one was.
    while (!popup.closed || document.visibilityState !== 'visible') await new Promise((done) => setTimeout(done, 20));
  }

  async function inWorklet(realm) {
    state.textContent = realm;
    const context = new OfflineAudioContext(1, 128, 44100);
    await context.audioWorklet.addModule(`bundle.js?realm=${realm}&kind=worklet`);
    const node = new AudioWorkletNode(context, 'report');
    const checks = new Promise((done) => node.port.onmessage = (event) => done(event.data));
    node.connect(context.destination);
    context.startRendering();
    await fetch(`report/${realm}`, {method: 'POST', body: JSON.stringify(await checks)});
  }

  async function moreFrames() {
    await inFrame('srcdoc', (frame) => frame.srcdoc = `<!doctype html><script src="${base}bundle.js?realm=srcdoc&kind=document"><\/script>`);
    await inFrame('blank-frame', () => {});
    await inFrame('sandboxed', (frame) => {
      frame.sandbox = 'allow-scripts';
      frame.src = page('sandboxed');
    });
  }

  async function nested() {
    const parent = new Worker('nest.js');
    await reported('nested');
    parent.terminate();
  }

  async function otherWorkers() {
    const shared = new SharedWorker(script('shared'));
    await reported('shared');
    shared.port.close();
    const service = await navigator.serviceWorker.register(script('service'), {scope: 'service/'});
    await reported('service');
    await service.unregister();
  }

  async function popups() {
    await inPopup('blank-popup', 'about:blank');
    await inPopup('cross-popup', page('cross-popup', other));
    await inPopup('small-popup', page('small-popup'), 'popup,width=500,height=400,left=120,top=140');
    await inPopup('popup', page('popup'));
  }

  const page = (realm, at = base) => `${at}page.html?realm=${realm}`;
  const script = (realm) => `bundle.js?realm=${realm}&kind=worker`;

  await reported('main');
  if (!few) await inFrame('frame', (frame) => frame.src = page('frame'));
  await inFrame('cross-frame', (frame) => frame.src = page('cross-frame', other));
  if (full) await moreFrames();

  const dedicated = new Worker(script('dedicated'));
  await reported('dedicated');
  dedicated.terminate();
  if (full) await nested();
  if (!few) await otherWorkers();
  if (full) {
    await inWorklet('worklet').catch(() => missing.push('worklet'));
    await popups();
  }

  await fetch('done', {method: 'POST', body: JSON.stringify(missing)});
  state.textContent = missing.length === 0 ? 'done' : `done; nothing came from: ${missing.join(', ')}`;
})();
