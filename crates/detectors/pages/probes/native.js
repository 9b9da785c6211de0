// Whether built-in functions are still the browser's own. Whoever replaces one leaves something: another
// source, name, length, prototype or descriptor, a stack frame too many, or an error too few.
{
  const show = (bad) => ({ ok: bad.length === 0, seen: bad.length === 0 ? 'all' : { count: bad.length, first: bad.slice(0, 6) } });
  const attempt = (run) => {
    try {
      return ['value', String(run())];
    } catch (error) {
      return [error?.name, String(error?.message)];
    }
  };

  // A realm that nothing of the page has touched; workers and sandboxed
  // documents have only their own.
  const fresh = () => {
    // A frame in a sandboxed document is a stranger to it.
    if (typeof document === 'undefined' || origin === 'null') return { realm: globalThis, end() {} };
    const frame = document.createElement('iframe');
    frame.style.display = 'none';
    (document.body ?? document.documentElement).append(frame);
    return { realm: frame.contentWindow, end: () => frame.remove() };
  };
  const inFresh = (use) => {
    const { realm, end } = fresh();
    try {
      return use(realm);
    } finally {
      end();
    }
  };

  // Built-in functions reachable from the names of the language and the platform, with where they were
  // found: [path, function, what their name should be, owner, key, descriptor].
  const isBuiltInName = (name, realm) => /^[A-Z]/.test(name) && typeof realm[name] === 'function';
  const walk = (global, names) => {
    const found = [];
    const seen = new Set();
    const visit = (path, owner) => {
      if (!owner || seen.has(owner)) return;
      seen.add(owner);
      for (const key of Reflect.ownKeys(owner)) {
        if (key === 'constructor' || key === 'arguments' || key === 'caller') continue;
        const descriptor = Reflect.getOwnPropertyDescriptor(owner, key);
        const text = typeof key === 'symbol' ? `[${key.description}]` : key;
        if (typeof descriptor.value === 'function') found.push([`${path}.${text}`, descriptor.value, text, owner, key, descriptor]);
        if (descriptor.get) found.push([`get ${path}.${text}`, descriptor.get, `get ${text}`, owner, key, descriptor]);
        if (descriptor.set) found.push([`set ${path}.${text}`, descriptor.set, `set ${text}`, owner, key, descriptor]);
      }
    };
    for (const name of names) {
      const value = global[name];
      visit(name, value);
      if (typeof value === 'function') visit(`${name}.prototype`, value.prototype);
    }
    for (const name of ['Math', 'JSON', 'Reflect', 'Atomics', 'Intl', 'console', 'WebAssembly', 'CSS', 'chrome']) visit(name, global[name]);
    for (const name of ['navigator', 'screen', 'document', 'history', 'performance', 'crypto']) {
      if (global[name]) visit(name, Object.getPrototypeOf(global[name]));
    }
    return found;
  };
  const namesOf = (realm) => Object.getOwnPropertyNames(realm).filter((name) => isBuiltInName(name, realm));
  // What is built in here and in a fresh realm: walked once for all checks, because it is the dearest part of the suite.
  // The page's own classes are none of the browser's.
  let walked;
  const builtIn = (use) => {
    if (!walked) {
      const { realm, end } = fresh();
      const names = namesOf(realm);
      const there = realm === globalThis ? null : walk(realm, names);
      const here = walk(globalThis, names);
      walked = { here, there: there ?? here, realm, end };
    }
    return use(walked.here, walked.realm, walked.there);
  };

  // Functions of Chromium's own that are made in an older way.
  const OLD = /^chrome\.|^Intl\.v8BreakIterator$/;

  // What anyone who hides something changes first.
  const SUSPECTS = [
    () => Object.getOwnPropertyDescriptor(Navigator.prototype, 'webdriver').get,
    () => Object.getOwnPropertyDescriptor(Navigator.prototype, 'plugins').get,
    () => Object.getOwnPropertyDescriptor(Navigator.prototype, 'mimeTypes').get,
    () => Object.getOwnPropertyDescriptor(globalThis.Navigator?.prototype ?? WorkerNavigator.prototype, 'languages').get,
    () => Object.getOwnPropertyDescriptor(globalThis.Navigator?.prototype ?? WorkerNavigator.prototype, 'hardwareConcurrency').get,
    () => Object.getOwnPropertyDescriptor(Navigator.prototype, 'vendor').get,
    () => Object.getOwnPropertyDescriptor(globalThis.Navigator?.prototype ?? WorkerNavigator.prototype, 'userAgent').get,
    () => Object.getOwnPropertyDescriptor(globalThis.Navigator?.prototype ?? WorkerNavigator.prototype, 'platform').get,
    () => Object.getOwnPropertyDescriptor(Screen.prototype, 'width').get,
    () => Object.getOwnPropertyDescriptor(HTMLIFrameElement.prototype, 'contentWindow').get,
    () => HTMLMediaElement.prototype.canPlayType,
    () => HTMLCanvasElement.prototype.toDataURL,
    () => HTMLCanvasElement.prototype.getContext,
    () => WebGLRenderingContext.prototype.getParameter,
    () => WebGL2RenderingContext.prototype.getParameter,
    () => CanvasRenderingContext2D.prototype.getImageData,
    () => Permissions.prototype.query,
    () => Element.prototype.attachShadow,
    () => Document.prototype.createElement,
    () => EventTarget.prototype.addEventListener,
    () => Function.prototype.toString,
    () => Object.getOwnPropertyDescriptor,
    () => Object.getOwnPropertyNames,
    () => Reflect.ownKeys,
    () => Date.prototype.getTimezoneOffset,
    () => Intl.DateTimeFormat.prototype.resolvedOptions,
    () => console.debug,
    () => console.log,
    () => globalThis.setTimeout,
    () => globalThis.fetch,
    () => JSON.stringify,
    () => Array.prototype.map,
  ];
  const suspects = () => SUSPECTS.flatMap((find) => {
    try {
      const suspect = find();
      return typeof suspect === 'function' ? [suspect] : [];
    } catch {
      return [];
    }
  });
  const offenders = (test) => show(suspects().filter((suspect) => !test(suspect)).map((suspect) => suspect.name));

  const natives = (name, use) => probe(`native.${name}`, () => builtIn(use), { check: true });

  natives('source', (found, realm) => {
    const source = realm.Function.prototype.toString;
    return show(found.filter(([, fn]) => !/^(async )?(function|class)?\s*[^\n]*\{ ?\n? *\[native code\] ?\n? *\}$/.test(source.call(fn))).map(([path]) => path));
  });
  natives('source-own', (found, realm) => {
    // The page's own answer must be the same as that of a fresh realm, for every function.
    return show(found.filter(([, fn]) => Function.prototype.toString.call(fn) !== realm.Function.prototype.toString.call(fn)).map(([path]) => path));
  });
  natives('source-name', (found, realm) => {
    const source = realm.Function.prototype.toString;
    return show(found.filter(([, fn]) => source.call(fn) !== `function ${fn.name}() { [native code] }`).map(([path]) => path));
  });
  natives('keys', (found) => {
    // Built-in methods and accessors have `length` and `name`, in that order, and nothing else.
    return show(found.filter(([, fn]) => fn !== Function.prototype && !Object.hasOwn(fn, 'prototype') && Reflect.ownKeys(fn).map(String).join() !== 'length,name').map(([path]) => path));
  });
  natives('no-prototype', (found) => {
    return show(found.filter(([path, fn]) => Object.hasOwn(fn, 'prototype') && !/^[A-Z]/.test(fn.name) && !OLD.test(path)).map(([path]) => path));
  });
  natives('name', (found, realm, fresh) => {
    const there = new Map(fresh.map(([path, fn]) => [path, `${fn.name} ${fn.length}`]));
    return show(found.filter(([path, fn]) => there.has(path) && there.get(path) !== `${fn.name} ${fn.length}`).map(([path]) => path));
  });
  natives('descriptors', (found, realm, fresh) => {
    const flags = (descriptor) => [descriptor.writable, descriptor.enumerable, descriptor.configurable, typeof descriptor.get, typeof descriptor.set].join();
    const there = new Map(fresh.map(([path, , , , , descriptor]) => [path, flags(descriptor)]));
    return show(found.filter(([path, , , , , descriptor]) => there.has(path) && there.get(path) !== flags(descriptor)).map(([path]) => path));
  });
  natives('order', (found, realm) => {
    // What was defined again stands at the end of its owner.
    const order = (global, name) => Reflect.ownKeys(global[name].prototype ?? {}).map(String).join();
    return show(namesOf(realm).filter((name) => typeof globalThis[name] === 'function' && order(globalThis, name) !== order(realm, name)).map((name) => `${name}.prototype`));
  });
  natives('parents', (found) => {
    // Functions of this realm have this realm's `Function.prototype` as parent.
    return show(found.filter(([, fn]) => fn !== Function.prototype && !Function.prototype.isPrototypeOf(fn)).map(([path]) => path));
  });

  const check = (name, run) => probe(`native.${name}`, run, { check: true });
  check('no-construct', () => offenders((fn) => attempt(() => new fn())[0] === 'TypeError' && attempt(() => class extends fn {})[0] === 'TypeError'));
  check('cyclic', () => offenders((fn) => {
    // An object cannot be its own ancestor; a Proxy hides that it would be.
    const parent = Object.getPrototypeOf(fn);
    try {
      Object.setPrototypeOf(fn, Object.create(fn));
    } catch (error) {
      return error instanceof TypeError && error.message === 'Cyclic __proto__ value';
    } finally {
      Object.setPrototypeOf(fn, parent);
    }
    return false;
  }));
  check('cyclic-frames', () => offenders((fn) => {
    // The error comes from `setPrototypeOf` itself, called here.
    const frames = (one) => {
      const parent = Object.getPrototypeOf(one);
      try {
        Object.setPrototypeOf(one, Object.create(one));
      } catch (error) {
        return error.stack.split('\n').length;
      } finally {
        Object.setPrototypeOf(one, parent);
      }
      return 0;
    };
    return frames(fn) === frames(() => {});
  }));
  check('child-source', () => offenders((fn) => {
    // `toString` of something that merely inherits from a function throws, from `toString` and no deeper.
    try {
      Object.create(fn).toString();
    } catch (error) {
      const [, first, second] = error.stack.split('\n');
      return error instanceof TypeError && /^ +at (Function|Object)\.toString \(<anonymous>\)/.test(first) && !/<anonymous>|Reflect|Proxy/.test(second ?? '');
    }
    return false;
  }));
  check('child-instance', () => offenders((fn) => attempt(() => ({}) instanceof fn)[0] === (Object.hasOwn(fn, 'prototype') ? 'value' : 'TypeError')));
  check('arguments', () => offenders((fn) => !Object.hasOwn(fn, 'arguments') && !Object.hasOwn(fn, 'caller')
    && attempt(() => fn.arguments)[0] === 'TypeError' && attempt(() => fn.caller)[0] === 'TypeError'));
  check('illegal-invocation', () => offenders((fn) => {
    // Called on something else, an accessor of the platform throws in its own name.
    if (!fn.name.startsWith('get ')) return true;
    try {
      fn.call(Object.create(null));
    } catch (error) {
      return error instanceof TypeError && /Illegal invocation|incompatible receiver|requires/.test(error.message) && error.stack.split('\n').length <= 13
        && !/at Object\.apply|at Reflect\.|at Object\.get /.test(error.stack);
    }
    return false;
  }));
  check('prototype-getters', () => {
    // Reading an attribute from the prototype throws; a plain value or a loose getter does not.
    const owner = globalThis.Navigator?.prototype ?? WorkerNavigator.prototype;
    const names = ['webdriver', 'plugins', 'languages', 'hardwareConcurrency', 'userAgent', 'platform', 'deviceMemory', 'vendor', 'mimeTypes'].filter((name) => name in owner);
    return show(names.filter((name) => attempt(() => owner[name])[0] !== 'TypeError'));
  });
  check('source-of-source', () => inFresh((realm) => {
    const source = realm.Function.prototype.toString;
    const own = Function.prototype.toString;
    const want = 'function toString() { [native code] }';
    const seen = [source.call(own), own.call(own), own.call(source), source.call(own.toString), `${own}`, own.name, own.length, Reflect.ownKeys(own).join()];
    return { ok: seen.slice(0, 5).every((text) => text === want) && seen.slice(5).join() === 'toString,0,length,name', seen };
  }));
  check('source-frames', () => {
    // No frame of a wrapper between the error and this line.
    try {
      Function.prototype.toString.call({});
    } catch (error) {
      const lines = error.stack.split('\n');
      return { ok: /toString \(<anonymous>\)/.test(lines[1]) && !/toString|apply|Reflect/.test(lines[2] ?? ''), seen: lines.slice(0, 3).map((line) => line.replace(/https?:\S+/, 'page')) };
    }
    return { ok: false, seen: 'no error' };
  });
  check('call-and-apply', () => {
    const seen = ['call', 'apply', 'bind'].map((name) => Function.prototype[name].toString() + Object.hasOwn(Function.prototype[name], 'prototype'));
    return { ok: seen.every((text, index) => text === `function ${['call', 'apply', 'bind'][index]}() { [native code] }false`), seen };
  });
  check('own-properties', () => {
    // Nothing is defined over what there is: attributes live on prototypes.
    const expected = { navigator: [], screen: [], history: [], document: ['location'], performance: [] };
    const seen = Object.fromEntries(Object.keys(expected).filter((name) => globalThis[name]).map((name) => [name, Reflect.ownKeys(globalThis[name]).map(String)]));
    return { ok: Object.entries(seen).every(([name, keys]) => keys.join() === expected[name].join()), seen };
  });
  check('tags', () => {
    const seen = Object.fromEntries(['navigator', 'screen', 'document', 'history', 'performance', 'console', 'chrome'].filter((name) => globalThis[name])
      .map((name) => [name, Object.prototype.toString.call(globalThis[name])]));
    const expected = { navigator: typeof document === 'undefined' ? 'WorkerNavigator' : 'Navigator', screen: 'Screen', document: 'HTMLDocument', history: 'History', performance: 'Performance', console: 'console', chrome: 'Object' };
    return { ok: Object.entries(seen).every(([name, tag]) => tag === `[object ${expected[name]}]`), seen };
  });
  // The last that needs the fresh realm.
  probe('native.count', () => builtIn((found) => {
    walked.end();
    return found.length;
  }));
  probe('native.invocation-messages', () => suspects().map((fn) => `${fn.name}: ${attempt(() => fn.call(Object.create(null), {})).join(' ')}`));
}
