// Clocks, memory and the entries of the performance timeline: their shape, not their times.

const keys = (entry) => Object.keys(entry.toJSON());

probe('clocks', () => {
  const steps = Array.from({length: 200}, () => performance.now());
  // Not isolated pages see steps of 0.1 ms.
  const even = steps.every((value) => Math.abs(value * 10 - Math.round(value * 10)) < 1e-4);
  return {even, origin: performance.timeOrigin > 1e12, close: Math.abs(performance.timeOrigin + performance.now() - Date.now()) < 1000, whole: Number.isInteger(Date.now())};
});

probe('memory', () => [performance.memory.jsHeapSizeLimit, navigator.deviceMemory ?? null], {realms: ['document']});

probe('timeline', () => ({
  kinds: PerformanceObserver.supportedEntryTypes,
  shape: shape(Object.getPrototypeOf(performance)),
  events: performance.eventCounts ? [...performance.eventCounts.keys()] : null,
}));

probe('navigation entry', () => {
  const [entry] = performance.getEntriesByType('navigation');
  if (!entry) return null;
  const {type, redirectCount, nextHopProtocol, deliveryType, initiatorType, responseStatus, contentType, contentEncoding, renderBlockingStatus, activationStart, workerStart, criticalCHRestart, notRestoredReasons, confidence} = entry;
  return {
    keys: keys(entry),
    said: [type, redirectCount, nextHopProtocol, deliveryType, initiatorType, responseStatus, contentType, contentEncoding, renderBlockingStatus, activationStart, workerStart, criticalCHRestart].map((value) => plain(value)),
    restored: notRestoredReasons === null ? null : JSON.stringify(notRestoredReasons),
    confidence: confidence ? Object.keys(confidence.toJSON()) : null,
    // Whether a step took any time at all.
    steps: ['fetchStart', 'domainLookupEnd', 'connectEnd', 'requestStart', 'responseStart', 'domInteractive', 'loadEventStart'].filter((step) => entry[step] > 0),
  };
}, {realms: ['document']});

probe('resource entry', () => {
  const entry = performance.getEntriesByType('resource').find(({name}) => name.includes('bundle.js'));
  if (!entry) return null;
  return [keys(entry), entry.initiatorType, entry.nextHopProtocol, entry.deliveryType, entry.renderBlockingStatus, entry.responseStatus, entry.contentType];
}, {realms: ['document']});

probe('old timing', () => [Object.keys(performance.timing.toJSON()), performance.navigation.type, performance.navigation.redirectCount], {realms: ['document']});

// Pictures come in the rhythm of a screen, also when some are left out.
probe('rhythm of the screen', async () => {
  const times = [];
  await settled(new Promise((done) => {
    const next = (time) => {
      times.push(time);
      if (times.length < 40) requestAnimationFrame(next);
      else done(true);
    };
    requestAnimationFrame(next);
  }), 8000);
  const steps = times.slice(1).map((time, at) => (time - times[at]) / (1000 / 60));
  const even = steps.filter((step) => Math.abs(step - Math.round(step)) < 0.05).length;
  return {ok: times.length === 40 && even > 30, seen: [times.length, even]};
}, {realms: ['main', 'popup'], check: true});
