// What `navigator` says, walked generically so that no property is forgotten.

probe('navigator', () => values(navigator));
probe('navigator shape', () => ({own: shape(navigator), prototype: shape(Object.getPrototypeOf(navigator))}));

// What its objects say. Estimates of the network are not the browser's.
probe('navigator objects', () => {
  const said = {};
  for (const key of Object.getOwnPropertyNames(Object.getPrototypeOf(navigator))) {
    let value;
    try {
      value = navigator[key];
    } catch {
      continue;
    }
    if (value && typeof value === 'object' && !Array.isArray(value)) said[key] = values(value, ['rtt', 'downlink', 'effectiveType']);
  }
  return said;
});

probe('webdriver', () => ({ok: navigator.webdriver === (KIND === 'document' ? false : undefined), seen: plain(navigator.webdriver)}), {check: true});

probe('plugins', () => ({
  plugins: [...navigator.plugins].map((plugin) => [plugin.name, plugin.filename, plugin.description, [...plugin].map((kind) => kind.type)]),
  types: [...navigator.mimeTypes].map((kind) => [kind.type, kind.suffixes, kind.description, kind.enabledPlugin.name]),
  classes: [navigator.plugins, navigator.mimeTypes, navigator.plugins[0], navigator.mimeTypes[0]].map((object) => Object.prototype.toString.call(object)),
  keys: [Object.keys(navigator.plugins), Object.keys(navigator.mimeTypes)],
  same: navigator.plugins[0] === navigator.plugins.item(0) && navigator.plugins[0] === navigator.plugins.namedItem(navigator.plugins[0].name),
}), {realms: ['document']});

probe('keyboard map', async () => [...await navigator.keyboard.getLayoutMap()].map(([code, key]) => `${code} ${key}`).sort(), {realms: ['main', 'popup']});
