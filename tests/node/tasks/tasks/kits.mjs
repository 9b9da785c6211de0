// Calendars, grids, editors, maps, charts and sortable lists of well-known libraries, and Vuetify.
import { click, drag, fill, press, type } from '../player.mjs';

const at = (path) => `node_modules/${path}`;
const vuetify = [at('vue/dist/vue.global.prod.js'), at('vuetify/dist/vuetify.min.js'), at('vuetify/dist/vuetify.min.css')];
// It asks for the environment of a bundler.
const before = '<script>process = { env: {} }</script>';
const vue = (template, data = '{}') => `<div id=app></div><script>state = Vue.reactive(${data});
  Vue.createApp({ template: \`<v-app>${template}</v-app>\`, setup: () => ({ state }) }).use(Vuetify.createVuetify()).mount('#app')</script>`;

export const kits = [
  {
    name: 'flatpickr',
    words: 'Choose the 5th of May 2027.',
    lib: [at('flatpickr/dist/flatpickr.min.js'), at('flatpickr/dist/flatpickr.min.css')],
    html: `<label>Day <input id=d></label><script>flatpickr('#d', { defaultDate: '2027-05-20' })</script>`,
    done: 'd.value === "2027-05-05"',
    async play(p) {
      await p.do(click(p.see(/textbox "Day"/)));
      if (!p.has(/May 5, 2027/)) await p.look();
      await p.do(click(p.see(/May 5, 2027/)));
    },
  },
  {
    name: 'fullcalendar-event',
    words: 'Open the event Dentist.',
    lib: [at('fullcalendar/index.global.min.js')],
    html: `<div id=c></div><script>new FullCalendar.Calendar(c, { initialDate: '2027-05-01', events: [{ title: 'Dentist', start: '2027-05-12' }, { title: 'Lunch', start: '2027-05-13' }], eventClick: ({ event }) => { state = event.title } }).render()</script>`,
    done: 'window.state === "Dentist"',
    play: (p) => p.do(click(p.see(/Dentist/))),
  },
  {
    name: 'fullcalendar-month',
    words: 'Go to the next month and open the event Move.',
    lib: [at('fullcalendar/index.global.min.js')],
    html: `<div id=c></div><script>new FullCalendar.Calendar(c, { initialDate: '2027-05-01', events: [{ title: 'Move', start: '2027-06-16' }], eventClick: ({ event }) => { state = event.title } }).render()</script>`,
    done: 'window.state === "Move"',
    async play(p) {
      // Its two arrows are glyphs of a font: previous, next.
      await p.do(click(p.see(/button "(Next month|\ue901)"/)));
      await p.do(click(p.see(/Move/)));
    },
  },
  {
    name: 'ag-grid-sort',
    words: 'Sort the grid by Price and select the cheapest car.',
    lib: [at('ag-grid-community/dist/ag-grid-community.min.js')],
    html: `<div id=g style="height:240px;width:500px"></div><script>agGrid.createGrid(g, { columnDefs: [{ field: 'model' }, { field: 'price' }], rowData: [{ model: 'Celica', price: 35 }, { model: 'Mondeo', price: 32 }, { model: 'Boxster', price: 72 }], rowSelection: { mode: 'singleRow', checkboxes: false, enableClickSelection: true }, onRowSelected: ({ node }) => { if (node.isSelected()) state = node.data.model } })</script>`,
    done: 'window.state === "Mondeo"',
    async play(p) {
      await p.do(click(p.see(/generic "Price"|: Price$|"Price"/)));
      await p.do(click(p.see(/Mondeo/)));
    },
  },
  {
    name: 'ag-grid-edit',
    words: 'Set the price of the Mondeo to 30: a double click opens its cell, Enter saves it.',
    lib: [at('ag-grid-community/dist/ag-grid-community.min.js')],
    html: `<div id=g style="height:240px;width:500px"></div><script>agGrid.createGrid(g, { columnDefs: [{ field: 'model' }, { field: 'price', editable: true }], rowData: [{ model: 'Celica', price: 35 }, { model: 'Mondeo', price: 32 }], onCellValueChanged: ({ data }) => { state = data.model + data.price } })</script>`,
    done: 'window.state === "Mondeo30"',
    async play(p) {
      await p.do(click(p.see(/"32"/), { count: 2 }));
      await p.do(fill(p.see(/(textbox|spinbutton) .*Edit/i), '30'), press('Enter'));
    },
  },
  {
    name: 'tabulator',
    words: 'Tick the row of Mary and press Delete.',
    lib: [at('tabulator-tables/dist/js/tabulator.min.js'), at('tabulator-tables/dist/css/tabulator.min.css')],
    html: `<div id=g></div><button onclick="state = grid.getSelectedData().map((one) => one.name).join()">Delete</button><script>const grid = new Tabulator('#g', { selectableRows: true, data: [{ id: 1, name: 'Oli' }, { id: 2, name: 'Mary' }], columns: [{ title: 'Name', field: 'name' }] })</script>`,
    done: 'window.state === "Mary"',
    async play(p) {
      const mary = await p.find('Mary');
      await p.do(click(mary), click(p.see(/button "Delete"/)));
    },
  },
  {
    name: 'codemirror',
    words: 'Replace the program by print(1).',
    lib: [at('codemirror/lib/codemirror.js'), at('codemirror/lib/codemirror.css')],
    html: `<div id=e></div><script>editor = CodeMirror(e, { value: 'old()', lineNumbers: true })</script>`,
    done: 'editor.getValue() === "print(1)"',
    play: (p) => p.do(press('Control+A', p.see(/textbox/)), type(undefined, 'print(1)')),
  },
  {
    name: 'quill',
    words: 'Write "Dear Ann" and make it bold.',
    lib: [at('quill/dist/quill.js'), at('quill/dist/quill.snow.css')],
    html: `<div id=e></div><script>editor = new Quill('#e', { theme: 'snow' })</script>`,
    done: '/<strong>Dear Ann<\\/strong>/.test(editor.root.innerHTML)',
    async play(p) {
      const field = p.see(/textbox|ql-editor/);
      await p.do(type(field, 'Dear Ann'), press('Control+A'), click(p.see(/button "bold"|ql-bold/)));
    },
  },
  {
    name: 'leaflet',
    words: 'Zoom in once, then open the marker and press Route.',
    lib: [at('leaflet/dist/leaflet.js'), at('leaflet/dist/leaflet.css')],
    html: `<div id=m style="height:300px;width:500px"></div><script>map = L.map(m).setView([52, 13], 6); L.marker([52, 13], { title: 'Office' }).addTo(map).bindPopup('<button onclick="state = map.getZoom()">Route</button>')</script>`,
    done: 'window.state === 7',
    play: (p) => p.do(click(p.see(/button "Zoom in"/)), click(p.see(/"(Office|Marker)"/)), click({ name: 'Route', role: 'button' })),
  },
  {
    name: 'd3-chart',
    words: 'Click the bar of Beta.',
    lib: [at('d3/dist/d3.min.js')],
    html: `<svg id=c width=400 height=200></svg><script>const bars = d3.select('#c').selectAll('g').data([['Alpha', 60], ['Beta', 120], ['Gamma', 90]]).join('g').attr('transform', (d, n) => 'translate(' + (20 + n * 100) + ',0)');
      bars.append('rect').attr('y', (d) => 170 - d[1]).attr('width', 60).attr('height', (d) => d[1]).attr('fill', 'teal').on('click', (event, d) => { state = d[0] }); bars.append('text').attr('y', 190).text((d) => d[0])</script>`,
    done: 'window.state === "Beta"',
    play: (p) => p.do(click(p.see(/rect .*fill/, 1))),
  },
  {
    name: 'sortablejs',
    words: 'Move Plum to the top of the list.',
    lib: [at('sortablejs/Sortable.min.js')],
    html: `<ul id=l style="width:200px"><li>Apple<li>Pear<li>Plum</ul><script>new Sortable(l, { animation: 0 })</script>`,
    done: 'l.children[0].textContent === "Plum"',
    async play(p) {
      const [plum, apple] = [p.see(/Plum/), p.see(/Apple/)];
      await p.do(drag(plum, apple));
      await p.look();
      const items = p.answers.at(-1);
      if (items.indexOf('Plum') > items.indexOf('Apple')) await p.do(drag(plum, apple));
    },
  },
  {
    name: 'nouislider',
    words: 'Set the lower price to 20.',
    lib: [at('nouislider/dist/nouislider.min.js'), at('nouislider/dist/nouislider.min.css')],
    html: `<div id=s style="width:300px;margin:30px"></div><script>noUiSlider.create(s, { start: [10, 80], step: 10, range: { min: 0, max: 100 }, handleAttributes: [{ 'aria-label': 'Lower' }, { 'aria-label': 'Upper' }] })</script>`,
    done: '+s.noUiSlider.get()[0] === 20',
    play: (p) => p.do(press('ArrowRight', p.see(/slider "Lower"/))),
  },
  {
    name: 'vuetify-select',
    words: 'Choose Florida.',
    lib: vuetify,
    before,
    html: vue(`<v-select label="State" :items="['Florida', 'Georgia']" v-model="state.value"></v-select>`),
    done: 'state.value === "Florida"',
    async play(p) {
      await p.do(click(p.see(/combobox "State"|"State"/)));
      if (!p.has(/"Florida"/)) await p.look();
      await p.do(click(p.see(/option "Florida"|"Florida"/)));
    },
  },
  {
    name: 'vuetify-form',
    words: 'Enter Ada as the name, switch on Alerts and press Save.',
    lib: vuetify,
    before,
    html: vue(`<v-text-field label="Name" v-model="state.name"></v-text-field><v-switch label="Alerts" v-model="state.on"></v-switch><v-btn @click="state.saved = 1">Save</v-btn>`),
    done: 'state.name === "Ada" && state.on && state.saved === 1',
    play: (p) => p.do(fill(p.see(/textbox "Name"/), 'Ada'), click(p.see(/(switch|checkbox) "Alerts"/)), click(p.see(/button "Save"/))),
  },
];
