// One request of each kind. The server notes their headers, in order, in the realm `http`.

const loaded = (element) => new Promise((done) => element.onload = element.onerror = () => done(true));

async function added(tag, prepare) {
  const element = document.createElement(tag);
  prepare(element);
  const over = loaded(element);
  document.body.append(element);
  await settled(over);
  element.remove();
  return true;
}

const REQUESTS = {
  image: () => added('img', (element) => element.src = 'echo/image'),
  style: () => added('link', (element) => Object.assign(element, {rel: 'stylesheet', href: 'echo/style'})),
  script: () => added('script', (element) => element.src = 'echo/script'),
  module: () => added('script', (element) => Object.assign(element, {type: 'module', src: 'echo/module'})),
  preload: () => added('link', (element) => Object.assign(element, {rel: 'preload', as: 'script', href: 'echo/preload'})),
  prefetch: () => added('link', (element) => Object.assign(element, {rel: 'prefetch', href: 'echo/prefetch'})),
  frame: () => added('iframe', (element) => element.src = 'echo/frame'),
  object: () => added('object', (element) => element.data = 'echo/object'),
  video: async () => {
    const video = document.createElement('video');
    video.src = 'echo/video';
    await settled(new Promise((done) => video.onerror = () => done(true)));
    return true;
  },
  font: () => settled(new FontFace('echo', 'url(echo/font)').load()).then(() => true),
  fetch: () => fetch('echo/fetch-again').then((answer) => answer.status),
  post: () => fetch('echo/post', {method: 'POST', headers: {'Content-Type': 'application/json', 'X-Own': '1'}, body: '{}'}).then((answer) => answer.status),
  redirect: () => fetch('echo/redirect').then((answer) => steady(answer.url)),
  cross: () => settled(fetch(`${BASE.replace('127.0.0.1', 'localhost')}echo/cross`).then((answer) => answer.status)),
  xhr: () => new Promise((done) => {
    const request = new XMLHttpRequest();
    request.open('GET', 'echo/xhr');
    request.onloadend = () => done(request.status);
    request.send();
  }),
  beacon: () => navigator.sendBeacon('echo/beacon', 'text'),
  events: () => settled(new Promise((done) => {
    const source = new EventSource('echo/events');
    source.onerror = () => done(source.readyState);
  })),
  socket: () => settled(new Promise((done) => new WebSocket(`${BASE.replace('http', 'ws')}echo/socket`).onclose = ({code}) => done(code))),
};

for (const [name, send] of Object.entries(REQUESTS)) probe(`request: ${name}`, send, {realms: ['main']});
