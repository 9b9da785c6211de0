// Fonts that are there, by the width of a text.

const FONTS = ['Arial', 'Arial Black', 'Arial Narrow', 'Bitstream Vera Sans', 'Calibri', 'Cambria', 'Candara', 'Cantarell', 'Century Gothic', 'Comic Sans MS', 'Consolas', 'Constantia',
  'Courier', 'Courier New', 'DejaVu Sans', 'DejaVu Sans Mono', 'DejaVu Serif', 'Droid Sans', 'FreeMono', 'FreeSans', 'FreeSerif', 'Garamond', 'Geneva', 'Georgia', 'Gill Sans', 'Helvetica',
  'Helvetica Neue', 'Impact', 'Inter', 'Lato', 'Liberation Mono', 'Liberation Sans', 'Liberation Serif', 'Lucida Console', 'Lucida Grande', 'Menlo', 'Microsoft YaHei', 'Monaco', 'MS Gothic',
  'MS Sans Serif', 'Nimbus Sans', 'Noto Color Emoji', 'Noto Sans', 'Noto Sans CJK SC', 'Noto Serif', 'Open Sans', 'Palatino', 'PingFang SC', 'Roboto', 'San Francisco', 'Segoe UI',
  'Segoe UI Emoji', 'SimSun', 'Source Code Pro', 'Symbol', 'Tahoma', 'Times', 'Times New Roman', 'Trebuchet MS', 'Ubuntu', 'Ubuntu Mono', 'Verdana', 'Webdings', 'Wingdings'];

probe('fonts', () => {
  const context = surface(10, 10).getContext('2d');
  const width = (font) => {
    context.font = `72px ${font}`;
    return context.measureText('mmMwWLliI0O&1 fiQ').width;
  };
  const fallbacks = ['monospace', 'sans-serif', 'serif'];
  const plainly = fallbacks.map(width);
  return FONTS.filter((name) => fallbacks.some((fallback, at) => width(`"${name}", ${fallback}`) !== plainly[at]));
});

probe('system fonts', () => {
  const box = document.createElement('span');
  document.body.append(box);
  const said = ['caption', 'icon', 'menu', 'message-box', 'small-caption', 'status-bar'].map((name) => {
    box.style.font = name;
    const {fontFamily, fontSize, fontWeight} = getComputedStyle(box);
    return [name, fontFamily, fontSize, fontWeight].join(' ');
  });
  box.remove();
  return said;
}, {realms: ['main', 'frame', 'popup']});
