// The engine: arithmetic that differs by platform, and what it supports.

probe('arithmetic', () => {
  const fns = ['acos', 'acosh', 'asin', 'asinh', 'atan', 'atanh', 'cbrt', 'cos', 'cosh', 'exp', 'expm1', 'log', 'log10', 'log1p', 'sin', 'sinh', 'sqrt', 'tan', 'tanh'];
  return digest(fns.map((name) => [0.123456789, 0.5, 1.1, 1e10, -1e308, Math.PI].map((value) => Math[name](value)).join()).join());
}, {realms: ['document', 'worker', 'worklet']});

probe('functions print', () => [Function.prototype.toString.call(Math.max), String(class {}), String(() => 1), Function.prototype.toString.call(Function.prototype.toString), String(Object.getOwnPropertyDescriptor(Object.prototype, '__proto__').get)], {realms: ['document', 'worker', 'worklet']});

probe('memory of programs', () => [new WebAssembly.Memory({initial: 1}).buffer.byteLength, Atomics.isLockFree(8), typeof SharedArrayBuffer], {realms: ['document', 'worker', 'worklet']});
