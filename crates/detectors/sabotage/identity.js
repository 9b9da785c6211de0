// Another browser than it is, told in the page and nowhere else.
if (globalThis.Navigator) {
  const say = (owner, name, value) => Object.defineProperty(owner, name, { get: () => value, configurable: true });
  delete globalThis.chrome;
  say(Navigator.prototype, 'userAgent', 'Mozilla/5.0 (Unknown; Linux) PhantomJS/2.1 HeadlessChrome/156');
  say(Navigator.prototype, 'plugins', []);
  say(Navigator.prototype, 'languages', undefined);
  say(Navigator.prototype, 'platform', 'Win32');
  say(Navigator.prototype, 'deviceMemory', 3);
  say(Navigator.prototype, 'hardwareConcurrency', 256);
  Object.defineProperty(Navigator.prototype, 'webdriver', { value: false, writable: true, configurable: true });
  delete Navigator.prototype.getBattery;
  say(Notification, 'permission', 'denied');
  Permissions.prototype.query = async () => ({ state: 'prompt' });
  WebGLRenderingContext.prototype.getParameter = (name) => (name === 37445 ? 'Brian Paul' : 'Mesa OffScreen');
  say(HTMLImageElement.prototype, 'width', 0);
  say(HTMLElement.prototype, 'offsetHeight', 0);
  globalThis.matchMedia = () => ({ matches: false, addEventListener() {} });
  globalThis.eval = (text) => text;
  globalThis.WebSocket = class {};
  HTMLMediaElement.prototype.canPlayType = () => '';
  say(globalThis, 'outerHeight', 1);
  const { resolvedOptions } = Intl.DateTimeFormat.prototype;
  Intl.DateTimeFormat.prototype.resolvedOptions = function () {
    return { ...resolvedOptions.call(this), timeZone: 'Pacific/Kiritimati' };
  };
  const { getChannelData } = AudioBuffer.prototype;
  AudioBuffer.prototype.getChannelData = function (...args) {
    return getChannelData.apply(this, args).map((sample) => sample + Math.random() / 1e6);
  };
  globalThis.requestAnimationFrame = (callback) => setTimeout(() => callback(performance.now()), 150 * Math.random());
  for (const { prototype } of [CanvasRenderingContext2D, OffscreenCanvasRenderingContext2D]) {
    const { getImageData } = prototype;
    prototype.getImageData = function (...args) {
      const image = getImageData.apply(this, args);
      image.data[0] ^= 1;
      return image;
    };
  }
}
