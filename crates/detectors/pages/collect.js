// The runtime of the probes: the server puts it in front of them, into one function with the constants
// REALM (this realm's name), KIND ('document', 'worker' or 'worklet') and BASE (the address of the
// visit). It uses nothing that only documents have.

const scope = globalThis;
const probes = [];
// How long one probe may take. A machine that runs other browsers is slow.
const LIMIT = 12000;

// Registers a probe.
//   name     of the check; the same name in all realms
//   fn       may be async; what it returns is compared with what gold returns in the same realm
//   options  realms: kinds or names of realms where it runs (documents and workers, if not told)
//            check: true if it judges by itself and returns {ok, seen}; ok must hold
function probe(name, fn, options = {}) {
  const realms = options.realms ?? ['document', 'worker'];
  if (realms.includes(KIND) || realms.includes(REALM)) probes.push({name, fn, check: options.check === true});
}

// Replaces what is different at every visit.
function steady(text) {
  return String(text).replaceAll(BASE, 'BASE/').replaceAll(/(127\.0\.0\.1|localhost):\d+/g, '$1:PORT').replaceAll(/visit\d+/g, 'VISIT');
}

// A short digest of a text.
function digest(text) {
  let [a, b] = [0xdeadbeef, 0x41c6ce57];
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    a = Math.imul(a ^ code, 2654435761);
    b = Math.imul(b ^ code, 1597334677);
  }
  return (a >>> 0).toString(16).padStart(8, '0') + (b >>> 0).toString(16).padStart(8, '0');
}

// The one line that says how a property is defined.
function descriptor(object, key) {
  const found = Object.getOwnPropertyDescriptor(object, key);
  const native = Function.prototype.toString;
  const callable = (fn) => `${fn.name}/${fn.length}${/\[native code\]/.test(native.call(fn)) ? '' : ' not native'}`;
  const flags = ['writable', 'enumerable', 'configurable'].filter((flag) => found[flag]).map((flag) => flag[0]).join('');
  if ('value' in found) return `${typeof found.value === 'function' ? callable(found.value) : typeof found.value} ${flags}`;
  return [found.get && `get ${callable(found.get)}`, found.set && `set ${callable(found.set)}`, flags].filter(Boolean).join(' ');
}

// Every own property of an object with its definition.
function shape(object) {
  const lines = Reflect.ownKeys(object).map((key) => `${String(key)}: ${descriptor(object, key)}`);
  return lines;
}

// A value as far as it can be compared; objects by their class.
function plain(value, depth = 0) {
  if (value === undefined) return 'undefined';
  if (typeof value === 'string') return steady(value);
  if (value === null || typeof value === 'boolean') return value;
  // JSON has no word for these.
  if (typeof value === 'number') return Number.isFinite(value) ? value : String(value);
  if (Array.isArray(value) && depth < 3) return value.map((part) => plain(part, depth + 1));
  if (typeof value === 'function') return 'function';
  return typeof value === 'object' ? Object.prototype.toString.call(value) : `${typeof value} ${String(value)}`;
}

// What every property of an object says, its own and its prototypes', so that none is forgotten.
function values(object, skip = []) {
  const said = {};
  for (let holder = object; holder && holder !== Object.prototype; holder = Object.getPrototypeOf(holder)) {
    for (const key of Object.getOwnPropertyNames(holder)) {
      if (key === 'constructor' || skip.includes(key) || key in said) continue;
      try {
        const value = object[key];
        // Constants and functions belong to the shape.
        if (typeof value !== 'function' && !/^[A-Z_0-9]+$/.test(key)) said[key] = plain(value);
      } catch (error) {
        said[key] = `throws ${steady(error)}`;
      }
    }
  }
  return said;
}

// The outcome of a promise, or `silent` when there is none in time.
function settled(promise, limit = 3000) {
  const late = new Promise((done) => setTimeout(done, limit, 'silent'));
  return Promise.race([Promise.resolve(promise).catch((error) => `throws ${steady(error)}`), late]);
}

// A picture to draw on, in documents and in workers.
const surface = (width, height) => new OffscreenCanvas(width, height);

// Runs all probes one after the other; what they found by name.
async function found() {
  const checks = {};
  for (const {name, fn, check} of probes) {
    const late = scope.setTimeout && new Promise((_, fail) => setTimeout(fail, LIMIT, new Error('no answer')));
    try {
      const value = await (late ? Promise.race([fn(), late]) : fn());
      checks[name] = check ? {verdict: {ok: value.ok === true, seen: value.seen ?? null}} : {value: value ?? null};
    } catch (error) {
      checks[name] = {error: steady(error)};
    }
  }
  return checks;
}

// Sends a realm's report; `text/plain` so that no origin needs to ask first.
const send = (realm, checks) => fetch(`${BASE}report/${realm}`, {method: 'POST', body: JSON.stringify(checks), mode: 'no-cors'});

function collect() {
  if (KIND === 'worklet') {
    // No network here: the page that made it passes the report on.
    registerProcessor('report', class extends AudioWorkletProcessor {
      constructor() {
        super();
        found().then((checks) => this.port.postMessage(checks));
      }
      process() {
        return false;
      }
    });
    return;
  }
  const go = async () => send(REALM, await found());
  if (KIND === 'document' && document.readyState !== 'complete') {
    addEventListener('load', () => setTimeout(go));
  } else if (scope.ServiceWorkerGlobalScope) {
    // It lives as long as it is being installed.
    addEventListener('install', (event) => event.waitUntil(go()));
  } else {
    go();
  }
}
