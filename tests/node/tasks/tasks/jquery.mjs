// Pages of jQuery and its friends.
import { click, drag, fill, press, type } from '../player.mjs';

const $ = ['node_modules/jquery/dist/jquery.min.js'];
const ui = [...$, 'node_modules/jquery-ui/dist/jquery-ui.min.js', 'node_modules/jquery-ui/dist/themes/base/jquery-ui.min.css'];
const select2 = [...$, 'node_modules/select2/dist/js/select2.min.js', 'node_modules/select2/dist/css/select2.min.css'];

export const jquery = [
  {
    name: 'jquery-datepicker',
    words: 'Choose the 17th of the month after June 2027.',
    lib: ui,
    html: `<label>Day <input id=d value=06/10/2027></label><script>$('#d').datepicker()</script>`,
    done: 'd.value === "07/17/2027"',
    async play(p) {
      await p.do(click(p.see(/textbox "Day"/)));
      await p.do(click(p.see(/"Next"/)));
      await p.do(click(p.see(/"17"/)));
    },
  },
  {
    name: 'jquery-autocomplete',
    words: 'Choose JavaScript as the language.',
    lib: ui,
    html: `<label>Language <input id=l></label><script>$('#l').autocomplete({ source: ['Java', 'JavaScript', 'Ruby'] })</script>`,
    done: 'l.value === "JavaScript"',
    async play(p) {
      await p.do(type(p.see(/"Language"/), 'Java'));
      if (!p.has(/JavaScript/)) await p.look();
      await p.do(click({ name: 'JavaScript' }));
    },
  },
  {
    name: 'jquery-menu',
    words: 'Choose Tablets below Electronics.',
    lib: ui,
    html: `<ul id=m><li><div>Books</div><li><div>Electronics</div><ul><li><div>Phones</div><li><div>Tablets</div></ul></ul><script>$('#m').menu({ select: (event, { item }) => { state = item.text() } })</script>`,
    done: 'window.state === "Tablets"',
    async play(p) {
      await p.do(click(p.see(/"Electronics"/)));
      if (!p.has(/"Tablets"/)) await p.look();
      await p.do(click(p.see(/"Tablets"/)));
    },
  },
  {
    name: 'jquery-slider',
    words: 'Set the slider to 3.',
    lib: ui,
    html: `<div id=s style="width:300px"></div><script>$('#s').slider({ max: 10, slide: (event, { value }) => { state = value } })</script>`,
    done: 'window.state === 3',
    play: (p) => p.do(press('ArrowRight', p.see(/ui-slider-handle/), 3)),
  },
  {
    name: 'jquery-dialog',
    words: 'Open the dialog and press OK.',
    lib: ui,
    html: `<button id=o>Open</button><div id=d title=Question>Sure?</div><script>$('#d').dialog({ autoOpen: false, buttons: { OK: () => { state = 1 }, Cancel() {} } }); $('#o').click(() => $('#d').dialog('open'))</script>`,
    done: 'window.state === 1',
    play: (p) => p.do(click(p.see(/button "Open"/)), click({ name: 'OK', role: 'button' })),
  },
  {
    name: 'jquery-sortable',
    words: 'Drag Three to the place of One.',
    lib: ui,
    html: `<ul id=l style="width:200px"><li>One<li>Two<li>Three</ul><script>$('#l').sortable()</script>`,
    done: '$("#l").text().trim().startsWith("Three")',
    play: (p) => p.do(drag(p.see(/Three/), p.see(/One/))),
  },
  {
    name: 'jquery-droppable',
    words: 'Drag Me onto Here.',
    lib: ui,
    html: `<div id=a style="width:60px;border:1px solid">Me</div><div id=b style="width:160px;height:100px;margin-left:300px;border:1px solid">Here</div><script>$('#a').draggable(); $('#b').droppable({ drop: () => { state = 1 } })</script>`,
    done: 'window.state === 1',
    async play(p) {
      const here = await p.find('Here');
      await p.do(drag(p.see(/"Me"|: Me$/), here));
    },
  },
  {
    name: 'jquery-spinner',
    words: 'Set the amount to -2 with the spinner.',
    lib: ui,
    html: `<label for=s>Amount</label> <input id=s value=0><button onclick="state = $('#s').spinner('value')">Save</button><script>$('#s').spinner()</script>`,
    done: 'window.state === -2',
    play: (p) => p.do(fill(p.see(/spinbutton "Amount"/), '-2'), click(p.see(/button "Save"/))),
  },
  {
    name: 'jquery-selectmenu',
    words: 'Set the speed to Fast.',
    lib: ui,
    html: `<label for=s>Speed</label> <select id=s><option>Slow<option>Medium<option>Fast</select><script>$('#s').selectmenu()</script>`,
    done: 's.value === "Fast"',
    async play(p) {
      await p.do(click(p.see(/combobox "Speed"|combobox/)));
      if (!p.has(/"Fast"/)) await p.look();
      await p.do(click(p.see(/"Fast"/)));
    },
  },
  {
    name: 'select2',
    words: 'Choose Nevada as the state; the list has a search of its own.',
    lib: select2,
    html: `<select id=s style="width:200px" aria-label=State><option>Alaska<option>Kansas<option>Nevada<option>Ohio</select><script>$('#s').select2()</script>`,
    done: 's.value === "Nevada"',
    async play(p) {
      await p.do(click(p.see(/combobox (?!.*hidden)/, -1)));
      if (!p.has(/option "Nevada"/)) await p.look();
      await p.do(click(p.see(/option "Nevada"(?!.*select)/)));
    },
  },
];
