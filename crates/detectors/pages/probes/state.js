// How the page came here, and what state it is in.

probe('document', () => values(document, ['lastModified']), {realms: ['document']});

probe('history', () => ({
  length: history.length,
  state: plain(history.state),
  restoration: history.scrollRestoration,
  entries: globalThis.navigation ? navigation.entries().length : null,
  activation: globalThis.navigation?.activation ? [navigation.activation.navigationType, steady(navigation.activation.from?.url ?? null), navigation.canGoBack] : null,
}), {realms: ['document']});

probe('referrer', () => steady(document.referrer), {realms: ['document']});

// The window's focus belongs to who uses it, in a page that is on top.
probe('focus', () => ({
  focus: document.hasFocus(),
  visible: [document.visibilityState, document.hidden],
  active: document.activeElement?.tagName ?? null,
}), {realms: ['document']});

probe('activation', () => [navigator.userActivation.isActive, navigator.userActivation.hasBeenActive], {realms: ['document']});

probe('relations', () => ({
  opener: globalThis.opener === null ? null : Object.prototype.toString.call(opener),
  framed: parent !== self,
  name,
  frames: length,
  element: thrownOr(() => frameElement?.tagName ?? null),
  ancestors: location.ancestorOrigins ? [...location.ancestorOrigins].map(steady) : null,
}), {realms: ['document']});

function thrownOr(fn) {
  try {
    return fn();
  } catch (error) {
    return String(error.name);
  }
}

probe('policies', () => ({
  allowed: document.featurePolicy ? document.featurePolicy.allowedFeatures().sort() : null,
  known: document.featurePolicy ? document.featurePolicy.features().sort() : null,
  isolated: crossOriginIsolated,
  secure: isSecureContext,
  types: globalThis.trustedTypes?.defaultPolicy ?? null,
}), {realms: ['document']});

// A page may be rendered before it is visited; not when somebody holds it at its start.
probe('prerendering', async () => {
  const rules = document.createElement('script');
  rules.type = 'speculationrules';
  rules.textContent = JSON.stringify({prerender: [{source: 'list', urls: ['prerender.html'], eagerness: 'immediate'}]});
  document.head.append(rules);
  const answer = await settled(fetch('wait/prerender').then(({status}) => status), 10000);
  rules.remove();
  return [HTMLScriptElement.supports('speculationrules'), answer];
}, {realms: ['main']});

// Questions to the person stay open until somebody answers. Last, and in a window that is closed then.
probe('questions', async () => ({
  place: await settled(new Promise((done) => navigator.geolocation.getCurrentPosition(() => done('told'), ({code}) => done(code))), 1500),
  notes: await settled(Notification.requestPermission(), 1500),
}), {realms: ['popup']});
