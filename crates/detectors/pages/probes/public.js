// What well-known public pages look at, written anew from what they document: the table of
// bot.sannysoft.com (Intoli's checks of 2017 and 2018) and the rules of fpscanner on what fp-collect reads.
{
  const realms = ['main', 'frame', 'popup'];
  const check = (name, run) => probe(name, run, { check: true, realms });
  const intoli = (name, run) => check(`sannysoft.${name}`, run);
  const scanner = (name, run) => check(`fpscanner.${name}`, run);
  const agent = () => navigator.userAgent;

  const webgl = (type = 'webgl') => {
    const context = document.createElement('canvas').getContext(type);
    const names = context?.getExtension('WEBGL_debug_renderer_info');
    return names ? [context.getParameter(names.UNMASKED_VENDOR_WEBGL), context.getParameter(names.UNMASKED_RENDERER_WEBGL)] : [null, null];
  };

  intoli('user-agent', () => ({ ok: !/headless/i.test(agent()), seen: agent() }));
  intoli('webdriver', () => ({ ok: navigator.webdriver === false, seen: navigator.webdriver ?? null }));
  intoli('webdriver-advanced', () => {
    // Present in the prototype, absent as a property of its own, false by its getter.
    const getter = Object.getOwnPropertyDescriptor(Navigator.prototype, 'webdriver')?.get;
    const seen = ['webdriver' in navigator, Object.hasOwn(navigator, 'webdriver'), getter?.call(navigator) ?? null];
    return { ok: seen.join() === 'true,false,false', seen };
  });
  intoli('chrome', () => ({ ok: typeof window.chrome === 'object' && window.chrome !== null, seen: typeof window.chrome }));
  intoli('permissions', async () => {
    const { state } = await navigator.permissions.query({ name: 'notifications' });
    const seen = [Notification.permission, state];
    return { ok: !(seen[0] === 'denied' && seen[1] === 'prompt'), seen };
  });
  intoli('plugins-length', () => ({ ok: navigator.plugins.length > 0, seen: navigator.plugins.length }));
  intoli('plugins-type', () => {
    const seen = [navigator.plugins instanceof PluginArray, navigator.plugins[0] instanceof Plugin, Object.prototype.toString.call(navigator.plugins), navigator.plugins[0] === navigator.plugins[4294967296]];
    return { ok: seen[0] && seen[1] && seen[2] === '[object PluginArray]', seen };
  });
  intoli('languages', () => ({ ok: navigator.languages?.length > 0 && navigator.languages[0] === navigator.language, seen: navigator.languages }));
  intoli('webgl-vendor', () => ({ ok: Boolean(webgl()[0]) && webgl()[0] !== 'Brian Paul', seen: webgl()[0] }));
  intoli('webgl-renderer', () => ({ ok: Boolean(webgl()[1]) && webgl()[1] !== 'Mesa OffScreen', seen: webgl()[1] }));
  intoli('broken-image', () => new Promise((done) => {
    // One that cannot be loaded is drawn as a small picture of its own.
    const image = document.createElement('img');
    image.onerror = () => {
      const seen = [image.width, image.height];
      image.remove();
      done({ ok: seen[0] > 0 && seen[1] > 0, seen });
    };
    document.body.append(image);
    image.src = `${BASE}nothing-is-here.png`;
  }));
  intoli('hairline', () => {
    // Half a pixel is thinner than one, and has a height where the screen can show it.
    const line = document.createElement('div');
    line.style.border = '.5px dotted transparent';
    document.body.append(line);
    const seen = line.offsetHeight;
    line.remove();
    return { ok: seen > 0, seen };
  });

  const owned = (names, object) => names.filter((name) => name in object);
  scanner('PHANTOM_UA', () => ({ ok: !/PhantomJS/.test(agent()), seen: agent() }));
  scanner('PHANTOM_PROPERTIES', () => {
    const seen = owned(['callPhantom', '_phantom', 'phantom'], window);
    return { ok: seen.length === 0, seen };
  });
  scanner('PHANTOM_ETSL', () => ({ ok: eval.toString().length === 33, seen: eval.toString().length }));
  scanner('PHANTOM_LANGUAGE', () => ({ ok: navigator.languages !== undefined, seen: navigator.languages ?? null }));
  scanner('PHANTOM_WEBSOCKET', () => {
    try {
      new WebSocket('ws://no:port');
    } catch (error) {
      return { ok: error instanceof DOMException && error.name === 'SyntaxError', seen: error.name };
    }
    return { ok: false, seen: 'no error' };
  });
  scanner('MQ_SCREEN', () => {
    const seen = [matchMedia(`(min-width: ${innerWidth - 1}px)`).matches, matchMedia(`(device-width: ${screen.width}px)`).matches];
    return { ok: seen.every(Boolean), seen };
  });
  scanner('PHANTOM_OVERFLOW', () => {
    let depth = 0;
    const deeper = () => {
      depth++;
      deeper();
    };
    try {
      deeper();
    } catch (error) {
      return { ok: error.name === 'RangeError' && error.message === 'Maximum call stack size exceeded' && error.stack.split('\n').length === 11 && depth > 2000, seen: [error.name, error.stack.split('\n').length] };
    }
    return { ok: false, seen: 'no error' };
  });
  scanner('PHANTOM_WINDOW_HEIGHT', () => ({ ok: outerHeight >= innerHeight && outerWidth >= innerWidth, seen: [outerWidth, outerHeight, innerWidth, innerHeight] }));
  scanner('HEADCHR_UA', () => ({ ok: !/HeadlessChrome/.test(agent()) && !JSON.stringify(navigator.userAgentData?.brands ?? []).includes('Headless'), seen: navigator.userAgentData?.brands ?? null }));
  scanner('WEBDRIVER', () => ({ ok: !navigator.webdriver && 'webdriver' in navigator, seen: navigator.webdriver ?? null }));
  scanner('WEBDRIVER_WRITABLE', () => {
    const found = Object.getOwnPropertyDescriptor(Navigator.prototype, 'webdriver');
    return { ok: found?.set === undefined && typeof found?.get === 'function' && found.enumerable && found.configurable, seen: found ? Object.keys(found) : null };
  });
  scanner('HEADCHR_CHROME_OBJ', () => {
    const seen = Object.keys(window.chrome ?? {});
    return { ok: seen.includes('loadTimes') && seen.includes('csi') && seen.includes('app'), seen };
  });
  scanner('HEADCHR_PERMISSIONS', async () => {
    const { state } = await navigator.permissions.query({ name: 'notifications' });
    const match = { granted: 'granted', denied: 'denied', default: 'prompt' }[Notification.permission];
    return { ok: state === match, seen: [Notification.permission, state] };
  });
  scanner('HEADCHR_PLUGINS', () => {
    const seen = [...navigator.plugins].map((plugin) => plugin.name);
    return { ok: seen.length === 5 && navigator.plugins[0] === navigator.plugins[0] && navigator.mimeTypes.length === 2, seen };
  });
  scanner('HEADCHR_IFRAME', () => {
    const frame = document.createElement('iframe');
    frame.srcdoc = 'a page';
    document.body.append(frame);
    const seen = [typeof frame.contentWindow.chrome, frame.contentWindow === window, frame.contentWindow.self === frame.contentWindow, frame.contentWindow.navigator.webdriver];
    frame.remove();
    return { ok: seen.join() === 'object,false,true,false', seen };
  });
  scanner('CHR_DEBUG_TOOLS', () => {
    let looked = 0;
    const element = new Image();
    Object.defineProperty(element, 'id', { get: () => looked++ });
    console.debug(element);
    return { ok: looked === 0, seen: looked };
  });
  scanner('HAS_CDP', () => {
    let looked = 0;
    const error = new Error();
    const before = Object.getOwnPropertyDescriptor(Error, 'prepareStackTrace');
    Error.prepareStackTrace = () => looked++;
    console.log(error);
    if (before) Object.defineProperty(Error, 'prepareStackTrace', before);
    else delete Error.prepareStackTrace;
    return { ok: looked === 0, seen: looked };
  });
  scanner('SELENIUM_DRIVER', () => {
    const inDocument = ['__webdriver_evaluate', '__selenium_evaluate', '__webdriver_script_function', '__webdriver_script_func', '__webdriver_script_fn', '__fxdriver_evaluate', '__driver_unwrapped',
      '__webdriver_unwrapped', '__driver_evaluate', '__selenium_unwrapped', '__fxdriver_unwrapped', '_Selenium_IDE_Recorder', '_selenium', 'calledSelenium', '$cdc_asdjflasutopfhvcZLmcfl_', '$chrome_asyncScriptInfo', '__$webdriverAsyncExecutor'];
    const inWindow = ['webdriver', '__webdriverFunc', 'domAutomation', 'domAutomationController', '__lastWatirAlert', '__lastWatirConfirm', '__lastWatirPrompt', '_WEBDRIVER_ELEM_CACHE', 'ChromeDriverw'];
    const seen = [...owned(inDocument, document), ...owned(inWindow, window), ...['selenium', 'webdriver', 'driver'].filter((name) => document.documentElement.hasAttribute(name)),
      ...[...Object.keys(window), ...Object.keys(document)].filter((key) => /^\$?[a-z]dc_[a-zA-Z0-9]{22}_/.test(key))];
    return { ok: seen.length === 0, seen };
  });
  scanner('PLAYWRIGHT', () => {
    const seen = Object.getOwnPropertyNames(window).filter((name) => /^__(pw|playwright)/.test(name));
    return { ok: seen.length === 0, seen };
  });
  scanner('CHR_BATTERY', () => ({ ok: !isSecureContext || typeof navigator.getBattery === 'function', seen: typeof navigator.getBattery }));
  scanner('CHR_MEMORY', () => ({ ok: !isSecureContext || [0.25, 0.5, 1, 2, 4, 8, 16, 32].includes(navigator.deviceMemory), seen: navigator.deviceMemory ?? null }));
  scanner('HIGH_CPU_COUNT', () => ({ ok: navigator.hardwareConcurrency > 0 && navigator.hardwareConcurrency <= 128, seen: navigator.hardwareConcurrency }));
  scanner('TRANSPARENT_PIXEL', () => {
    const context = document.createElement('canvas').getContext('2d');
    context.fillStyle = 'rgba(0, 0, 0, 0)';
    context.fillRect(0, 0, 1, 1);
    const seen = [...context.getImageData(0, 0, 1, 1).data];
    return { ok: seen.join() === '0,0,0,0', seen };
  });
  scanner('HEADLESS_SCREEN', () => {
    // What headless Chromium and the drivers have when nobody chooses.
    const sizes = [[screen.width, screen.height], [outerWidth, outerHeight], [innerWidth, innerHeight]];
    const usual = ['800,600', '1280,720', '780,580'];
    return { ok: !usual.includes(sizes[0].join()) && !(REALM === 'main' && usual.includes(sizes[2].join())), seen: sizes };
  });
  scanner('PLATFORM', () => {
    const claimed = navigator.userAgentData?.platform;
    const names = { Linux: /^Linux/, Windows: /^Win/, macOS: /^Mac/, Android: /^Linux/ };
    return { ok: !claimed || Boolean(names[claimed]?.test(navigator.platform)), seen: [claimed ?? null, navigator.platform] };
  });
  scanner('CONTEXTS', async () => {
    // A frame and a worker must be the same browser as the page.
    const look = (of) => [of.userAgent, of.platform, of.hardwareConcurrency, of.deviceMemory, of.language, Boolean(of.webdriver)].join();
    const frame = document.body.appendChild(document.createElement('iframe'));
    const inside = look(frame.contentWindow.navigator);
    frame.remove();
    const text = `postMessage([${'userAgent platform hardwareConcurrency deviceMemory language'.split(' ').map((name) => `navigator.${name}`)}, Boolean(navigator.webdriver)].join())`;
    const url = URL.createObjectURL(new Blob([text], { type: 'text/javascript' }));
    const worker = new Worker(url);
    const working = await new Promise((done) => {
      worker.onmessage = (event) => done(event.data);
    });
    worker.terminate();
    URL.revokeObjectURL(url);
    return { ok: inside === look(navigator) && working === inside, seen: [look(navigator), inside, working] };
  });
  scanner('WEBGL_WORKER', async () => {
    const text = `const gl = new OffscreenCanvas(1, 1).getContext('webgl'); const names = gl && gl.getExtension('WEBGL_debug_renderer_info');
      postMessage(names ? [gl.getParameter(names.UNMASKED_VENDOR_WEBGL), gl.getParameter(names.UNMASKED_RENDERER_WEBGL)] : [null, null])`;
    const url = URL.createObjectURL(new Blob([text], { type: 'text/javascript' }));
    const worker = new Worker(url);
    const working = await new Promise((done) => {
      worker.onmessage = (event) => done(event.data);
    });
    worker.terminate();
    URL.revokeObjectURL(url);
    return { ok: working.join() === webgl().join(), seen: [webgl(), working] };
  });
  scanner('ACCEPTS', () => {
    const seen = [document.createElement('video').canPlayType('video/webm; codecs="vp8"'), document.createElement('audio').canPlayType('audio/ogg; codecs="vorbis"')];
    return { ok: seen.every((answer) => answer === 'probably'), seen };
  });
}
