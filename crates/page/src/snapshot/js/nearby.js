// Text between the controls: all of it when it is short, else what stands next to a control.

// Characters of text in a listing of controls; the longest text that counts as a caption; texts to choose from.
const PLENTY = 1500, CAPTION = 160, MOST_TEXTS = 500, LONGEST_TEXT = 600;

const asides = () => {
  const at = [];
  let size = 0, left = 0;
  return {
    // Whether a text is listed for now.
    takes(text, index) {
      if (at.length >= MOST_TEXTS || text.length > LONGEST_TEXT) { left++; return false; }
      at.push(index);
      size += text.length;
      return true;
    },
    // Takes out what is too much; returns how many texts are left out.
    trim(out) {
      const field = (index, nth) => index >= 0 && index < out.length ? out[index].split('\t', 7)[nth] : '';
      const works = (index) => /^[ic]$/.test(field(index, 3));
      const said = (index) => field(index, 4), value = (index) => field(index, 6);
      const gone = repeated(field, out.length);
      // What a control beside it is called or holds already.
      for (const index of at) {
        const text = said(index);
        if (works(index - 1) && (said(index - 1) === text || value(index - 1) === text) || works(index + 1) && said(index + 1) === text) gone.add(index);
      }
      if (size > PLENTY || left) {
        let room = PLENTY;
        for (const index of at) {
          if (gone.has(index)) continue;
          const length = said(index).length;
          const near = length <= CAPTION && (works(index - 1) || works(index + 1));
          if (near && length <= room) room -= length;
          else { gone.add(index); left++; }
        }
      }
      if (gone.size) sweep(out, gone);
      return left;
    },
  };
};

// Headings that say again what the place is called that they begin.
const repeated = (field, count) => {
  const gone = new Set(), depth = (index) => Number(field(index, 0));
  for (let index = 1; index + 1 < count; index++) {
    if (field(index, 1) !== 'heading' || field(index, 4) === '' || field(index, 4) !== field(index - 1, 4)) continue;
    // Alone in it, it is what keeps the place.
    if (PLACES.has(field(index - 1, 1)) && depth(index) === depth(index - 1) + 1 && depth(index + 1) === depth(index)) gone.add(index);
  }
  return gone;
};

// Removes lines, and places that held nothing else.
const sweep = (out, gone) => {
  const depthOf = (line) => parseInt(line, 10);
  const kept = [];
  let below = -1, emptied = false;
  for (let index = out.length - 1; index >= 0; index--) {
    if (gone.has(index)) { emptied = true; continue; }
    const [depth, role, , kind] = out[index].split('\t', 4);
    if (emptied && kind === '' && PLACES.has(role) && !TELLING.has(role) && below <= Number(depth)) continue;
    emptied = false;
    below = depthOf(out[index]);
    kept.push(out[index]);
  }
  kept.reverse();
  out.length = 0;
  for (const line of kept) out.push(line);
};
