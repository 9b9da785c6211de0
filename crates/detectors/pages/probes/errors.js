// Stacks and messages of errors: who ran this code, and through what.
{
  // Scripts of drivers, as they stand in stacks.
  const DRIVERS = /pptr:|__puppeteer|UtilityScript|__playwright|playwright|eval at evaluate|evaluate \(|extension:\/\/|debugger eval|sourceURL|webdriver|selenium|callFunctionOn|phantomjs/i;
  const place = (text) => text.replace(/(https?:|blob:)[^\s)]*/g, 'page').replace(/:\d+:\d+/g, '');

  const check = (name, run) => probe(`errors.${name}`, run, { check: true });
  check('prepare', () => {
    const seen = [typeof Error.prepareStackTrace, Object.hasOwn(Error, 'prepareStackTrace')];
    return { ok: seen[0] === 'undefined' && !seen[1], seen };
  });
  check('limit', () => {
    const descriptor = Object.getOwnPropertyDescriptor(Error, 'stackTraceLimit');
    return { ok: descriptor?.value === 10 && descriptor.writable && descriptor.enumerable && descriptor.configurable, seen: descriptor ?? null };
  });
  check('frames', () => {
    // This code runs because the page's own script does: each frame has a place in one.
    const lines = new Error('frames').stack.split('\n').slice(1);
    const strange = lines.filter((line) => DRIVERS.test(line) || !/(https?|blob):/.test(line));
    return { ok: strange.length === 0, seen: strange.length ? strange.map(place) : lines.length };
  });
  check('timer-frames', () => new Promise((done) => {
    setTimeout(() => {
      const lines = new Error('timer').stack.split('\n').slice(1);
      done({ ok: lines.length === 1 && !DRIVERS.test(lines[0]), seen: lines.map(place) });
    });
  }));
  check('native-frames', () => {
    let lines;
    [1].map(() => {
      lines = new Error('map').stack.split('\n');
    });
    return { ok: /^ +at Array\.map \(<anonymous>\)$/.test(lines[2]), seen: lines.slice(1, 3).map(place) };
  });
  check('thrown-frames', () => {
    // A method of the platform that throws has no frame but its own and the caller's.
    if (typeof document === 'undefined') return { ok: true, seen: 'no document' };
    const own = new Error().stack.split('\n').length;
    try {
      document.createElement('');
    } catch (error) {
      return { ok: error.stack.split('\n').length === own && !DRIVERS.test(error.stack), seen: place(error.stack).split('\n').slice(0, 3) };
    }
    return { ok: false, seen: 'no error' };
  });
  probe('errors.stack-property', () => {
    const descriptor = Object.getOwnPropertyDescriptor(new Error('x'), 'stack');
    return descriptor && [typeof descriptor.value, typeof descriptor.get, descriptor.writable, descriptor.enumerable, descriptor.configurable];
  });
  probe('errors.own-keys', () => [Reflect.ownKeys(Error).map(String), Reflect.ownKeys(new Error('x')).map(String)]);
}
