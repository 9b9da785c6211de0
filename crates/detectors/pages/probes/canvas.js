// Pictures: the same twice, and the same as gold's.

function paint(context) {
  context.textBaseline = 'top';
  context.font = '16px "Arial", sans-serif';
  context.fillStyle = '#f60';
  context.fillRect(60, 5, 70, 22);
  context.fillStyle = '#069';
  context.fillText('Zażółć gęślą jaźń 123', 4, 6);
  context.fillStyle = 'rgba(102, 204, 0, 0.7)';
  context.font = '20px serif';
  context.fillText('Grüße 世界 😀', 6, 26);
  context.globalCompositeOperation = 'multiply';
  const colours = context.createLinearGradient(0, 0, 200, 80);
  colours.addColorStop(0, '#f0f');
  colours.addColorStop(1, '#0ff');
  context.fillStyle = colours;
  context.shadowBlur = 6;
  context.shadowColor = '#333';
  context.beginPath();
  context.arc(120, 60, 30, 0.3, 5.1);
  context.bezierCurveTo(20, 90, 60, 20, 180, 70);
  context.fill();
  context.filter = 'blur(1.5px) hue-rotate(40deg)';
  context.strokeRect(20.3, 50.7, 90.2, 30.1);
}

function picture() {
  const context = surface(220, 100).getContext('2d');
  paint(context);
  const {data} = context.getImageData(0, 0, 220, 100);
  let text = '';
  for (let at = 0; at < data.length; at += 4096) text += String.fromCharCode(...data.subarray(at, at + 4096));
  return digest(text);
}

probe('canvas', async () => {
  const canvas = surface(220, 100);
  paint(canvas.getContext('2d'));
  const files = {};
  for (const type of ['image/png', 'image/jpeg', 'image/webp']) {
    const bytes = new Uint8Array(await (await canvas.convertToBlob({type, quality: 0.8})).arrayBuffer());
    files[type] = [bytes.length, digest(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''))];
  }
  return {pixels: picture(), files};
});

probe('canvas of an element', () => {
  const canvas = document.createElement('canvas');
  paint(canvas.getContext('2d'));
  return digest(canvas.toDataURL());
}, {realms: ['document']});

// One that is disturbed differs from itself, or is not the colour that was painted.
probe('canvas is not disturbed', () => {
  const pictures = [picture(), picture(), picture()];
  const context = surface(8, 8).getContext('2d');
  context.fillStyle = 'rgb(10, 120, 230)';
  context.fillRect(0, 0, 8, 8);
  const {data} = context.getImageData(0, 0, 8, 8);
  const even = data.every((value, at) => value === [10, 120, 230, 255][at % 4]);
  return {ok: even && new Set(pictures).size === 1, seen: {pictures, even}};
}, {check: true});

probe('text metrics', () => {
  const context = surface(10, 10).getContext('2d');
  return ['16px sans-serif', '16px serif', '16px monospace', 'italic 700 23px system-ui', '20px cursive', '20px fantasy', '20px "Noto Color Emoji"'].map((font) => {
    context.font = font;
    const seen = context.measureText('Grüße 世界 😀 fiQ');
    return [font, seen.width, seen.actualBoundingBoxAscent, seen.actualBoundingBoxRight, seen.fontBoundingBoxAscent, seen.fontBoundingBoxDescent];
  });
});

probe('boxes of text', () => {
  const box = document.createElement('span');
  box.style = 'position: absolute; font: 17px sans-serif';
  box.textContent = 'Grüße 世界 😀 fiQ';
  document.body.append(box);
  const {width, height} = box.getBoundingClientRect();
  box.remove();
  return [width, height];
}, {realms: ['document']});
