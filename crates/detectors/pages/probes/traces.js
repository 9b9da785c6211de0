// What drivers leave in a page: names, functions, attributes, styles, elements.
{
  const check = (name, run, realms) => probe(`traces.${name}`, run, { check: true, realms });
  // Names of drivers, of all times, on any object of a page.
  const NAMES = [
    /^__playwright/i, /^__pw/i, /^_?playwright/i, /^__?puppeteer/i, /^pptr/i, /^\$?_?cdc_/, /^\$chrome_asyncScriptInfo$/, /^__webdriver/i, /^_?_?selenium/i, /^_Selenium_IDE/i,
    /^callSelenium$/, /^_?phantom$/i, /^callPhantom$/, /^_phantomas$/, /^phantomjs/i, /^domAutomation/, /^__nightmare$/, /^nightmare$/, /^__driver_/, /^__fxdriver/, /^webdriver/, /^awesomium$/,
    /^_WEBDRIVER_ELEM_CACHE$/, /^ChromeDriverw$/, /^driver-evaluate$/, /^webdriver-evaluate/, /^__lastWatir/, /^watir/i, /^fmget_targets$/, /^geb$/, /^RunPerfTest$/, /^CefSharp$/, /^spawn$/, /^emit$/, /^Buffer$/,
    /^__szk/i, /^szk/i, /^szkrabok/i, /^__zendriver/i, /^nodriver/i, /^__cypress/i, /^Cypress$/, /^__testcafe/i, /^__stagehand/i, /^__browser_?use/i, /^__rebrowser/i, /^__patchright/i, /^exposedFn$/, /^__hidden__/, /utilityScript/i,
  ];
  const known = (names) => names.map(String).filter((name) => NAMES.some((pattern) => pattern.test(name)));
  const keysUp = (object) => {
    const keys = [];
    for (let owner = object; owner && owner !== Object.prototype; owner = Object.getPrototypeOf(owner)) keys.push(...Reflect.ownKeys(owner));
    return keys;
  };
  const page = typeof document !== 'undefined';
  // Where a document has an origin, and so frames and error messages of its own.
  const ORDINARY = ['main', 'frame', 'cross-frame', 'srcdoc', 'blank-frame', 'blank-popup', 'popup', 'cross-popup', 'small-popup'];
  const none = (seen) => ({ ok: seen.length === 0, seen });

  check('names', () => none(known(keysUp(globalThis))));
  check('names-elsewhere', () => none(['navigator', 'document', 'screen', 'history', 'location', 'performance', 'chrome', 'external'].filter((name) => globalThis[name])
    .flatMap((name) => known(keysUp(globalThis[name])).filter((key) => key !== 'webdriver').map((key) => `${name}.${key}`))));
  check('bindings', () => {
    // A function that hands its arguments to somebody outside.
    const own = Object.getOwnPropertyNames(globalThis).filter((name) => {
      const value = Object.getOwnPropertyDescriptor(globalThis, name).value;
      if (typeof value !== 'function') return false;
      const source = Function.prototype.toString.call(value);
      return '__installed' in value || (!/\[native code\]/.test(source) && /binding|playwright|puppeteer|callbacks|serialized/i.test(source));
    });
    return none(own);
  });
  if (page) {
    check('against-a-fresh-frame', () => {
      // What is in this window and not in a new one was put there, and not by these pages.
      const frame = document.createElement('iframe');
      document.documentElement.append(frame);
      const there = new Set(Object.getOwnPropertyNames(frame.contentWindow));
      frame.remove();
      return none(Object.getOwnPropertyNames(globalThis).filter((name) => !there.has(name) && !/^\d+$/.test(name)));
    }, ORDINARY);
    check('attributes', () => none([...document.querySelectorAll('*')].flatMap((element) => element.getAttributeNames())
      .filter((name) => /selenium|webdriver|driver|playwright|puppeteer|^__|cdp|szk|aria-ref/i.test(name))));
    check('elements', () => none([...document.querySelectorAll('*')].map((element) => element.localName).filter((name) => /^x-pw|playwright|puppeteer|szk|highlight/.test(name))));
    check('caret', () => {
      const field = document.body.appendChild(document.createElement('input'));
      const seen = getComputedStyle(field).caretColor;
      field.remove();
      return { ok: seen !== 'transparent' && seen !== 'rgba(0, 0, 0, 0)', seen };
    });
    check('styles', () => {
      const seen = [document.adoptedStyleSheets.length, document.styleSheets.length - document.querySelectorAll('style, link[rel=stylesheet]').length];
      return { ok: seen[0] === 0 && seen[1] === 0, seen };
    });
    check('scripts', () => {
      // Every script of the document came from this suite.
      const strange = [...document.scripts].filter((script) => script.src && !/^http:\/\/(127\.0\.0\.1|localhost):/.test(script.src)).map((script) => script.src);
      return none(strange);
    });
    check('error-event', () => new Promise((done) => {
      // Where an error comes from is told as it is.
      addEventListener('error', (event) => {
        event.preventDefault();
        done({ ok: event.filename.startsWith('http') && event.lineno > 0, seen: [event.filename !== '', event.lineno > 0] });
      }, { once: true });
      setTimeout(() => {
        throw new Error('wanted');
      });
    }), ORDINARY);
    check('activation', () => ({ ok: !navigator.userActivation.isActive && !navigator.userActivation.hasBeenActive, seen: [navigator.userActivation.isActive, navigator.userActivation.hasBeenActive] }));
  }
  probe('traces.own-names', () => Object.getOwnPropertyNames(globalThis).slice(-40).filter((name) => !/^\d+$/.test(name)));
}
