// Mail, shops, tables, editors, and things that are dragged.
import { check, click, drag, fill, press, type, wait } from '../player.mjs';

const box = 'width:120px;height:40px;border:1px solid;margin:4px';

export const desk = [
  {
    name: 'mail-reply',
    words: 'Answer the mail by Ada with "See you at noon".',
    html: `<ul id=l>${['Ben', 'Ada', 'Cleo'].map((who) => `<li style="cursor:pointer" data-who=${who}><b>${who}</b> <span>About ${who}'s plan</span>`).join('')}</ul><section id=s></section><script>
      l.onclick = (event) => { const { who } = event.target.closest('li').dataset; s.innerHTML = '<h2>Mail by ' + who + '</h2><button id=r>Reply</button>';
        r.onclick = () => { s.innerHTML += '<label>Message <textarea id=m></textarea></label><button id=d>Send</button>'; d.onclick = () => { state = [who, m.value]; s.textContent = 'Sent' } } }</script>`,
    done: 'JSON.stringify(window.state) === JSON.stringify(["Ada", "See you at noon"])',
    async play(p) {
      await p.do(click(p.see(/listitem.*Ada|Ada/, -1)));
      await p.do(click(p.see(/button "Reply"/)));
      await p.do(fill(p.see(/textbox "Message"/), 'See you at noon'), click(p.see(/button "Send"/)));
    },
  },
  {
    name: 'mail-star',
    words: 'Star the mails by Ann and by Cleo.',
    html: `<style>i{display:inline-block;width:16px;height:16px;background:gold}</style>${['Ann', 'Ben', 'Cleo'].map((who) => `<div class=mail><span>${who}</span><i class=star></i></div>`).join('')}
      <script>state = new Set(); document.querySelectorAll('.star').forEach((one) => { one.onclick = () => state.add(one.parentElement.textContent) })</script>`,
    done: '[...state].sort().join() === "Ann,Cleo"',
    play: (p) => p.do(click(p.see(/\.star/, 0)), click(p.see(/\.star/, 2))),
  },
  {
    name: 'shop-cheapest',
    words: 'Put the cheapest lamp into the cart and check out.',
    html: `${[['Desk lamp', 30], ['Floor lamp', 55], ['Night lamp', 12], ['Table lamp', 24]].map(([what, price]) => `<article><h3>${what}</h3><p>€ ${price}</p><button onclick="cart.push('${what}'); n.textContent = cart.length" aria-label="Add ${what}, € ${price}">Add</button></article>`).join('')}
      <p>Cart: <b id=n>0</b></p><button onclick="state = cart.join()">Check out</button><script>const cart = []</script>`,
    done: 'window.state === "Night lamp"',
    async play(p) {
      const offers = p.seeAll(/button "Add /).map((ref, n) => ({ ref, price: Number(p.line(/button "Add /, n).match(/€ (\d+)/)[1]) }));
      await p.do(click(offers.sort((a, b) => a.price - b.price)[0].ref), click(p.see(/button "Check out"/)));
    },
  },
  {
    name: 'shop-filter',
    words: 'Show only shoes of size 42 and open the only one that is left.',
    html: `<fieldset><legend>Size</legend>${[41, 42, 43].map((size) => `<label><input type=checkbox value=${size}> ${size}</label>`).join('')}</fieldset><ul id=l></ul><script>
      const shoes = [['Runner', 41], ['Walker', 42], ['Climber', 43]];
      const show = () => { const on = [...document.querySelectorAll(':checked')].map((one) => +one.value);
        l.innerHTML = shoes.filter(([, size]) => !on.length || on.includes(size)).map(([name]) => '<li><a href=#' + name + '>' + name + '</a>').join('') };
      document.onchange = () => setTimeout(show, 100); show()</script>`,
    done: 'location.hash === "#Walker"',
    async play(p) {
      await p.do(check(p.see(/checkbox "42"/)));
      await p.look();
      await p.do(click(p.see(/link "/)));
    },
  },
  {
    name: 'table-sort',
    words: 'Sort the table by Age and press Edit in its first row.',
    html: `<table><thead><tr><th>Name<th><button id=age>Age</button><th></thead><tbody id=t></tbody></table><script>
      let rows = [['Kim', 41], ['Lee', 23], ['Max', 35]]; const draw = () => { t.innerHTML = rows.map(([name, age]) => '<tr><td>' + name + '<td>' + age + '<td><button onclick="state=\\'' + name + '\\'">Edit ' + name + '</button>').join('') };
      age.onclick = () => { rows.sort((a, b) => a[1] - b[1]); setTimeout(draw, 50) }; draw()</script>`,
    done: 'window.state === "Lee"',
    async play(p) {
      await p.do(click(p.see(/button "Age"/)));
      await p.look();
      await p.do(click(p.see(/button "Edit/)));
    },
  },
  {
    name: 'table-lookup',
    words: 'Approve the invoice of Acme over 250.',
    html: `<table><tr><th>Customer<th>Amount<th>${[['Acme', 100], ['Beta', 250], ['Acme', 250], ['Gamma', 90]].map(([who, sum], n) => `<tr><td>${who}<td>${sum}<td><button onclick="state=${n}">Approve</button>`).join('')}</table>`,
    done: 'window.state === 2',
    async play(p) {
      const lines = p.answers.at(-1).split('\n');
      const row = lines.findIndex((line, n) => /Acme/.test(line) && /250/.test(lines.slice(n, n + 3).join(' ')) && !/100/.test(lines.slice(n, n + 2).join(' ')));
      const button = lines.slice(row).find((line) => /button "Approve"/.test(line));
      await p.do(click(p.driver.ref(button)));
    },
  },
  {
    name: 'inline-edit',
    words: 'Rename the task "Buy milk" to "Buy oat milk": a double click opens it, Enter saves it.',
    html: `<ul id=l><li>Call Ann<li>Buy milk</ul><script>l.ondblclick = (event) => { const li = event.target; const input = Object.assign(document.createElement('input'), { value: li.textContent });
      li.replaceChildren(input); input.focus(); input.select(); input.onkeydown = (event) => { if (event.key === 'Enter') { li.textContent = state = input.value } } }</script>`,
    done: 'window.state === "Buy oat milk"',
    async play(p) {
      await p.do(click({ name: 'Buy milk' }, { count: 2 }));
      const field = p.see(/textbox/);
      await p.do(fill(field, 'Buy oat milk'), press('Enter', field));
    },
  },
  {
    name: 'contenteditable',
    words: 'Write "Hello" as the note.',
    html: `<div id=n contenteditable role=textbox aria-label=Note style="${box}"></div>`,
    done: 'n.textContent === "Hello"',
    play: (p) => p.do(fill(p.see(/textbox "Note"/), 'Hello')),
  },
  {
    name: 'bold-word',
    words: 'Make the whole note bold.',
    html: `<button onmousedown="event.preventDefault()" onclick="document.execCommand('bold')">B</button><div id=n contenteditable role=textbox aria-label=Note style="${box}">Hello</div>`,
    done: '/<b>|bold/.test(n.innerHTML)',
    play: (p) => p.do(press('Control+A', p.see(/textbox "Note"/)), click(p.see(/button "B"/))),
  },
  {
    name: 'drag-html5',
    words: 'Drag the file report.pdf into Archive.',
    html: `<div id=f draggable=true style="${box}">report.pdf</div><div id=a style="${box}" role=group aria-label=Archive>Archive</div><script>
      f.ondragstart = (event) => event.dataTransfer.setData('text', 'report'); a.ondragover = (event) => event.preventDefault(); a.ondrop = (event) => { state = event.dataTransfer.getData('text') }</script>`,
    done: 'window.state === "report"',
    async play(p) {
      const archive = await p.find('Archive');
      await p.do(drag(p.see(/report\.pdf/), archive));
    },
  },
  {
    name: 'drag-pointer',
    words: 'Drag the blue square onto the target.',
    html: `<div id=s class=square style="width:40px;height:40px;background:blue;position:absolute;left:20px;top:60px;cursor:grab"></div><div id=g class=target style="width:80px;height:80px;border:1px solid;position:absolute;left:300px;top:40px" onclick=""></div><script>
      s.onpointerdown = (down) => { s.setPointerCapture(down.pointerId); s.onpointermove = (event) => { s.style.left = event.clientX - 20 + 'px'; s.style.top = event.clientY - 20 + 'px' } };
      s.onpointerup = (event) => { s.onpointermove = null; state = event.clientX > 300 && event.clientX < 380 && event.clientY > 40 && event.clientY < 120 }</script>`,
    done: 'window.state === true',
    play: (p) => p.do(drag(p.see(/#s\b|\.square|cursor=pointer/), p.see(/#g\b|\.target|clickable|cursor=pointer/, -1))),
  },
  {
    name: 'kanban',
    words: 'Move the card Write docs to Done.',
    html: `<style>.col{display:inline-block;vertical-align:top;width:160px;min-height:120px;border:1px solid}</style>${['To do', 'Done'].map((name) => `<div class=col role=list aria-label="${name}"><h3>${name}</h3>${name === 'To do' ? '<div draggable=true role=listitem>Fix bug</div><div draggable=true role=listitem>Write docs</div>' : ''}</div>`).join('')}
      <script>let card; document.ondragstart = (event) => { card = event.target }; document.querySelectorAll('.col').forEach((col) => { col.ondragover = (event) => event.preventDefault(); col.ondrop = () => { col.append(card) } })</script>`,
    done: 'document.querySelectorAll(".col")[1].textContent.includes("Write docs")',
    async play(p) {
      const done = await p.find('Done');
      await p.do(drag(p.see(/Write docs/), done));
    },
  },
  {
    name: 'todo-list',
    words: 'Add the tasks Paint and Clean, and tick off Paint.',
    html: `<input placeholder="What needs to be done?" id=i><ul id=l></ul><script>i.onkeydown = (event) => { if (event.key === 'Enter' && i.value) { l.insertAdjacentHTML('beforeend', '<li><label><input type=checkbox> ' + i.value + '</label>'); i.value = '' } }</script>`,
    done: '[...document.querySelectorAll("li")].map((li) => li.textContent.trim() + li.querySelector("input").checked).join() === "Painttrue,Cleanfalse"',
    async play(p) {
      const field = p.see(/textbox|needs to be done/);
      await p.do(fill(field, 'Paint'), press('Enter', field), fill(field, 'Clean'), press('Enter', field));
      await p.do(check(p.see(/checkbox "Paint"/)));
    },
  },
  {
    name: 'calculator',
    words: 'Work out 7 x 8 with the keys, and put the result into the field.',
    html: `<output id=o>0</output><div id=k>${'7894561230'.split('').concat(['x', '=']).map((key) => `<button>${key}</button>`).join('')}</div><label>Result <input id=r></label><script>let text = ''; k.onclick = (event) => { const key = event.target.textContent;
      if (key === '=') { const [a, b] = text.split('x'); o.textContent = a * b; text = '' } else o.textContent = text += key }</script>`,
    done: 'r.value === "56"',
    async play(p) {
      await p.do(...['7', 'x', '8', '='].map((key) => click(p.see(new RegExp(`button "${key}"`)))));
      if (!p.has(/\b56\b/)) await p.look({ full: true });
      await p.do(fill(p.see(/textbox "Result"/), p.line(/\b56\b/).match(/\b56\b/)[0]));
    },
  },
  {
    name: 'login-two-steps',
    words: 'Sign in as jane: Password s3cret, then Sign in.',
    html: `<div id=f><label>User name <input id=u></label><button onclick="next()">Continue</button></div><script>const next = () => setTimeout(() => { const user = u.value; f.innerHTML = '<label>Password <input type=password id=w></label><button id=b>Sign in</button>'; b.onclick = () => { state = user + w.value } }, 100)</script>`,
    done: 'window.state === "janes3cret"',
    play: (p) => p.do(
      fill(p.see(/textbox "User name"/), 'jane'), click(p.see(/button "Continue"/)),
      fill({ name: 'Password', role: 'textbox' }, 's3cret'), click({ name: 'Sign in', role: 'button' }),
    ),
  },
  {
    name: 'chat',
    words: 'Ask the bot for the price, and enter the price it answers in the field.',
    html: `<div id=c role=log></div><label>Message <input id=m></label><button id=s>Send</button><label>Price <input id=p></label><script>s.onclick = () => { c.innerHTML += '<p>You: ' + m.value; m.value = ''; setTimeout(() => { c.innerHTML += '<p>Bot: the price is 179 €.' }, 600) }</script>`,
    done: 'p.value === "179"',
    async play(p) {
      await p.do(fill(p.see(/textbox "Message"/), 'price?'), click(p.see(/button "Send"/)), wait('the price is'));
      if (!p.has(/the price is \d/)) await p.look({ full: true });
      await p.do(fill(p.see(/textbox "Price"/), p.line(/the price is \d/).match(/the price is (\d+)/)[1]));
    },
  },
  {
    name: 'search-and-open',
    words: 'Search for "rust" and open the second result.',
    html: `<input type=search aria-label=Search id=q><button onclick="find()">Go</button><ol id=l></ol><script>const find = () => setTimeout(() => { l.innerHTML = ['Rust, the language', 'Rust, the metal', 'Rust, the game'].map((one, n) => '<li><a href=#' + n + '>' + one + '</a>').join('') }, 200)</script>`,
    done: 'location.hash === "#1"',
    async play(p) {
      await p.do(type(p.see(/searchbox "Search"/), 'rust'), click(p.see(/button "Go"/)));
      if (!p.has(/link "Rust/)) await p.look();
      await p.do(click(p.see(/link "Rust/, 1)));
    },
  },
];
