// A recorder of the console: it looks at everything that is printed.
for (const name of ['debug', 'log', 'info', 'dir', 'table']) {
  const original = console[name];
  console[name] = (...args) => {
    for (const arg of args) {
      if (arg === null || typeof arg !== 'object' && typeof arg !== 'function') continue;
      String([arg.stack, arg.id, arg.then]);
      for (const parent of [arg, Object.getPrototypeOf(arg)]) parent && Reflect.ownKeys(parent);
      if (typeof arg.toString === 'function' && !(Symbol.toStringTag in arg)) for (let look = 0; look < 3; look++) arg.toString();
    }
    original(...args);
  };
}
