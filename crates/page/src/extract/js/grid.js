// Tables as grids: which cell covers which slot, and which rows are headers. Rust does the same for Markdown (`grid.rs`).

const ANY_TABLE = 'table,[role=table],[role=grid],[role=treegrid]', TABLE_ROW = 'tr,[role=row]';
const TABLE_HEADS = 'th,[role=columnheader],[role=rowheader]', TABLE_VALUES = 'td,[role=cell],[role=gridcell]';
// Most columns and rows of a cell, as in HTML; slots that a table may always have, and how many for each of its cells.
const MOST_COLUMNS = 1000, MOST_ROWS = 65534, MOST_SLOTS = 100000, SLOTS_A_CELL = 8;

const rowsIn = (table) => {
  const rows = table.localName === 'table' ? Array.from(table.rows) : Array.from(table.querySelectorAll('[role=row]')).filter((row) => row.closest(ANY_TABLE) === table);
  return rows.filter((row) => drawn(row) === SHOWN);
};
const cellsIn = (row) => {
  const cells = row.localName === 'tr' ? Array.from(row.cells) : Array.from(row.querySelectorAll(`${TABLE_HEADS},${TABLE_VALUES}`)).filter((cell) => cell.parentElement.closest(`${TABLE_ROW},${TABLE_HEADS},${TABLE_VALUES}`) === row);
  return cells.filter((cell) => drawn(cell) !== GONE);
};
// Whether a row has headers and no values.
const onlyHeads = (row, cells = cellsIn(row)) => cells.length > 0
  && (row.parentElement?.localName === 'thead' || cells.every((cell) => cell.matches(TABLE_HEADS) && !cell.matches('[role=cell],[role=gridcell]')));

const spanOf = (cell) => {
  const said = (own, name) => own ?? Number.parseInt(cell.getAttribute(name) ?? '1', 10);
  const across = said(cell.colSpan, 'aria-colspan'), down = said(cell.rowSpan, 'aria-rowspan');
  const fit = (number, most) => Math.min(Math.max(1, number || 1), most);
  // Zero rows means all that are left.
  return [fit(across, MOST_COLUMNS), down === 0 ? MOST_ROWS : fit(down, MOST_ROWS)];
};

// What each cell covers: columns from `from` to before `to`, rows from `row` to `last`.
const spread = (rows) => {
  const part = (row) => row.node.localName === 'tr' ? row.node.parentElement : null;
  const ends = rows.map((_, at) => at);
  for (let at = rows.length - 1; at > 0; at--) if (part(rows[at - 1]) === part(rows[at])) ends[at - 1] = ends[at];
  const all = [];
  // What cells of earlier rows cover, from left to right.
  let reaching = [];
  for (let row = 0; row < rows.length; row++) {
    reaching = reaching.filter((one) => one.last >= row);
    const more = [];
    let column = 0, next = 0;
    for (const cell of rows[row].cells) {
      while (next < reaching.length && reaching[next].from <= column) { column = Math.max(column, reaching[next].to); next++; }
      const [across, down] = spanOf(cell);
      // Cells that would overlap are narrowed.
      const free = next < reaching.length ? reaching[next].from : Infinity;
      const one = { cell, row, from: column, to: Math.min(free, column + across), last: Math.min(ends[row], row + down - 1) };
      all.push(one);
      if (one.last > row) more.push(one);
      column = one.to;
    }
    if (more.length) reaching = reaching.concat(more).sort((a, b) => a.from - b.from);
  }
  return all;
};

// The rows of a table that have cells, each with its `slots`: one for each column, with the cell that covers it, whether
// the cell begins there, and whether it covers all columns. A column in which no cell begins is left out. Of headers, the
// first `heads` rows; those of all columns are `titles`, which are none of the rows.
const gridIn = (table) => {
  const rows = rowsIn(table).map((node) => ({ node, cells: cellsIn(node), slots: [] }));
  const all = spread(rows);
  const starts = [...new Set(all.map((one) => one.from))].sort((a, b) => a - b);
  const columnOf = new Map(starts.map((start, column) => [start, column]));
  if (rows.length * starts.length > Math.max(MOST_SLOTS, SLOTS_A_CELL * all.length)) {
    for (const row of rows) row.slots = row.cells.map((cell) => ({ cell, begins: true, whole: false }));
  } else {
    for (const row of rows) row.slots = starts.map(() => null);
    for (const { cell, row, from, to, last } of all) {
      const begin = columnOf.get(from);
      let end = begin;
      while (end < starts.length && starts[end] < to) end++;
      const whole = end - begin === starts.length && starts.length > 1;
      for (let at = row; at <= last; at++) for (let column = begin; column < end; column++) rows[at].slots[column] = { cell, begins: at === row && column === begin, whole };
    }
  }
  let filled = rows.filter((row) => row.cells.length > 0);
  let heads = filled.findIndex((row) => !onlyHeads(row.node, row.cells));
  // A table of headers alone has one row of them.
  if (heads < 0) heads = Math.min(1, filled.length);
  const titles = filled.length > heads ? filled.slice(0, heads).filter((row) => row.cells.length === 1 && row.slots[0]?.whole) : [];
  filled = filled.filter((row) => !titles.includes(row));
  return { rows: filled, heads: heads - titles.length, titles: titles.map((row) => row.cells[0]), columns: starts.length };
};

// What the headers say of each column, from the top down.
const headsOf = ({ rows, heads, columns }, says) => Array.from({ length: heads ? columns : 0 }, (_, column) => {
  const parts = rows.slice(0, heads).map((row) => row.slots[column]).filter((slot) => slot && (slot.begins || !slot.whole)).map((slot) => says(slot.cell));
  return [...new Set(parts)].filter((part) => part);
});
