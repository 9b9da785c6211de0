// WebGL and WebGPU: who draws, what it can do, and whether pages and workers agree.

const DEBUG = 'WEBGL_debug_renderer_info';

function named(gl) {
  const debug = gl.getExtension(DEBUG);
  return {
    vendor: gl.getParameter(gl.VENDOR),
    renderer: gl.getParameter(gl.RENDERER),
    version: gl.getParameter(gl.VERSION),
    language: gl.getParameter(gl.SHADING_LANGUAGE_VERSION),
    unmasked: debug && [gl.getParameter(debug.UNMASKED_VENDOR_WEBGL), gl.getParameter(debug.UNMASKED_RENDERER_WEBGL)],
    extensions: gl.getSupportedExtensions(),
    attributes: gl.getContextAttributes(),
    precisions: [gl.VERTEX_SHADER, gl.FRAGMENT_SHADER].map((shader) => [gl.LOW_FLOAT, gl.MEDIUM_FLOAT, gl.HIGH_FLOAT, gl.LOW_INT, gl.MEDIUM_INT, gl.HIGH_INT].map((kind) => {
      const {rangeMin, rangeMax, precision} = gl.getShaderPrecisionFormat(shader, kind);
      return [rangeMin, rangeMax, precision];
    })),
  };
}

// Every constant is tried as a parameter.
function parameters(gl) {
  const said = {};
  for (const key of Object.keys(Object.getPrototypeOf(gl)).filter((key) => /^(MAX|MIN|.*_BITS|ALIASED|SAMPLE|SUBPIXEL|COMPRESSED|IMPLEMENTATION)/.test(key)).sort()) {
    const value = gl.getParameter(gl[key]);
    said[key] = ArrayBuffer.isView(value) ? [...value] : plain(value);
  }
  gl.getError();
  return said;
}

// A triangle in all colours.
function drawn(gl) {
  const program = gl.createProgram();
  for (const [kind, text] of [
    [gl.VERTEX_SHADER, 'attribute vec2 at; varying vec2 place; void main() { place = at; gl_Position = vec4(at, 0.0, 1.0); }'],
    [gl.FRAGMENT_SHADER, 'precision mediump float; varying vec2 place; void main() { gl_FragColor = vec4(sin(place.x * 9.0), cos(place.y * 7.0), place.x * place.y, 1.0); }'],
  ]) {
    const shader = gl.createShader(kind);
    gl.shaderSource(shader, text);
    gl.compileShader(shader);
    gl.attachShader(program, shader);
  }
  gl.linkProgram(program);
  gl.useProgram(program);
  gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer());
  gl.bufferData(gl.ARRAY_BUFFER, new Float32Array([-0.9, -0.8, 0.9, -0.7, 0.1, 0.9]), gl.STATIC_DRAW);
  const at = gl.getAttribLocation(program, 'at');
  gl.enableVertexAttribArray(at);
  gl.vertexAttribPointer(at, 2, gl.FLOAT, false, 0, 0);
  gl.drawArrays(gl.TRIANGLES, 0, 3);
  const pixels = new Uint8Array(64 * 64 * 4);
  gl.readPixels(0, 0, 64, 64, gl.RGBA, gl.UNSIGNED_BYTE, pixels);
  return digest(String.fromCharCode(...pixels));
}

// A context is freed at once: there may only be a few.
function within(canvas, version, look) {
  const gl = canvas.getContext(version);
  if (!gl) return null;
  const seen = look(gl);
  gl.getExtension('WEBGL_lose_context')?.loseContext();
  return seen;
}

for (const version of ['webgl', 'webgl2']) {
  probe(version, () => within(surface(64, 64), version, named), {realms: ['document', 'worker']});
  probe(`${version} parameters`, () => within(surface(64, 64), version, parameters), {realms: ['main', 'cross-frame', 'dedicated']});
  probe(`${version} picture`, () => within(surface(64, 64), version, drawn), {realms: ['main', 'dedicated']});
}

probe('webgl of an element', () => within(document.createElement('canvas'), 'webgl', named), {realms: ['main', 'frame', 'popup']});

probe('webgpu', async () => {
  if (!navigator.gpu) return null;
  const adapter = await settled(navigator.gpu.requestAdapter(), 8000);
  const said = {format: navigator.gpu.getPreferredCanvasFormat(), language: [...navigator.gpu.wgslLanguageFeatures].sort()};
  if (!adapter || typeof adapter === 'string') return {...said, adapter};
  return {...said, info: values(adapter.info), features: [...adapter.features].sort(), limits: values(adapter.limits)};
}, {realms: ['main', 'dedicated']});
