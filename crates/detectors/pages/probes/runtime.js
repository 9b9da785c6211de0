// Whether somebody has switched on `Runtime` and looks at what the console is given, or `Debugger`.
{
  const silent = (run) => {
    run();
  };
  const check = (name, run) => probe(`runtime.${name}`, run, { check: true });
  const METHODS = ['debug', 'log', 'info', 'dir'];

  // How often `make(count)` is looked at while the console prints it.
  const looks = (make) => {
    let count = 0;
    const object = make(() => count++);
    silent(() => METHODS.forEach((method) => console[method](object)));
    return count;
  };

  check('prepare-stack', () => {
    // Nobody asks for a stack that is only printed.
    const before = Object.getOwnPropertyDescriptor(Error, 'prepareStackTrace');
    let count = 0;
    Error.prepareStackTrace = () => {
      count++;
      return '';
    };
    silent(() => METHODS.forEach((method) => console[method](new Error('printed'))));
    if (before) Object.defineProperty(Error, 'prepareStackTrace', before);
    else delete Error.prepareStackTrace;
    return { ok: count === 0, seen: count };
  });
  check('stack-getter', () => {
    const seen = looks((count) => {
      const error = new Error('printed');
      Object.defineProperty(error, 'stack', { configurable: false, enumerable: false, get: () => (count(), '') });
      return error;
    });
    return { ok: seen === 0, seen };
  });
  // An ordinary console looks at the name and the message once for each call, to make its line.
  probe('runtime.subclass-getters', () => looks((count) => {
    class Watched extends Error {
      get name() { count(); return 'name'; }
      get message() { count(); return 'message'; }
      get stack() { count(); return ''; }
    }
    const error = new Watched();
    delete error.stack;
    delete error.message;
    return error;
  }));
  probe('runtime.proxy-traps', () => looks((count) => new Proxy({}, Object.fromEntries(
    ['get', 'ownKeys', 'getPrototypeOf', 'getOwnPropertyDescriptor', 'has'].map((trap) => [trap, (...args) => (count(), Reflect[trap](...args))]),
  ))));
  check('proxy-parent', () => {
    // Nobody walks up to the parent of what is printed.
    const seen = looks((count) => Object.create(new Proxy({}, { ownKeys: (target) => (count(), Reflect.ownKeys(target)), getPrototypeOf: (target) => (count(), Reflect.getPrototypeOf(target)) })));
    return { ok: seen === 0, seen };
  });
  probe('runtime.error-parent', () => looks((count) => {
    const error = new Error('printed');
    Object.setPrototypeOf(error, new Proxy(Error.prototype, { get: (...args) => (count(), Reflect.get(...args)), getPrototypeOf: (target) => (count(), Reflect.getPrototypeOf(target)) }));
    return error;
  }));
  check('object-getters', () => {
    const seen = looks((count) => Object.defineProperties({}, { id: { enumerable: true, get: count }, then: { enumerable: true, get: count } }));
    return { ok: seen === 0, seen };
  });
  check('function-source', () => {
    const seen = looks((count) => Object.assign(() => {}, { toString: () => (count(), '') }));
    return { ok: seen <= METHODS.length, seen };
  });
  check('regexp-and-date', () => {
    const seen = looks((count) => Object.assign(/x/, { toString: () => (count(), '') })) + looks((count) => Object.assign(new Date(), { toString: () => (count(), '') }));
    return { ok: seen <= 2 * METHODS.length, seen };
  });
  if (typeof document !== 'undefined') {
    check('element-getters', () => {
      const seen = looks((count) => Object.defineProperty(document.createElement('div'), 'id', { get: () => (count(), '') }));
      return { ok: seen === 0, seen };
    });
  }

  // Work that nobody disturbed; a busy machine disturbs most.
  const best = (numbers) => Math.min(...numbers);
  const time = (run) => {
    const start = performance.now();
    run();
    return performance.now() - start;
  };
  check('table-time', () => {
    // A table of many objects costs next to nothing unless somebody is given previews of them. Of so
    // many that a clock of a tenth of a millisecond can tell.
    const rows = Array.from({ length: 2000 }, (_, index) => Object.fromEntries(Array.from({ length: 12 }, (_, key) => [`key${key}`, `${index} ${key}`])));
    const tables = [];
    const texts = [];
    const seen = () => ({ table: best(tables), text: Math.max(best(texts), 0.1) });
    const under = (times) => seen().table < seen().text * times;
    // Where others keep the processors busy, a few rounds may all be disturbed. Previews take fifty times as long.
    for (let round = 0; round < 7 || (round < 30 && !under(6) && under(20)); round++) {
      texts.push(time(() => JSON.stringify(rows)));
      tables.push(time(() => console.table(rows)));
    }
    console.clear();
    return { ok: under(6), seen: seen() };
  });
  check('debugger-time', () => {
    // Does not stop, so it takes no time. The best of some counts: a busy machine stops anybody.
    const spent = Array.from({ length: 5 }, () => time(() => {
      for (let round = 0; round < 20; round++) debugger; // eslint-disable-line no-debugger
    }));
    return { ok: best(spent) < 8, seen: spent };
  });
  check('console-sources', () => {
    const seen = ['debug', 'log', 'table', 'error', 'clear', 'dir'].filter((name) => Function.prototype.toString.call(console[name]) !== `function ${name}() { [native code] }`);
    return { ok: seen.length === 0, seen };
  });
}
