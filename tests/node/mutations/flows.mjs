// Flows as people do them. Elements that a flow works have `data-truth`; what else is worked is wrong.
// `done` is the page's own word that it came to its end.

const click = (selector) => ({ kind: 'click', selector });
const fill = (selector, text) => ({ kind: 'fill', selector, text });
const select = (selector, value) => ({ kind: 'select', selector, values: [value] });
const press = (selector, key) => ({ kind: 'press', selector, key });
const T = '[data-truth]';
const t = (n) => `[data-truth="${n}"]`;

const plain = [
  ['search', `<h2>Orders</h2><button id=search class=btn data-truth onclick="state=1">Search orders</button><button id=clear class=btn>Clear</button>`, [click(T)]],
  ['navigation', `<nav><a href='#home'>Home</a> <a id=prices href='#prices' data-truth onclick="state=1">Prices</a> <a href='#help'>Help</a></nav>`, [click(T)]],
  ['label', `<form><label data-unit>First name <input name=first data-truth></label><label>Last name <input name=last></label></form>`, [fill(T, 'Ada')], `el(1).value === 'Ada'`],
  ['table row', `<table><tr><td>1001 Ada<td><button>Open</button><tr><td>1002 Bob<td><button data-truth onclick="state=1">Open</button><tr><td>1003 Eve<td><button>Open</button></table>`, [click(T)]],
  ['check box', `<form><label data-unit><input type=checkbox name=terms data-truth> Accept the terms</label><label><input type=checkbox name=news> Send me news</label></form>`, [{ kind: 'check', selector: T }], `el(1).checked`],
  ['choice', `<form><label data-unit>Country <select name=country data-truth><option>France<option>Poland</select></label><label>Currency <select name=currency><option>Euro<option>Poland</select></label></form>`, [select(T, 'Poland')], `el(1).value === 'Poland'`],
  ['two forms', `<form role=search onsubmit='return false'><input aria-label=Words><button data-truth onclick="state=1">Go</button></form><form aria-label=Newsletter onsubmit='return false'><input aria-label=Mail><button>Go</button></form>`, [click(T)]],
  ['list', `<ul><li>Green apple <button>Add</button><li>Yellow pear <button data-truth onclick="state=1">Add</button><li>Blue plum <button>Add</button></ul>`, [click(T)]],
  ['radio', `<fieldset><legend>Delivery</legend><label data-unit><input type=radio name=how value=post data-truth> By post</label><label><input type=radio name=how value=van> By van</label></fieldset>`, [{ kind: 'check', selector: T }], `el(1).checked`],
  ['message', `<form onsubmit='return false'><label data-unit>Message <textarea name=text data-truth=1></textarea></label><button data-truth=2 onclick="state = el(1).value">Send message</button><button type=button>Discard</button></form>`, [fill(t(1), 'Good morning'), click(t(2))], `state === 'Good morning'`],
  ['named icons', `<div role=toolbar aria-label=Text><button aria-label=Bold>B</button><button aria-label=Italic data-truth onclick="state=1">I</button><button aria-label=Underline>U</button></div>`, [click(T)]],
  ['test id', `<div><span data-testid=close-panel role=button tabindex=0 data-truth onclick="state=1">Close the panel</span><span data-testid=open-panel role=button tabindex=0>Open the panel</span></div>`, [click(T)]],
  ['footer', `<article><h2>News</h2><a href='#more'>Read more</a></article><footer><a href='#imprint' data-truth onclick="state=1">Imprint</a> <a href='#terms'>Terms</a></footer>`, [click(T)]],
  ['enter', `<form role=search onsubmit='state = words.value; return false'><label data-unit>Find a product <input name=words id=words data-truth></label></form><label>Coupon <input name=coupon></label>`, [fill(T, 'lamp'), press(T, 'Enter')], `state === 'lamp'`],
  ['rich text', `<div role=textbox aria-label=Note contenteditable=true data-truth=1 style="min-height: 2em; border: 1px solid"></div><button data-truth=2 onclick="state = el(1).innerText.trim()">Save note</button>`, [fill(t(1), 'Call Bob'), click(t(2))], `state === 'Call Bob'`],
  ['date field', `<form><label data-unit>Arrival <input type=date name=from data-truth></label><label>Departure <input type=date name=to></label></form>`, [fill(T, '2026-05-15')], `el(1).value === '2026-05-15'`],
  ['upload', `<form><label data-unit>Photo <input type=file name=photo data-truth></label><label>Contract <input type=file name=contract></label></form>`, [{ kind: 'upload', selector: T, paths: ['UPLOAD'] }], `el(1).files.length === 1`],
  ['next page', `<p>Page 1 of 9</p><nav aria-label=Pages><a href='#p0'>Previous</a> <a href='#p2'>2</a> <a href='#p3'>3</a> <a href='#next' data-truth onclick="state=1">Next</a></nav>`, [click(T)]],
];

// Things that appear in the course of a flow.
const grown = [
  ['menu', `<button data-truth=1 aria-haspopup=menu onclick="menu.hidden=false">Account</button><div id=menu role=menu hidden><button role=menuitem>Profile</button><button role=menuitem data-truth=2 onclick="state=1">Log out</button></div>`, [click(t(1)), click(t(2))]],
  ['dialog', `<button data-truth=1 onclick="ask.showModal()">Delete account</button><dialog id=ask aria-label="Sure?"><p>For good.</p><button onclick="ask.close()">Keep it</button><button data-truth=2 onclick="state=1; ask.close()">Yes, delete</button></dialog>`, [click(t(1)), click(t(2))]],
  ['tabs', `<div role=tablist><button role=tab>General</button><button role=tab data-truth=1 onclick="panel.hidden=false">Security</button></div><div id=panel role=tabpanel hidden><button data-truth=2 onclick="state=1">Change password</button><button>Sign out everywhere</button></div>`, [click(t(1)), click(t(2))]],
  ['details', `<details><summary data-truth=1>Advanced</summary><button data-truth=2 onclick="state=1">Reset settings</button></details><details><summary>About</summary><p>1.0</p></details>`, [click(t(1)), click(t(2))]],
  ['calendar', `<button data-truth=1 onclick="month.hidden=false">Choose a day</button><div id=month role=grid aria-label="May 2026" hidden>${[13, 14, 15, 16].map((day) => `<button aria-label="${day} May 2026"${day === 15 ? ' data-truth=2 onclick="state=1"' : ''}>${day}</button>`).join('')}</div>`, [click(t(1)), click(t(2))]],
  ['suggestions', `<label data-unit>City <input name=city role=combobox aria-expanded=false data-truth=1 oninput="cities.hidden=false"></label><ul id=cities role=listbox hidden><li role=option tabindex=0>Paris</li><li role=option tabindex=0 data-truth=2 onclick="state=1">Parma</li></ul>`, [fill(t(1), 'Par'), click(t(2))]],
  ['checkout', `<section id=one><h2>Address</h2><label data-unit>Street <input name=street data-truth=1></label><button data-truth=2 onclick="two.hidden=false; one.hidden=true">Continue to delivery</button></section>
    <section id=two hidden><h2>Delivery</h2><label>Speed <select name=speed data-truth=3><option>Normal<option>Express</select></label><button data-truth=4 onclick="three.hidden=false; two.hidden=true">Continue to payment</button></section>
    <section id=three hidden><h2>Payment</h2><label><input type=checkbox name=terms data-truth=5> I accept the terms</label><button>Cancel order</button><button data-truth=6 onclick="state = el(1).value + el(3).value + el(5).checked">Pay now</button></section>`,
  [fill(t(1), 'Long Street 1'), click(t(2)), select(t(3), 'Express'), click(t(4)), { kind: 'check', selector: t(5) }, click(t(6))], `state === 'Long Street 1Expresstrue'`],
  ['sign up', `<form onsubmit='state = mail.value + name.value; return false'><label data-unit>E-mail <input name=mail id=mail data-truth=1></label><label>Name <input name=name id=name data-truth=2></label><button data-truth=3>Create account</button><button type=button>Sign in instead</button></form>`,
    [fill(t(1), 'a@b.example'), fill(t(2), 'Ada'), click(t(3))], `el(1).value === 'a@b.example' && el(2).value === 'Ada' && state`],
];

// `shadow` and `frame` say where `el` and the mutators find what they are about.
const deep = [
  ['shadow', `<x-panel></x-panel><script>customElements.define('x-panel', class extends HTMLElement { connectedCallback() { this.attachShadow({ mode: 'open' }).innerHTML = '<button data-truth onclick="state=1">Refresh data</button><button>Hide data</button>'; } })</script>`, [click('x-panel >> [data-truth]')], undefined, { shadow: 'x-panel' }],
];

const react = (body) => `<div id=root></div><script src=/lib/built/plain-react.js></script><script>const { createElement: h, useState } = React; ${body}; createRoot(root).render(h(App))</script>`;
const vue = (template, data) => `<div id=root></div><script src=/lib/node_modules/vue/dist/vue.global.prod.js></script><script>Vue.createApp({ template: ${JSON.stringify(template)}, data: () => (${data}), methods: { end() { state = 1; } } }).mount('#root')</script>`;
const framed = [
  ['react list', react(`const App = () => { const [all, set] = useState(['Milk']); const [text, write] = useState('');
    return h('div', null, h('label', null, 'New item ', h('input', { name: 'item', value: text, 'data-truth': 1, onChange: (e) => write(e.target.value) })), h('button', { 'data-truth': 2, onClick: () => { set([...all, text]); state = text; } }, 'Add item'), h('button', null, 'Clear list'), h('ul', null, all.map((one) => h('li', { key: one }, one)))); }`), [fill(t(1), 'Bread'), click(t(2))], `state === 'Bread'`],
  ['react menu', react(`const App = () => { const [open, set] = useState(false); return h('div', null, h('button', { 'data-truth': 1, onClick: () => set(true) }, 'More actions'), open && h('div', { role: 'menu' }, h('button', { role: 'menuitem' }, 'Rename'), h('button', { role: 'menuitem', 'data-truth': 2, onClick: () => { state = 1; } }, 'Archive'))); }`), [click(t(1)), click(t(2))]],
  ['vue form', vue(`<div><label>Nickname <input name=nick v-model=nick data-truth=1></label><button data-truth=2 @click="end()">Save profile</button><button>Log out</button><p>{{ nick }}</p></div>`, `{ nick: '' }`), [fill(t(1), 'Ada'), click(t(2))], `state === 1 && el(1).value === 'Ada'`],
  ['vue tabs', vue(`<div><div role=tablist><button role=tab @click="tab=0">Plan</button><button role=tab data-truth=1 @click="tab=1">Billing</button></div><div v-if="tab" role=tabpanel><button>Change plan</button><button data-truth=2 @click="end()">Download invoice</button></div></div>`, `{ tab: 0 }`), [click(t(1)), click(t(2))]],
];

const svelte = (name) => `<div id=root></div><script>window.ended = (how) => { state = how; }</script><script src=/lib/built/${name}.js></script>`;
framed.push(
  ['svelte notes', svelte('svelte-notes'), [fill(t(1), 'Bread'), click(t(2))], `state === 'Bread'`],
  ['svelte steps', svelte('svelte-steps'), [click(t(1)), click(t(2))]],
);

// The whole flow in a frame.
const inFrame = [
  ['frame form', `<form onsubmit='return false'><label data-unit>Card holder <input name=holder data-truth=1></label><button data-truth=2 onclick="state = el(1).value">Pay by card</button><button type=button>Pay later</button></form>`, [fill(t(1), 'Ada'), click(t(2))], `state === 'Ada'`],
  ['frame menu', `<button data-truth=1 onclick="menu.hidden=false">Options</button><div id=menu role=menu hidden><button role=menuitem>Print</button><button role=menuitem data-truth=2 onclick="state=1">Share</button></div>`, [click(t(1)), click(t(2))]],
  ['frame list', `<ul><li>Monday <button>Book</button><li>Tuesday <button data-truth onclick="state=1">Book</button><li>Friday <button>Book</button></ul>`, [click(T)]],
].map(([name, html, steps, done]) => [name, html, steps.map((step) => ({ ...step, selector: `iframe >> ${step.selector}` })), done, { frame: true }]);

const dragged = [
  ['drag', `<ul><li draggable=true>Write</li><li draggable=true data-truth=1>Print</li></ul><div id=later style="width:200px;height:60px"><h2>Later</h2></div><div id=ready style="width:200px;height:60px" ondragover="event.preventDefault()" ondrop="state=1"><h2>Ready</h2></div>`,
    [{ kind: 'drag', selector: t(1), to: '#ready' }]],
];

const flow = (kind) => ([name, html, steps, done = 'state !== 0', rest = {}]) => ({ name, html, steps, done, kind, ...rest });
export const flows = [
  ...plain.map(flow('plain')), ...grown.map(flow('grown')), ...deep.map(flow('deep')),
  ...framed.map(flow('framework')), ...inFrame.map(flow('frame')), ...dragged.map(flow('drag')),
];
