// Devices, and what may be asked of them.

const count = (list) => settled(list).then((found) => Array.isArray(found) ? found.length : found);

probe('media devices', async () => {
  const devices = await settled(navigator.mediaDevices.enumerateDevices());
  return {
    devices: Array.isArray(devices) ? devices.map(({kind, label, deviceId, groupId}) => [kind, label, deviceId.length, groupId.length]) : devices,
    constraints: Object.keys(navigator.mediaDevices.getSupportedConstraints()).sort(),
  };
}, {realms: ['document']});

probe('devices', async () => ({
  usb: await count(navigator.usb?.getDevices()),
  hid: await count(navigator.hid?.getDevices()),
  serial: await count(navigator.serial?.getPorts()),
  bluetooth: await settled(navigator.bluetooth?.getAvailability?.()) ?? null,
  gamepads: navigator.getGamepads?.().length ?? null,
  touch: [navigator.maxTouchPoints ?? null, 'ontouchstart' in globalThis, 'ontouchend' in globalThis],
}));

probe('battery', async () => {
  const battery = await settled(navigator.getBattery());
  return typeof battery === 'string' ? battery : values(battery);
}, {realms: ['main', 'frame', 'popup']});

probe('credentials', async () => ({
  platform: await settled(PublicKeyCredential.isUserVerifyingPlatformAuthenticatorAvailable()),
  conditional: await settled(PublicKeyCredential.isConditionalMediationAvailable()),
  abilities: await settled(PublicKeyCredential.getClientCapabilities()),
}), {realms: ['document']});

probe('related apps', () => count(navigator.getInstalledRelatedApps()), {realms: ['main']});
