// Permissions: every name there is, and whether both ways of asking agree.

const NAMES = ['accelerometer', 'ambient-light-sensor', 'automatic-fullscreen', 'background-fetch', 'background-sync', 'bluetooth', 'camera',
  'captured-surface-control', 'clipboard-read', 'clipboard-write', 'display-capture', 'fullscreen', 'geolocation', 'gyroscope', 'hand-tracking',
  'idle-detection', 'keyboard-lock', 'local-fonts', 'local-network', 'local-network-access', 'loopback-network', 'magnetometer', 'microphone',
  'midi', 'nfc', 'notifications', 'payment-handler', 'periodic-background-sync', 'persistent-storage', 'pointer-lock', 'push', 'screen-wake-lock',
  'smart-card', 'speaker-selection', 'storage-access', 'system-wake-lock', 'top-level-storage-access', 'web-app-installation', 'web-printing',
  'window-management'];

probe('permissions', async () => {
  const states = {};
  for (const name of NAMES) {
    const asked = name === 'push' ? {name, userVisibleOnly: true} : {name};
    const status = await settled(navigator.permissions.query(asked));
    states[name] = status.state ?? status;
  }
  return states;
});

probe('notifications', () => ({permission: Notification.permission, most: Notification.maxActions}));

// A browser without a window denies notifications, and says that it would ask.
probe('permissions agree', async () => {
  const {state} = await navigator.permissions.query({name: 'notifications'});
  const said = Notification.permission;
  return {ok: (said === 'default' ? 'prompt' : said) === state, seen: [said, state]};
}, {realms: ['main', 'popup'], check: true});
