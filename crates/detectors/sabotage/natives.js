// Built-in functions replaced in the ways that stealth scripts do it. Most of it in the top document
// only, so that a fresh frame has the originals.
if (globalThis.Navigator && self === top) {
  const define = (owner, name, change) => Object.defineProperty(owner, name, { ...Object.getOwnPropertyDescriptor(owner, name), ...change });
  define(Navigator.prototype, 'vendor', { get: () => 'Google Inc.' });
  define(Screen.prototype, 'width', { get: function width() { return 1920; } });
  HTMLMediaElement.prototype.canPlayType = function () { return ''; }.bind(null);
  define(EventTarget.prototype, 'addEventListener', { enumerable: false });
  const { query } = Permissions.prototype;
  delete Permissions.prototype.query;
  Permissions.prototype.query = { query(...args) { return query.apply(this, args); } }.query;
  Object.setPrototypeOf(Document.prototype.createElement, null);
  Object.assign(Element.prototype.attachShadow, { original: 1 });
  define(Navigator.prototype, 'hardwareConcurrency', { get: new Proxy(Object.getOwnPropertyDescriptor(Navigator.prototype, 'hardwareConcurrency').get, { apply: () => 256 }) });
  Function.prototype.bind = function bind(...args) { return Reflect.apply(Function.prototype.call, Function.prototype.apply, [this, ...args]); };
  Object.defineProperty(Object.getPrototypeOf(console), Symbol.toStringTag, { value: 'Console', configurable: true });
  Object.defineProperty(console, Symbol.toStringTag, { value: 'Console', configurable: true });
  Object.defineProperty(navigator, 'webdriver', { get: () => false });
  const { toString } = Function.prototype;
  Function.prototype.toString = function () {
    return this === Function.prototype.toString ? 'function toString() { [native code] }' : toString.call(this).replace(/\{[^]*\}/, '{ [native code] }');
  };
}
