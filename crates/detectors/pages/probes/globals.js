// Names of the global object and how they are defined, in their order.

probe('global names', () => Object.getOwnPropertyNames(globalThis), {realms: ['document', 'worker', 'worklet']});
probe('global symbols', () => Object.getOwnPropertySymbols(globalThis).map(String), {realms: ['document', 'worker', 'worklet']});

// The classes of the platform are looked at one by one in another probe.
probe('global definitions', () => shape(globalThis).filter((line) => !/^[A-Z]\w*: [A-Z]/.test(line)), {realms: ['document', 'worker', 'worklet']});

probe('global prototypes', () => {
  const chain = [];
  for (let holder = Object.getPrototypeOf(globalThis); holder; holder = Object.getPrototypeOf(holder)) {
    chain.push([Object.prototype.toString.call(holder), Reflect.ownKeys(holder).map(String)]);
  }
  return chain;
}, {realms: ['document', 'worker', 'worklet']});

// Enumeration goes by the order of creation, so it shows what came later.
probe('global enumeration', () => {
  const names = [];
  for (const name in globalThis) names.push(name);
  return names;
}, {realms: ['document', 'worker']});

const SKIP = ['timeOrigin', 'crypto'];
probe('global values', () => values(globalThis, SKIP), {realms: ['document', 'worker']});

probe('chrome', () => {
  const look = (object, depth) => Object.fromEntries(Reflect.ownKeys(object).map((key) => {
    const value = object[key];
    return [String(key), `${descriptor(object, key)}${value && typeof value === 'object' && depth < 3 ? ` ${JSON.stringify(look(value, depth + 1))}` : ''}`];
  }));
  return typeof chrome === 'undefined' ? null : look(chrome, 0);
}, {realms: ['document', 'worker']});

probe('chrome values', () => ({
  load: chrome.loadTimes ? Object.keys(chrome.loadTimes()) : null,
  said: chrome.loadTimes ? (({navigationType, wasFetchedViaSpdy, wasNpnNegotiated, npnNegotiatedProtocol, wasAlternateProtocolAvailable, connectionInfo}) => [navigationType, wasFetchedViaSpdy, wasNpnNegotiated, npnNegotiatedProtocol, wasAlternateProtocolAvailable, connectionInfo])(chrome.loadTimes()) : null,
  csi: chrome.csi ? [Object.keys(chrome.csi()), chrome.csi().tran] : null,
  app: chrome.app ? [chrome.app.isInstalled, chrome.app.getDetails?.() ?? null, chrome.app.runningState?.() ?? null] : null,
}), {realms: ['document']});
