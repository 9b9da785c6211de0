// What the person does on the picture, as messages about the page: positions are the page's own.
'use strict';

const BUTTONS = ['left', 'middle', 'right', 'back', 'forward'];
// Keys that stay with the person's own browser.
const OWN = new Set(['F5', 'F11', 'F12']);

const modifiers = (event) => (event.altKey ? 1 : 0) | (event.ctrlKey ? 2 : 0) | (event.metaKey ? 4 : 0) | (event.shiftKey ? 8 : 0);

// Connects a canvas (and a text area, which phones need to show their keyboard) to `send`.
// `page()` is the size of the page in CSS pixels.
function connectInput(screen, keyboard, page, send) {
  const at = (event) => {
    const box = screen.getBoundingClientRect();
    const {width, height} = page();
    return {x: ((event.clientX - box.left) / box.width) * width, y: ((event.clientY - box.top) / box.height) * height};
  };
  const mouse = (kind, event, extra = {}) => send({
    t: 'mouse', kind, ...at(event), buttons: event.buttons & 31, modifiers: modifiers(event), ...extra,
  });

  // Movements between two pictures of this screen are one.
  let moved = null;
  const flush = () => {
    if (moved) mouse('move', moved, {button: BUTTONS[[1, 4, 2].findIndex((bit) => moved.buttons & bit)] ?? 'none'});
    moved = null;
  };
  screen.addEventListener('pointermove', (event) => {
    if (event.pointerType === 'touch') return;
    if (!moved) requestAnimationFrame(flush);
    moved = event;
  });
  for (const [name, kind] of [['pointerdown', 'down'], ['pointerup', 'up']]) {
    screen.addEventListener(name, (event) => {
      if (event.pointerType === 'touch') return;
      event.preventDefault();
      flush();
      screen.focus();
      if (kind === 'down') screen.setPointerCapture(event.pointerId);
      const clicks = kind === 'down' ? count(event) : clicked;
      mouse(kind, event, {button: BUTTONS[event.button] ?? 'none', clicks});
    });
  }

  // Browsers count clicks in `click` events only, which come too late.
  let [clicked, last] = [0, {time: -Infinity}];
  const count = (event) => {
    const again = event.timeStamp - last.time < 500 && event.button === last.button && Math.hypot(event.clientX - last.x, event.clientY - last.y) < 5;
    clicked = again ? clicked + 1 : 1;
    last = {time: event.timeStamp, button: event.button, x: event.clientX, y: event.clientY};
    return clicked;
  };

  screen.addEventListener('contextmenu', (event) => event.preventDefault());
  screen.addEventListener('wheel', (event) => {
    event.preventDefault();
    const unit = event.deltaMode === 1 ? 16 : event.deltaMode === 2 ? page().height : 1;
    send({t: 'wheel', ...at(event), dx: event.deltaX * unit, dy: event.deltaY * unit, modifiers: modifiers(event)});
  }, {passive: false});

  // A finger taps like a mouse, and drags like a wheel.
  let finger = null;
  screen.addEventListener('touchstart', (event) => {
    event.preventDefault();
    const touch = event.touches[0];
    finger = {first: touch, last: touch, dragged: false};
  }, {passive: false});
  screen.addEventListener('touchmove', (event) => {
    event.preventDefault();
    if (!finger) return;
    const touch = event.touches[0];
    if (Math.hypot(touch.clientX - finger.first.clientX, touch.clientY - finger.first.clientY) > 8) finger.dragged = true;
    if (finger.dragged) {
      const scale = page().width / screen.getBoundingClientRect().width;
      send({t: 'wheel', ...at(touch), dx: (finger.last.clientX - touch.clientX) * scale, dy: (finger.last.clientY - touch.clientY) * scale});
    }
    finger.last = touch;
  }, {passive: false});
  screen.addEventListener('touchend', (event) => {
    event.preventDefault();
    if (finger && !finger.dragged) {
      const place = at(finger.first);
      send({t: 'mouse', kind: 'move', ...place});
      send({t: 'mouse', kind: 'down', ...place, button: 'left', buttons: 1, clicks: 1});
      send({t: 'mouse', kind: 'up', ...place, button: 'left', clicks: 1});
      keyboard.focus();
    }
    finger = null;
  }, {passive: false});

  const key = (down) => (event) => {
    // Phones say 229 for everything, and an input method is not done yet: both come as text.
    if (OWN.has(event.key) || event.isComposing || event.keyCode === 229) return;
    const pastes = (event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'v';
    if (pastes) return;
    event.preventDefault();
    send({t: 'key', down, key: event.key, code: event.code, keyCode: event.keyCode, location: event.location, repeat: event.repeat, modifiers: modifiers(event)});
  };
  for (const part of [screen, keyboard]) {
    part.addEventListener('keydown', key(true));
    part.addEventListener('keyup', key(false));
    part.addEventListener('compositionend', (event) => {
      send({t: 'text', text: event.data});
      keyboard.value = '';
    });
  }
  addEventListener('paste', (event) => {
    if (document.activeElement !== screen && document.activeElement !== keyboard) return;
    event.preventDefault();
    const text = event.clipboardData.getData('text');
    if (text) send({t: 'text', text});
  });
  keyboard.addEventListener('input', (event) => {
    if (event.isComposing) return;
    if (event.inputType === 'deleteContentBackward') {
      for (const down of [true, false]) send({t: 'key', down, key: 'Backspace', code: 'Backspace', keyCode: 8});
    } else if (keyboard.value) {
      send({t: 'text', text: keyboard.value});
    }
    keyboard.value = '';
  });
}
