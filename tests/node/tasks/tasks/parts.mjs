// Parts of pages that open, move, load and hide: menus, dialogs, frames, shadow roots, lists.
import { click, fill, hover, press, scroll, type, wait } from '../player.mjs';

export const parts = [
  {
    name: 'late-menu',
    words: 'Choose Export in the menu File.',
    html: `<button id=file>File</button><ul id=menu role=menu hidden><li role=menuitem>Open<li role=menuitem>Export</ul>
      <script>file.onclick = () => setTimeout(() => { menu.hidden = false }, 250); menu.onclick = (event) => { state = event.target.textContent }</script>`,
    done: 'window.state === "Export"',
    play: (p) => p.do(click(p.see(/button "File"/)), click({ name: 'Export' })),
  },
  {
    name: 'hover-menu',
    words: 'Open the menu Products and go to Lamps.',
    html: `<style>nav ul{display:none}nav:hover ul{display:block}</style><nav><a href=#>Products</a><ul><li><a href="#tables">Tables</a><li><a href="#lamps">Lamps</a></ul></nav>`,
    done: 'location.hash === "#lamps"',
    async play(p) {
      await p.do(hover(p.see(/link "Products"/)));
      if (!p.has(/link "Lamps"/)) await p.look();
      await p.do(click(p.see(/link "Lamps"/)));
    },
  },
  {
    name: 'suggestions',
    words: 'Choose Lisbon as the city.',
    html: `<label>City <input id=q role=combobox aria-expanded=false autocomplete=off></label><ul id=list role=listbox></ul><script>
      const cities = ['Lima', 'Lisbon', 'Lille', 'London']; let timer;
      q.oninput = () => { clearTimeout(timer); timer = setTimeout(() => { list.innerHTML = cities.filter((one) => one.startsWith(q.value)).map((one) => '<li role=option>' + one).join('') }, 200) };
      list.onclick = (event) => { state = q.value = event.target.textContent; list.innerHTML = '' }</script>`,
    done: 'window.state === "Lisbon"',
    async play(p) {
      await p.do(type(p.see(/combobox "City"/), 'Lis'));
      if (!p.has(/option "Lisbon"/)) await p.look();
      await p.do(click(p.see(/option "Lisbon"/)));
    },
  },
  {
    name: 'modal',
    words: 'Delete the draft and confirm it.',
    html: `<button onclick="d.showModal()">Delete draft</button><dialog id=d><p>Really delete?</p><button onclick="d.close()">Cancel</button><button onclick="state = 1; d.close()">Delete</button></dialog>`,
    done: 'window.state === 1 && !d.open',
    async play(p) {
      await p.do(click(p.see(/button "Delete draft"/)));
      await p.do(click(p.see(/button "Delete"(?! draft)/)));
    },
  },
  {
    name: 'native-confirm',
    words: 'Leave the group and accept the question of the browser.',
    html: `<button onclick="state = confirm('Leave the group?')">Leave</button>`,
    done: 'window.state === true',
    play: (p) => p.do(click(p.see(/button "Leave"/), { dialog: 'accept' })),
  },
  {
    name: 'cookie-banner',
    words: 'Refuse the cookies, then press Continue.',
    html: `<div id=b style="position:fixed;inset:0;background:#fffd"><p>We value your privacy</p><button>Accept all</button><button onclick="b.remove()">Reject all</button></div><button onclick="state = !window.b?.isConnected">Continue</button>`,
    done: 'window.state === true',
    play: (p) => p.do(click(p.see(/button "Reject all"/)), click({ name: 'Continue', role: 'button' })),
  },
  {
    name: 'iframe',
    words: 'Subscribe with me@example.com in the frame.',
    html: `<h1>Blog</h1><iframe src=/t/iframe/inner width=300 height=100></iframe>`,
    routes: { inner: '<!doctype html><label>E-mail <input id=m></label><button onclick="parent.state = m.value">Subscribe</button>' },
    done: 'window.state === "me@example.com"',
    play: (p) => p.do(fill(p.see(/textbox "E-mail"/), 'me@example.com'), click(p.see(/button "Subscribe"/))),
  },
  {
    name: 'frame-in-frame',
    words: 'Press Deep in the innermost frame.',
    html: `<iframe src=/t/frame-in-frame/middle width=400 height=200></iframe>`,
    routes: { middle: '<iframe src=/t/frame-in-frame/inner></iframe>', inner: '<button onclick="top.state = 1">Deep</button>' },
    done: 'window.state === 1',
    play: (p) => p.do(click(p.see(/button "Deep"/))),
  },
  {
    name: 'shadow-open',
    words: 'Switch on Dark mode.',
    html: `<x-s></x-s><script>customElements.define('x-s', class extends HTMLElement { connectedCallback() { const root = this.attachShadow({ mode: 'open' });
      root.innerHTML = '<div role=switch aria-checked=false tabindex=0>Dark mode</div>'; root.firstChild.onclick = (event) => { event.target.ariaChecked = 'true'; window.state = 1 } } })</script>`,
    done: 'window.state === 1',
    play: (p) => p.do(click(p.see(/switch "Dark mode"/))),
  },
  {
    name: 'shadow-closed',
    words: 'Rate it with four stars.',
    html: `<x-r></x-r><script>customElements.define('x-r', class extends HTMLElement { connectedCallback() { const root = this.attachShadow({ mode: 'closed' });
      for (let n = 1; n <= 5; n++) { const star = document.createElement('button'); star.textContent = '★'; star.ariaLabel = n + ' stars'; star.onclick = () => { window.state = n }; root.append(star) } } })</script>`,
    done: 'window.state === 4',
    play: (p) => p.do(click(p.see(/button "4 stars"/))),
  },
  {
    name: 'late-page',
    words: 'Press Start once it is there.',
    html: `<p>Loading…</p><script>setTimeout(() => { document.body.innerHTML = '<button onclick="state = 1">Start</button>' }, 150)</script>`,
    done: 'window.state === 1',
    async play(p) {
      if (!p.has(/button "Start"/)) await p.do(wait('Start'));
      if (!p.has(/button "Start"/)) await p.look();
      await p.do(click(p.see(/button "Start"/)));
    },
  },
  {
    name: 'wait-for-result',
    words: 'Run the report and press Download when it says Ready.',
    html: `<button onclick="out.textContent = 'Working…'; setTimeout(() => { out.innerHTML = 'Ready <button onclick=state=1>Download</button>' }, 900)">Run</button><p id=out></p>`,
    done: 'window.state === 1',
    async play(p) {
      await p.do(click(p.see(/button "Run"/)), wait('Ready'));
      await p.do(click(p.see(/button "Download"/)));
    },
  },
  {
    name: 'moving-target',
    words: 'Catch the button.',
    html: `<style>@keyframes go { from { left: 0 } to { left: 500px } } #b { position: absolute; top: 60px; animation: go 4s linear infinite alternate }</style><button id=b onclick="state = 1">Catch me</button>`,
    done: 'window.state === 1',
    // What moves can still be focused.
    play: (p) => p.do(press('Enter', p.see(/button "Catch me"/))),
  },
  {
    name: 'accordion',
    words: 'Open the section Shipping and press Track.',
    html: ['Payment', 'Shipping', 'Returns'].map((name) => `<details><summary>${name}</summary><button onclick="state = '${name}'">Track</button></details>`).join(''),
    done: 'window.state === "Shipping"',
    async play(p) {
      await p.do(click(p.see(/Shipping/)));
      await p.do(click(p.see(/button "Track"/)));
    },
  },
  {
    name: 'tabs',
    words: 'In the tab Billing, press Pay.',
    html: `<div role=tablist>${['General', 'Billing'].map((name, n) => `<button role=tab aria-selected=${n === 0} onclick="document.querySelectorAll('section').forEach((one, at) => { one.hidden = at !== ${n} })">${name}</button>`).join('')}</div>
      <section><button>Save</button></section><section hidden><button onclick="state = 1">Pay</button></section>`,
    done: 'window.state === 1',
    play: (p) => p.do(click(p.see(/tab "Billing"/)), click({ name: 'Pay', role: 'button' })),
  },
  {
    name: 'virtual-list',
    words: 'Open row 180 of the list.',
    html: `<div id=v tabindex=0 style="height:200px;overflow:auto;border:1px solid"><div id=h style="height:6000px;position:relative"></div></div><script>
      const draw = () => { const from = Math.floor(v.scrollTop / 30); h.innerHTML = ''; for (let n = from; n < from + 8; n++) { const a = document.createElement('button');
        a.textContent = 'Row ' + n; a.style = 'position:absolute;height:28px;top:' + n * 30 + 'px'; a.onclick = () => { state = n }; h.append(a) } };
      v.onscroll = draw; draw()</script>`,
    done: 'window.state === 180',
    async play(p) {
      // A row is 30 pixels high: the boxes of the first rows say so.
      await p.do(scroll(p.see(/button "Row 0"/), { dy: 180 * 30 }));
      if (!p.has(/button "Row 180"/)) await p.look();
      await p.do(click(p.see(/button "Row 180"/)));
    },
  },
  {
    name: 'load-more',
    words: 'Open article 25.',
    html: `<ul id=l></ul><button id=more>Load more</button><script>let n = 0; const add = () => { for (const end = n + 10; n < end;) l.insertAdjacentHTML('beforeend', '<li><a href="#' + ++n + '">Article ' + n + '</a>') }; more.onclick = () => setTimeout(add, 60); add()</script>`,
    done: 'location.hash === "#25"',
    async play(p) {
      await p.do(click(p.see(/button "Load more"/), { count: 2 }));
      if (!p.has(/link "Article 25"/)) await p.look();
      await p.do(click(p.see(/link "Article 25"/)));
    },
  },
  {
    name: 'keyboard-list',
    words: 'Choose the third fruit of the list with the keyboard.',
    html: `<ul role=listbox tabindex=0 id=l aria-label=Fruit>${['Apple', 'Pear', 'Plum'].map((one, n) => `<li role=option aria-selected=${n === 0}>${one}`).join('')}</ul><script>
      let at = 0; l.onkeydown = (event) => { if (event.key === 'ArrowDown') { l.children[at].ariaSelected = 'false'; l.children[++at].ariaSelected = 'true' } if (event.key === 'Enter') state = at }</script>`,
    done: 'window.state === 2',
    play: (p) => { const list = p.see(/listbox "Fruit"/); return p.do(press('ArrowDown', list, 2), press('Enter', list)); },
  },
  {
    name: 'context-menu',
    words: 'Rename the file notes.txt: open its context menu with the right button.',
    html: `<div id=f tabindex=0>notes.txt</div><div id=m hidden><button>Copy</button><button onclick="state = 1">Rename</button></div><script>f.oncontextmenu = (event) => { event.preventDefault(); m.hidden = false }</script>`,
    done: 'window.state === 1',
    play: (p) => p.do(click(p.see(/notes\.txt/), { button: 'right' }), click({ name: 'Rename' })),
  },
  {
    name: 'double-click',
    words: 'Open the folder Photos with a double click.',
    html: `<div id=f tabindex=0 role=button ondblclick="state = 1">Photos</div>`,
    done: 'window.state === 1',
    play: (p) => p.do(click(p.see(/Photos/), { count: 2 })),
  },
];
