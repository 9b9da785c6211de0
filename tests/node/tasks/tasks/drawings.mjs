// SVG, canvas, boards, and what is hit by a point.
import { click, drag } from '../player.mjs';

const centre = (line) => {
  const [, x, y, width, height] = line.match(/box=(\d+),(\d+),(\d+),(\d+)/).map(Number);
  return { x, y, width, height };
};

export const drawings = [
  {
    name: 'svg-bar',
    words: 'Click the tallest bar of the chart.',
    html: `<svg width=300 height=120>${[40, 90, 60].map((h, n) => `<rect x=${20 + n * 60} y=${110 - h} width=40 height=${h} fill=steelblue data-n=${n}></rect>`).join('')}</svg>
      <script>document.querySelectorAll('rect').forEach((bar) => { bar.onclick = () => { state = bar.dataset.n } })</script>`,
    done: 'window.state === "1"',
    async play(p) {
      const bars = p.seeAll(/- rect /).map((ref, n) => ({ ref, height: Number(p.line(/- rect /, n).match(/size=\d+x(\d+)/)[1]) }));
      await p.do(click(bars.sort((a, b) => b.height - a.height)[0].ref));
    },
  },
  {
    name: 'svg-colour',
    words: 'Click the red circle.',
    html: `<svg width=300 height=120>${['blue', 'red', 'green'].map((fill, n) => `<circle cx=${50 + n * 90} cy=60 r=25 fill=${fill}></circle>`).join('')}</svg>
      <script>document.querySelectorAll('circle').forEach((one) => { one.onclick = () => { state = one.getAttribute('fill') } })</script>`,
    done: 'window.state === "red"',
    play: (p) => p.do(click(p.see(/circle .*fill=#ff0000/))),
  },
  {
    name: 'svg-text',
    words: 'Click the month Mar in the chart.',
    html: `<svg width=300 height=60>${['Jan', 'Feb', 'Mar', 'Apr'].map((month, n) => `<text x=${20 + n * 60} y=40>${month}</text>`).join('')}</svg>
      <script>document.querySelectorAll('text').forEach((one) => { one.onclick = () => { state = one.textContent } })</script>`,
    done: 'window.state === "Mar"',
    play: (p) => p.do(click(p.see(/Mar/))),
  },
  {
    name: 'svg-pie',
    words: 'Click the slice of the pie that is green.',
    html: `<svg width=200 height=200 viewBox="-1 -1 2 2"><path d="M0 0 L1 0 A1 1 0 0 1 0 1 Z" fill="#cc0000"></path><path d="M0 0 L0 1 A1 1 0 0 1 -1 0 Z" fill="#00aa00"></path><path d="M0 0 L-1 0 A1 1 0 0 1 1 0 Z" fill="#0000cc"></path></svg>
      <script>document.querySelectorAll('path').forEach((one) => { one.onclick = () => { state = one.getAttribute('fill') } })</script>`,
    done: 'window.state === "#00aa00"',
    play: (p) => p.do(click(p.see(/path .*fill=#00aa00/))),
  },
  {
    name: 'canvas-point',
    words: 'Click near the centre of the canvas.',
    html: `<canvas id=c width=300 height=150 style="background:#eee"></canvas><script>c.onclick = (event) => { state = [event.offsetX, event.offsetY] }</script>`,
    done: 'Math.abs(window.state?.[0] - 150) < 60 && Math.abs(state[1] - 75) < 30',
    play: (p) => p.do(click(p.see(/canvas/))),
  },
  {
    name: 'canvas-draw',
    words: 'Draw a line over the whole width of the canvas.',
    html: `<canvas id=c width=300 height=150 style="background:#eee"></canvas><script>let down; c.onpointerdown = (event) => { down = event.offsetX };
      c.onpointerup = (event) => { state = event.offsetX - down }</script>`,
    done: 'window.state > 200',
    async play(p) {
      await p.look({ boxes: true });
      const { x, y, width, height } = centre(p.line(/canvas .*box=/));
      const level = y + Math.round(height / 2);
      await p.do(drag({ x: x + 20, y: level }, { x: x + width - 20, y: level }));
    },
  },
  {
    name: 'tic-tac-toe',
    words: 'You are X: win the game. The free cell of the middle row is yours.',
    html: `<style>.cell{display:inline-block;width:40px;height:40px;border:1px solid;vertical-align:top}</style><div id=board>${'X O . X X . O . O'.split(' ').map((mark, n) => `<div class=cell data-n=${n}>${mark === '.' ? '' : mark}</div>${n % 3 === 2 ? '<br>' : ''}`).join('')}</div><p id=out>Your turn</p>
      <script>board.onclick = (event) => { const cell = event.target.closest('.cell'); if (cell && !cell.textContent) { cell.textContent = 'X'; state = cell.dataset.n; out.textContent = state === '5' ? 'X wins' : 'Lost' } }</script>`,
    done: 'window.state === "5"',
    play: (p) => p.do(click(p.see(/\.cell\b/, 5))),
  },
  {
    name: 'colour-grid',
    words: 'Press the orange swatch.',
    html: `<style>.s{display:inline-block;width:30px;height:30px;cursor:pointer}</style>${['teal', 'orange', 'purple', 'brown'].map((one) => `<span class=s title=${one} style="background:${one}"></span>`).join('')}
      <script>document.querySelectorAll('.s').forEach((one) => { one.onclick = () => { state = one.title } })</script>`,
    done: 'window.state === "orange"',
    play: (p) => p.do(click(p.see(/orange/))),
  },
  {
    name: 'icons-only',
    words: 'Delete the mail by Ben.',
    html: `<style>i{display:inline-block;width:16px;height:16px;background:#ccc}</style>${['Ann', 'Ben', 'Cleo'].map((who) => `<div class=mail data-who=${who}><span>${who}</span> <span>Hello</span> <i class=star></i> <i class=trash></i></div>`).join('')}
      <script>document.querySelectorAll('.trash').forEach((one) => { one.addEventListener('click', () => { state = one.parentElement.dataset.who; one.parentElement.remove() }) })</script>`,
    done: 'window.state === "Ben"',
    play: (p) => p.do(click(p.see(/\.trash/, 1))),
  },
  {
    name: 'plus-and-minus',
    words: 'Set Milk to 3 pieces.',
    html: `<ul>${['Bread', 'Milk'].map((what) => `<li>${what} <span class=sub>-</span><b>1</b><span class=add>+</span></li>`).join('')}</ul>
      <script>document.querySelectorAll('.add, .sub').forEach((one) => { one.onclick = () => { const b = one.parentElement.querySelector('b'); b.textContent = +b.textContent + (one.className === 'add' ? 1 : -1) } })</script>`,
    done: 'document.querySelectorAll("b")[1].textContent === "3"',
    play: (p) => p.do(click(p.see(/"\+"|: \+$/, 1), { count: 2 })),
  },
  {
    name: 'image-map',
    words: 'Click the area called North of the map.',
    html: `<img usemap=#m width=200 height=100 src="data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg'/>"><map name=m><area shape=rect coords=0,0,200,50 href=# alt=North onclick="state='North'"><area shape=rect coords=0,50,200,100 href=# alt=South onclick="state='South'"></map>`,
    done: 'window.state === "North"',
    play: (p) => p.do(click(p.see(/"North"/))),
  },
];
