// Screen, window and page: sizes, places, and whether they can be true together.

probe('screen', () => ({...values(screen), orientation: values(screen.orientation, ['onchange'])}), {realms: ['document']});

probe('window geometry', () => ({
  outer: [outerWidth, outerHeight],
  inner: [innerWidth, innerHeight],
  place: [screenX, screenY, screenLeft, screenTop],
  density: devicePixelRatio,
  root: [document.documentElement.clientWidth, document.documentElement.clientHeight],
  bars: [menubar, toolbar, locationbar, statusbar, scrollbars, personalbar].map((bar) => bar.visible),
}), {realms: ['document']});

probe('visual viewport', () => values(visualViewport, ['onresize', 'onscroll', 'onscrollend']), {realms: ['document']});

// Scroll bars have a width unless they lie over the page.
probe('scroll bars', () => {
  const box = document.createElement('div');
  box.style = 'position: absolute; width: 100px; height: 100px; overflow: scroll';
  document.body.append(box);
  const sizes = [box.offsetWidth - box.clientWidth, box.offsetHeight - box.clientHeight];
  box.remove();
  return sizes;
}, {realms: ['document']});

probe('the window is on the screen', () => {
  const seen = {
    screen: [screen.width, screen.height, screen.availLeft, screen.availTop, screen.availWidth, screen.availHeight],
    window: [screenX, screenY, outerWidth, outerHeight],
    page: [innerWidth, innerHeight],
  };
  const ok = screen.availWidth <= screen.width && screen.availHeight <= screen.height
    && outerWidth <= screen.width && outerHeight <= screen.height
    && innerWidth <= outerWidth && innerHeight < outerHeight && outerHeight - innerHeight < 200
    && screenX >= 0 && screenY >= 0;
  return {ok, seen};
}, {realms: ['main'], check: true});

probe('media queries agree with the screen', () => {
  const queries = [`(device-width: ${screen.width}px)`, `(device-height: ${screen.height}px)`, `(width: ${innerWidth}px)`, `(height: ${innerHeight}px)`, `(resolution: ${devicePixelRatio}dppx)`];
  const wrong = queries.filter((query) => !matchMedia(query).matches);
  return {ok: wrong.length === 0, seen: wrong};
}, {realms: ['document'], check: true});
