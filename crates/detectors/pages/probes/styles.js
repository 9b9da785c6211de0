// Media queries, colours of the system, and everything that a style computes to.

const MEDIA = {
  'any-hover': ['none', 'hover'], 'any-pointer': ['none', 'coarse', 'fine'], hover: ['none', 'hover'], pointer: ['none', 'coarse', 'fine'],
  'color-gamut': ['srgb', 'p3', 'rec2020'], 'display-mode': ['browser', 'standalone', 'minimal-ui', 'fullscreen', 'picture-in-picture', 'window-controls-overlay', 'tabbed'],
  'dynamic-range': ['standard', 'high'], 'video-dynamic-range': ['standard', 'high'], 'forced-colors': ['none', 'active'], 'inverted-colors': ['none', 'inverted'],
  orientation: ['portrait', 'landscape'], 'overflow-block': ['none', 'scroll', 'paged'], 'overflow-inline': ['none', 'scroll'], 'prefers-color-scheme': ['light', 'dark'],
  'prefers-contrast': ['no-preference', 'more', 'less', 'custom'], 'prefers-reduced-data': ['no-preference', 'reduce'], 'prefers-reduced-motion': ['no-preference', 'reduce'],
  'prefers-reduced-transparency': ['no-preference', 'reduce'], scan: ['interlace', 'progressive'], scripting: ['none', 'initial-only', 'enabled'], update: ['none', 'slow', 'fast'],
  color: ['8', '10', '0'], monochrome: ['0', '8'], grid: ['0', '1'], 'color-index': ['0'], 'device-posture': ['continuous', 'folded'], 'horizontal-viewport-segments': ['1'],
  resizable: ['true', 'false'], 'display-state': ['normal', 'maximized', 'minimized', 'fullscreen'], '-webkit-transform-3d': ['1', '0'], 'navigation-controls': ['none', 'back-button'],
};

probe('media queries', () => Object.entries(MEDIA).map(([name, each]) => `${name}: ${each.filter((value) => matchMedia(`(${name}: ${value})`).matches).join(' ')}`), {realms: ['document']});

probe('media types of the page', () => ['screen', 'print', 'speech', 'all'].filter((name) => matchMedia(name).matches), {realms: ['main']});

// The same question, answered by the style engine.
probe('styles agree with media queries', () => {
  const style = document.createElement('style');
  document.head.append(style);
  const wrong = [];
  for (const [name, each] of Object.entries(MEDIA)) {
    for (const value of each) {
      style.textContent = `@media (${name}: ${value}) { head { --there: 1 } }`;
      const there = getComputedStyle(document.head).getPropertyValue('--there') !== '';
      if (there !== matchMedia(`(${name}: ${value})`).matches) wrong.push(`${name}: ${value}`);
    }
  }
  style.remove();
  return {ok: wrong.length === 0, seen: wrong};
}, {realms: ['main'], check: true});

const COLOURS = ['AccentColor', 'AccentColorText', 'ActiveText', 'ButtonBorder', 'ButtonFace', 'ButtonText', 'Canvas', 'CanvasText', 'Field', 'FieldText', 'GrayText', 'Highlight',
  'HighlightText', 'LinkText', 'Mark', 'MarkText', 'SelectedItem', 'SelectedItemText', 'VisitedText', 'ActiveBorder', 'ActiveCaption', 'AppWorkspace', 'Background', 'InfoBackground', 'Menu', 'Window'];

probe('system colours', () => {
  const box = document.createElement('span');
  document.body.append(box);
  const said = COLOURS.map((name) => {
    box.style.color = '';
    box.style.color = name;
    return `${name} ${getComputedStyle(box).color}`;
  });
  box.remove();
  return said;
}, {realms: ['main', 'frame', 'popup']});

probe('computed styles', () => {
  const style = getComputedStyle(document.documentElement);
  return {names: digest([...style].join()), ...Object.fromEntries([...style].map((name) => [name, style.getPropertyValue(name)]))};
}, {realms: ['main', 'cross-frame', 'popup']});

// Controls have sizes that the platform and its fonts decide.
probe('sizes of controls', () => ['button', 'input', 'select', 'textarea', 'meter', 'progress', 'video', 'dialog'].map((tag) => {
  const element = document.createElement(tag);
  element.textContent = 'text';
  document.body.append(element);
  const {width, height} = element.getBoundingClientRect();
  element.remove();
  return `${tag} ${width}x${height}`;
}), {realms: ['main', 'popup']});
