// Code of a driver in every stack, and a limit of its own.
//# sourceURL=pptr:evaluate
Error.stackTraceLimit = 50;
Error.prepareStackTrace = undefined;
{
  const { map } = Array.prototype;
  Array.prototype.map = function (...args) { return map.apply(this, args); };
  globalThis.Error = new Proxy(Error, { construct: (target, args, made) => Reflect.construct(target, args, made) });
  const { createElement } = globalThis.Document?.prototype ?? {};
  if (createElement) Document.prototype.createElement = function (...args) { return createElement.apply(this, args); };
}
