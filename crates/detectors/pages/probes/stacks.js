// Errors: messages, stacks, and what the engine lets a page change about them.

const thrown = (fn) => {
  try {
    return fn();
  } catch (error) {
    return error;
  }
};
// Numbers of lines change with the probes.
const stack = (error) => steady(error.stack).replaceAll(/:\d+:\d+/g, ':LINE').split('\n');

probe('error messages', () => [
  () => null.member, () => undefined.call(), () => missing, () => new Array(-1), () => 'x'.repeat(-1), () => JSON.parse('{'), () => decodeURIComponent('%'), () => (1).toFixed(200), () => Symbol() + '',
  () => Object.defineProperty(Object.freeze({}), 'a', {value: 1}), () => new Proxy({}, null), () => Reflect.construct(1), () => structuredClone(() => 1), () => atob('*'), () => new URL('x'), () => BigInt(1.5),
  () => new (class extends null {})(), () => Function('return }')(),
].map((fn) => {
  const error = thrown(fn);
  return `${error?.name}: ${error?.message}`;
}));

probe('error stacks', () => ({
  plain: stack(new Error('plain')),
  evaluated: stack((0, eval)('(() => new Error("evaluated"))()')),
  made: stack(new Function('return new Error("made")')()),
  named: stack((0, eval)('(() => new Error("named"))()\n//# sourceURL=own-name.js')),
  native: stack(thrown(() => [1].map(() => null.member))),
  caught: stack(thrown(() => Object.setPrototypeOf(Object.create(null), 1))),
}));

probe('error settings', () => ({
  limit: Error.stackTraceLimit,
  own: shape(Error),
  made: shape(new Error('own')),
  domain: shape(thrown(() => structuredClone(() => 1))),
}));

probe('depth of the stack', () => {
  let depth = 0;
  const down = () => {
    depth++;
    down();
  };
  const error = thrown(down);
  // How much fits depends on the compiler's mood, its magnitude does not.
  return [`${error.name}: ${error.message}`, Math.round(Math.log2(depth))];
});
