// What drivers leave lying about.
if (globalThis.document && self === top) {
  globalThis.helper = 1;
  globalThis.callPhantom = () => {};
  globalThis.__playwright__binding__ = () => {};
  globalThis.exposed = (...args) => globalThis.__playwright__binding__(JSON.stringify({ serialized: args }));
  document.$cdc_asdjflasutopfhvcZLmcfl_ = {};
  addEventListener('DOMContentLoaded', () => {
    document.documentElement.setAttribute('webdriver', 'true');
    document.body.append(document.createElement('x-pw-glass'));
    const sheet = new CSSStyleSheet();
    sheet.replaceSync('* { caret-color: transparent !important }');
    document.adoptedStyleSheets.push(sheet);
    const script = document.createElement('script');
    script.src = 'data:text/javascript,';
    document.head.append(script);
  });
  addEventListener('error', (event) => event.stopImmediatePropagation());
}
