// What a mouse of a person shows. Every judge is a function of nothing, and has a section.
const pointer = {};

{
  const POINTERS = ['pointerover', 'pointermove', 'pointerdown', 'pointerup'];
  const MICE = ['mouseover', 'mousemove', 'mousedown', 'mouseup', 'click', 'dblclick', 'auxclick', 'contextmenu'];
  const free = () => of('pointermove').filter((event) => event.buttons === 0);
  const between = (number, low, high) => number !== null && number >= low && number <= high;

  // Every place of the pointer that a page can know, in order.
  const places = (moves) => moves.flatMap((move) => (move.coalesced.length ? move.coalesced : [move]));

  // One movement is what happens without a rest of 150 ms; the longest one is judged.
  const longest = (moves) => {
    const paths = [];
    for (const place of places(moves)) {
      const path = paths.at(-1);
      if (path && place.timeStamp - path.at(-1).timeStamp < 150) path.push(place);
      else paths.push([place]);
    }
    const length = (path) => Math.hypot(path.at(-1).clientX - path[0].clientX, path.at(-1).clientY - path[0].clientY);
    return paths.sort((a, b) => length(b) - length(a))[0] ?? [];
  };
  const steps = (path) => path.slice(1).map((place, index) => Math.hypot(place.clientX - path[index].clientX, place.clientY - path[index].clientY));
  // The farthest that a path leaves the straight line between its ends.
  const bend = (path) => {
    if (path.length < 3) return 0;
    const [start, end] = [path[0], path.at(-1)];
    const [dx, dy] = [end.clientX - start.clientX, end.clientY - start.clientY];
    return Math.max(...path.map((place) => Math.abs(dx * (start.clientY - place.clientY) - dy * (start.clientX - place.clientX)) / (Math.hypot(dx, dy) || 1)));
  };

  const moves = {
    'mouse.trusted': () => all(of(...POINTERS, ...MICE), (event) => event.isTrusted),
    'mouse.many-moves': () => verdict(longest(free()).length >= 10, longest(free()).length),
    'mouse.integer': () => all(of(...POINTERS, ...MICE).concat(places(free())), (event) =>
      [event.clientX, event.clientY, event.screenX, event.screenY].every(Number.isInteger), (event) => [event.type, event.clientX, event.clientY]),
    'mouse.movement-integer': () => all(of('mousemove'), (event) => Number.isInteger(event.movementX) && Number.isInteger(event.movementY)),
    'mouse.movement': () => {
      const list = of('mousemove');
      const pairs = list.slice(1).map((event, index) => ({ by: [event.movementX, event.movementY], went: [event.screenX - list[index].screenX, event.screenY - list[index].screenY] }));
      return all(pairs, ({ by, went }) => by[0] === went[0] && by[1] === went[1]);
    },
    'mouse.screen': () => {
      // The page's corner on the screen does not move, and lies inside of the window.
      const corners = new Set(of(...MICE).map((event) => `${event.screenX - event.clientX},${event.screenY - event.clientY}`));
      const [x, y] = [...corners][0]?.split(',').map(Number) ?? [];
      const inside = x >= screenX && y >= screenY && x + innerWidth <= screenX + outerWidth && y + innerHeight <= screenY + outerHeight;
      return verdict(corners.size === 1 && inside, { corners: [...corners].slice(0, 4), window: [screenX, screenY, outerWidth, outerHeight, innerWidth, innerHeight] });
    },
    'mouse.coalesced': () => {
      const most = Math.max(0, ...free().map((event) => event.coalesced.length));
      return verdict(most >= 2, most);
    },
    'mouse.coalesced-agree': () => all(free().filter((event) => event.coalesced.length), (event) => {
      const last = event.coalesced.at(-1);
      return event.coalesced.every((one) => one.isTrusted) && last.clientX === event.clientX && last.clientY === event.clientY;
    }, (event) => [event.clientX, event.clientY, event.coalesced.at(-1).clientX, event.coalesced.at(-1).clientY]),
    'mouse.raw': () => verdict(of('pointerrawupdate').length >= of('pointermove').length, [of('pointerrawupdate').length, of('pointermove').length]),
    'mouse.predicted': () => {
      const most = Math.max(0, ...free().map((event) => event.predicted));
      return verdict(most >= 1, most);
    },
    'mouse.frames': () => {
      // Moves wait for the next frame, so no frame gets two. Where the frame is late, Chromium gives a move to the
      // page without it: such a move has waited for longer than a frame takes, and is not counted.
      const counts = new Map();
      const inTime = free().filter((event) => event.handled - event.timeStamp <= 20);
      for (const { frame } of inTime) counts.set(frame, (counts.get(frame) ?? 0) + 1);
      const more = [...counts.values()].filter((count) => count > 1).length;
      return verdict(counts.size > 0 && more === 0, [more, counts.size]);
    },
    'mouse.period': () => {
      // A mouse is asked at even times, and says nothing while it stands.
      const between2 = gaps(longest(free()).map((place) => place.timeStamp)).filter((gap) => gap > 0.5);
      const usual = median(between2);
      // The clock counts whole milliseconds: what lies between two of them shows in the mean, and in longer gaps.
      const period = mean(between2.filter((gap) => Math.abs(gap - usual) <= 1.5));
      const even = between2.filter((gap) => Math.abs(gap - Math.max(1, Math.round(gap / period)) * period) <= 1.5);
      return verdict(even.length >= 10 && even.length >= between2.length * 0.85, [round(period), even.length, between2.length]);
    },
    'mouse.rate': () => {
      const between2 = gaps(longest(free()).map((place) => place.timeStamp));
      return verdict(between(median(between2), 1, 20), round(median(between2)));
    },
    'mouse.pace': () => {
      // Nobody moves in equal steps.
      const seen = spread(steps(longest(free())).filter((step) => step > 0));
      return verdict(seen > 0.15, round(seen));
    },
    'mouse.bent': () => verdict(bend(longest(free())) >= 1, round(bend(longest(free())))),
    'mouse.slows': () => {
      // Fastest in the middle, slow where it arrives.
      const path = steps(longest(free()));
      const tail = path.slice(-Math.max(3, Math.floor(path.length / 10)));
      return verdict(path.length >= 10 && mean(tail) < Math.max(...path) / 2, [round(mean(tail)), round(Math.max(0, ...path))]);
    },
    'mouse.no-pressure': () => all(free(), (event) => event.pressure === 0, (event) => event.pressure),
    'mouse.pointer': () => all(of(...POINTERS), (event) => event.pointerType === 'mouse' && event.isPrimary && event.pointerId === 1
      && event.width === 1 && event.height === 1 && event.tiltX === 0 && event.tiltY === 0, (event) => [event.type, event.pointerType, event.pointerId, event.width, event.height]),
    'mouse.move-button': () => all(free(), (event) => event.button === -1, (event) => event.button),
    'mouse.source': () => all(of('mousemove', 'mousedown', 'mouseup', 'click'), (event) => event.touches === false, (event) => [event.type, event.touches]),
    'mouse.clock': () => {
      // The clock of events never runs back, and is never ahead of the page's.
      const list = of(...POINTERS, ...MICE);
      return all(list, (event) => event.timeStamp <= event.handled + 1 && event.timeStamp > event.handled - 20000, (event) => [event.type, event.timeStamp, event.handled]);
    },
    'mouse.order-in-time': () => all(gaps(of('pointermove').map((event) => event.timeStamp)).map((gap) => ({ gap })), ({ gap }) => gap >= 0),
    'mouse.one-clock': () => oneClock(of('mousedown', 'mouseup', 'click').concat(places(free()))),
    'mouse.no-touch': () => verdict(of('touchstart').length === 0, of('touchstart').length),
  };

  const on = (target, ...types) => of(...types).filter((event) => event.target === target);
  // Each press of the first button with its release.
  const presses = (target) => on(target, 'pointerdown').filter((event) => event.button === 0).map((down) => ({
    down,
    up: on(target, 'pointerup').find((event) => event.timeStamp >= down.timeStamp),
  }));
  const press = (target) => presses(target)[0] ?? {};

  const clicks = {
    'click.order': () => {
      const order = on('button', 'pointerdown', 'mousedown', 'pointerup', 'mouseup', 'click').slice(0, 5).map((event) => event.type).join(' ');
      return verdict(order === 'pointerdown mousedown pointerup mouseup click', order);
    },
    'click.pressure': () => all(on('button', 'pointerdown'), (event) => event.pressure === 0.5, (event) => event.pressure),
    'click.released': () => all(on('button', 'pointerup'), (event) => event.pressure === 0 && event.buttons === 0, (event) => [event.pressure, event.buttons]),
    'click.buttons': () => all(on('button', 'pointerdown', 'mousedown'), (event) => event.button === 0 && event.buttons === 1, (event) => [event.type, event.button, event.buttons]),
    'click.detail': () => all(on('button', 'mousedown', 'mouseup', 'click').slice(0, 3), (event) => event.detail === 1, (event) => [event.type, event.detail]),
    'click.interface': () => all(on('button', 'click'), (event) => event.interface === 'PointerEvent' && event.pointerType === 'mouse' && event.pointerId === 1, (event) => [event.interface, event.pointerType, event.pointerId]),
    'click.arrived': () => {
      // The pointer was over it before each press, and not only for an instant.
      const waits = presses('button').map(({ down }) => {
        const over = on('button', 'pointerover').filter((event) => event.timeStamp < down.timeStamp).at(-1);
        return over ? round(down.timeStamp - over.timeStamp) : 'not over it before';
      });
      return verdict(waits.length && waits.every((wait) => wait >= 15), waits);
    },
    'click.rests': () => {
      // The pointer stands for a moment before each press.
      const rests = presses('button').map(({ down }) => {
        const last = places(of('pointermove')).filter((place) => place.timeStamp < down.timeStamp).at(-1);
        return last ? round(down.timeStamp - last.timeStamp) : 'no move before';
      });
      return verdict(rests.length && rests.every((rest) => rest >= 20), rests);
    },
    'click.dwell': () => {
      const dwells = presses('button').map(({ down, up }) => (up ? round(up.timeStamp - down.timeStamp) : 'not released'));
      return verdict(dwells.length && dwells.every((dwell) => between(dwell, 25, 350)), dwells);
    },
    'click.still': () => {
      const { down, up } = press('button');
      return verdict(up && Math.hypot(up.clientX - down.clientX, up.clientY - down.clientY) <= 3, up ? [up.clientX - down.clientX, up.clientY - down.clientY] : 'nothing happened');
    },
    'click.off-centre': () => {
      // Now and then anybody hits the very centre, but not with most presses.
      const box = document.getElementById('button').getBoundingClientRect();
      const offs = presses('button').map(({ down }) => [down.clientX - (box.x + box.width / 2), down.clientY - (box.y + box.height / 2)]);
      const exact = offs.filter(([x, y]) => x === 0 && y === 0).length;
      return verdict(offs.length > 0 && exact * 2 <= offs.length, offs);
    },
    'click.where-it-moved': () => {
      // Pressed where the pointer was seen last.
      const { down } = press('button');
      const last = down && places(of('pointermove').filter((event) => event.timeStamp <= down.timeStamp)).at(-1);
      return verdict(last && last.clientX === down.clientX && last.clientY === down.clientY, last ? [last.clientX, last.clientY, down.clientX, down.clientY] : 'no move before');
    },
    'click.activates': () => all(on('button', 'click'), (event) => event.active),
  };

  const doubles = {
    'double.detail': () => {
      const seen = on('double', 'click', 'dblclick').slice(0, 3).map((event) => `${event.type} ${event.detail}`).join(', ');
      return verdict(seen === 'click 1, click 2, dblclick 2', seen);
    },
    'double.pace': () => {
      // Between the two presses of each double click.
      const times = on('double', 'pointerdown').map((event) => event.timeStamp);
      const paces = times.flatMap((time, index) => (index % 2 ? [round(time - times[index - 1])] : []));
      return verdict(paces.length && paces.every((pace) => between(pace, 60, 450)), paces);
    },
  };
  const rights = {
    'right.button': () => all(on('right', 'pointerdown'), (event) => event.button === 2 && event.buttons === 2),
    'right.release': () => {
      // On Linux the menu opens with the press, and takes the release.
      const releases = of('pointerup', 'mouseup', 'auxclick').filter((event) => event.button === 2);
      return verdict(on('right', 'pointerdown').length > 0 && releases.length === 0, releases.map((event) => event.type));
    },
    'right.menu': () => all(on('right', 'contextmenu'), (event) => event.isTrusted && event.button === 2),
  };
  const wheels = {
    'wheel.trusted': () => all(of('wheel'), (event) => event.isTrusted && event.deltaMode === 0 && event.deltaX === 0),
    'wheel.notches': () => {
      // A wheel has notches: all alike, none of them half a page. Some that wait for a busy browser come as one.
      const sizes = new Set(of('wheel').map((event) => Math.abs(event.deltaY))), notch = Math.min(...sizes);
      const whole = [...sizes].every((size) => Number.isInteger(size / notch) && size <= 4 * notch);
      return verdict(of('wheel').length >= 2 && whole && notch <= 240, [of('wheel').length, [...sizes].slice(0, 5)]);
    },
    'wheel.fields': () => all(of('wheel'), (event) => event.wheelDeltaY === -event.deltaY, (event) => [event.deltaY, event.wheelDeltaY]),
    'wheel.one-clock': () => oneClock(of('wheel')),
    'wheel.pace': () => {
      const between2 = gaps(of('wheel').map((event) => event.timeStamp));
      return verdict(between2.length && between(median(between2), 8, 500), round(median(between2)));
    },
    'wheel.where-it-points': () => {
      const last = (time) => places(of('pointermove').filter((event) => event.timeStamp <= time)).at(-1);
      return all(of('wheel'), (event) => last(event.timeStamp)?.clientX === event.clientX && last(event.timeStamp)?.clientY === event.clientY);
    },
    'wheel.glides': () => {
      // A notch moves the page little by little, and not from one notch to the next.
      const tops = on('scroll', 'scroll').map((event) => event.top);
      return verdict(tops.some((top) => top % 120 !== 0), tops.slice(0, 10));
    },
    'wheel.scrolls': () => verdict(on('scroll', 'scroll').length > 0 && document.getElementById('scroll').scrollTop > 0, document.getElementById('scroll').scrollTop),
  };
  const held = () => of('pointermove').filter((event) => event.buttons === 1);
  const drags = {
    'drag.held': () => all(held(), (event) => event.pressure === 0.5 && event.button === -1, (event) => [event.pressure, event.button]),
    'drag.path': () => verdict(longest(held()).length >= 8, longest(held()).length),
    'drag.ends': () => verdict(on('from', 'pointerdown').length >= 1 && on('to', 'pointerup').length >= 1, [on('from', 'pointerdown').length, on('to', 'pointerup').length]),
  };

  // The drags of the browser: their events come from the window system.
  const carries = {
    'carry.order': () => {
      const kinds = [...new Set(of('dragstart', 'dragenter', 'dragover', 'drop', 'dragend').map((event) => event.type))].join(' ');
      return verdict(kinds === 'dragstart dragenter dragover drop dragend', kinds);
    },
    'carry.path': () => {
      const overs = of('dragover');
      return verdict(overs.length >= 10 && Math.max(...steps(overs)) < 150, [overs.length, round(Math.max(0, ...steps(overs)))]);
    },
    'carry.place': () => {
      const { screenX: x, screenY: y, clientX, clientY } = of('mousemove').at(-1);
      return all(of('dragover', 'drop'), (event) => event.screenX - event.clientX === x - clientX && event.screenY - event.clientY === y - clientY,
        (event) => [event.type, event.screenX, event.screenY, event.clientX, event.clientY]);
    },
    'carry.buttons': () => all(of('drag'), (event) => event.buttons === 1, (event) => event.buttons),
    'carry.no-release': () => {
      const at = recorded.findIndex((event) => event.type === 'dragend');
      const next = recorded.slice(at + 1).find((event) => /^pointer(down|up)$/.test(event.type));
      return verdict(at >= 0 && next?.type !== 'pointerup', next?.type ?? 'nothing');
    },
  };

  for (const [section, judges] of Object.entries({ carry: carries, move: moves, click: clicks, double: doubles, right: rights, wheel: wheels, drag: drags })) {
    for (const [name, judge] of Object.entries(judges)) pointer[name] = { section, judge };
  }
}
