// Every class of the platform: its members and how they are defined, as a digest. Those that are
// changed most often are listed in full, so that the report shows what it is.

const OFTEN = ['CanvasRenderingContext2D', 'Date', 'Document', 'Element', 'Error', 'Event', 'Function', 'HTMLCanvasElement', 'HTMLIFrameElement', 'HTMLMediaElement', 'Intl', 'MediaDevices', 'MouseEvent',
  'Navigator', 'NavigatorUAData', 'Notification', 'Object', 'OffscreenCanvas', 'Performance', 'Permissions', 'PermissionStatus', 'Plugin', 'PluginArray', 'Promise', 'Proxy', 'Reflect', 'Screen', 'UIEvent',
  'WebGL2RenderingContext', 'WebGLRenderingContext', 'Worker', 'WorkerNavigator', 'console', 'history', 'location'];

function classes() {
  return Object.getOwnPropertyNames(globalThis).filter((name) => {
    const value = Object.getOwnPropertyDescriptor(globalThis, name).value;
    return value && (typeof value === 'function' || typeof value === 'object') && value !== globalThis;
  });
}

function members(object) {
  const prototype = typeof object === 'function' ? object.prototype : undefined;
  return [...shape(object), ...(prototype ? ['prototype:', ...shape(prototype)] : [])];
}

probe('interfaces', () => Object.fromEntries(classes().map((name) => [name, digest(members(globalThis[name]).join('\n'))])), {realms: ['document', 'worker', 'worklet']});

probe('members', () => Object.fromEntries(OFTEN.filter((name) => name in globalThis).map((name) => [name, members(globalThis[name])])), {realms: ['main', 'dedicated']});

probe('objects without a class', () => {
  const said = {};
  for (const [name, object] of Object.entries({document, navigator, screen, history, location, performance, visualViewport, localStorage: globalThis.localStorage})) {
    said[name] = [Object.prototype.toString.call(object), ...shape(object)].slice(0, 50);
  }
  return said;
}, {realms: ['main', 'frame', 'srcdoc', 'blank-frame', 'popup']});
