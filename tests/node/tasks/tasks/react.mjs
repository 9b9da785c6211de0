// Pages of React kits: MUI and Ant Design.
import { click, fill, press, type } from '../player.mjs';

const page = (kit, body) => ({
  lib: [`built/${kit}.js`],
  html: `<div id=root></div><script>const { createElement: h, useState } = React; ${body}; createRoot(root).render(h(App))</script>`,
});

export const react = [
  {
    name: 'mui-select',
    words: 'Set the age to Thirty.',
    ...page('mui', `const { FormControl, InputLabel, Select, MenuItem } = mui; const App = () => { const [age, set] = useState(10); state = age;
      return h(FormControl, { fullWidth: true }, h(InputLabel, { id: 'l' }, 'Age'), h(Select, { labelId: 'l', label: 'Age', value: age, onChange: (event) => set(event.target.value) }, ...[[10, 'Ten'], [20, 'Twenty'], [30, 'Thirty']].map(([value, text]) => h(MenuItem, { value, key: value }, text)))) }`),
    done: 'window.state === 30',
    play: (p) => p.do(click(p.see(/combobox/)), click({ name: 'Thirty' })),
  },
  {
    name: 'mui-autocomplete',
    words: 'Choose the film Pulp Fiction.',
    ...page('mui', `const { Autocomplete, TextField } = mui; const App = () => h(Autocomplete, { options: ['The Godfather', 'Pulp Fiction', 'Fargo'], onChange: (event, value) => { state = value }, renderInput: (params) => h(TextField, { ...params, label: 'Film' }) })`),
    done: 'window.state === "Pulp Fiction"',
    async play(p) {
      await p.do(type(p.see(/combobox "Film"/), 'Pulp'));
      if (!p.has(/option "Pulp Fiction"/)) await p.look();
      await p.do(click(p.see(/option "Pulp Fiction"/)));
    },
  },
  {
    name: 'mui-menu',
    words: 'Log out by the menu Account.',
    ...page('mui', `const { Button, Menu, MenuItem } = mui; const App = () => { const [anchor, set] = useState(null); const close = (what) => () => { state = what; set(null) };
      return h('div', null, h(Button, { onClick: (event) => set(event.currentTarget) }, 'Account'), h(Menu, { anchorEl: anchor, open: !!anchor, onClose: close() }, h(MenuItem, { onClick: close('profile') }, 'Profile'), h(MenuItem, { onClick: close('out') }, 'Log out'))) }`),
    done: 'window.state === "out"',
    play: (p) => p.do(click(p.see(/button "Account"/)), click({ name: 'Log out', role: 'menuitem' })),
  },
  {
    name: 'mui-dialog',
    words: 'Switch on Beta, and agree in the dialog.',
    ...page('mui', `const { Switch, FormControlLabel, Dialog, DialogTitle, DialogActions, Button } = mui; const App = () => { const [open, set] = useState(false);
      return h('div', null, h(FormControlLabel, { label: 'Beta', control: h(Switch, { onChange: () => set(true) }) }), h(Dialog, { open }, h(DialogTitle, null, 'Use the beta?'), h(DialogActions, null, h(Button, { onClick: () => set(false) }, 'Disagree'), h(Button, { onClick: () => { state = 1; set(false) } }, 'Agree')))) }`),
    done: 'window.state === 1',
    async play(p) {
      await p.do(click(p.see(/(switch|checkbox) "Beta"/)));
      await p.do(click(p.see(/button "Agree"/)));
    },
  },
  {
    name: 'mui-slider-rating',
    words: 'Set Volume to 32 and give 4 Stars.',
    ...page('mui', `const { Slider, Rating } = mui; state = {}; const App = () => h('div', { style: { width: 300 } }, h(Slider, { 'aria-label': 'Volume', defaultValue: 30, onChange: (event, value) => { state.volume = value } }), h(Rating, { name: 'r', onChange: (event, value) => { state.rating = value } }))`),
    done: 'state.volume === 32 && state.rating === 4',
    play: (p) => p.do(press('ArrowRight', p.see(/slider "Volume"/), 2), press('Space', p.see(/radio "4 Stars"/))),
  },
  {
    name: 'mui-tabs',
    words: 'In the tab Two, open Details and press Confirm.',
    ...page('mui', `const { Tabs, Tab, Accordion, AccordionSummary, AccordionDetails, Button } = mui; const App = () => { const [tab, set] = useState(0);
      return h('div', null, h(Tabs, { value: tab, onChange: (event, value) => set(value) }, h(Tab, { label: 'One' }), h(Tab, { label: 'Two' })), tab === 1 && h(Accordion, null, h(AccordionSummary, null, 'Details'), h(AccordionDetails, null, h(Button, { onClick: () => { state = 1 } }, 'Confirm')))) }`),
    done: 'window.state === 1',
    play: (p) => p.do(click(p.see(/tab "Two"/)), click({ name: 'Details', role: 'button' }), click({ name: 'Confirm', role: 'button' })),
  },
  {
    name: 'antd-select',
    words: 'Choose Lucy as the person.',
    ...page('antd', `const App = () => h(antd.Select, { style: { width: 200 }, 'aria-label': 'Person', placeholder: 'Person', onChange: (value) => { state = value }, options: ['Jack', 'Lucy', 'Tom'].map((value) => ({ value, label: value })) })`),
    done: 'window.state === "Lucy"',
    async play(p) {
      await p.do(click(p.see(/combobox "Person"|combobox/)));
      if (!p.has(/"Lucy"/)) await p.look();
      await p.do(click(p.see(p.has(/generic.*Lucy/) ? /generic.*Lucy/ : /"Lucy"/)));
    },
  },
  {
    name: 'antd-date',
    words: 'Choose the 2027-08-24.',
    ...page('antd', `const App = () => h(antd.DatePicker, { placeholder: 'Day', onChange: (date, text) => { state = text } })`),
    done: 'window.state === "2027-08-24"',
    play: (p) => p.do(type(p.see(/textbox "Day"|Day/), '2027-08-24'), press('Enter')),
  },
  {
    name: 'antd-cascader',
    words: 'Choose China, then Beijing.',
    ...page('antd', `const App = () => h(antd.Cascader, { placeholder: 'Place', onChange: (value) => { state = value.join() }, options: [{ value: 'China', label: 'China', children: [{ value: 'Beijing', label: 'Beijing' }] }, { value: 'Italy', label: 'Italy' }] })`),
    done: 'window.state === "China,Beijing"',
    async play(p) {
      await p.do(click(p.see(/combobox/)), click({ name: 'China' }), click({ name: 'Beijing' }));
    },
  },
  {
    name: 'antd-tree',
    words: 'Open Fruit in the tree and tick Apple.',
    ...page('antd', `const App = () => h(antd.Tree, { checkable: true, onCheck: (keys) => { state = keys.join() }, treeData: [{ key: 'fruit', title: 'Fruit', children: [{ key: 'apple', title: 'Apple' }, { key: 'pear', title: 'Pear' }] }] })`),
    done: 'window.state === "apple"',
    async play(p) {
      await p.do(click(p.see(/tree-switcher|switcher/)));
      if (!p.has(/Apple/)) await p.look();
      await p.do(click(p.see(/checkbox.*Apple/)));
    },
  },
  {
    name: 'antd-popconfirm',
    words: 'Delete the row of Jim and say Yes.',
    ...page('antd', `const App = () => h(antd.Table, { rowKey: 'name', pagination: false, dataSource: [{ name: 'Jim' }, { name: 'Joe' }], columns: [{ title: 'Name', dataIndex: 'name' }, { title: 'Action', render: (_, { name }) => h(antd.Popconfirm, { title: 'Sure?', okText: 'Yes', cancelText: 'No', onConfirm: () => { state = name } }, h(antd.Button, null, 'Delete')) }] })`),
    done: 'window.state === "Jim"',
    play: (p) => p.do(click(p.see(/button "Delete"/)), click({ name: 'Yes', role: 'button' })),
  },
  {
    name: 'antd-form',
    words: 'Enter 7 seats and the guest Eve, switch on Breakfast, and press Book.',
    ...page('antd', `const { Form, Input, InputNumber, Switch, Button } = antd; const App = () => h(Form, { onFinish: (values) => { state = values.guest + values.seats + values.breakfast } }, h(Form.Item, { name: 'guest', label: 'Guest', rules: [{ required: true }] }, h(Input)), h(Form.Item, { name: 'seats', label: 'Seats' }, h(InputNumber)), h(Form.Item, { name: 'breakfast', label: 'Breakfast' }, h(Switch)), h(Button, { htmlType: 'submit' }, 'Book'))`),
    done: 'window.state === "Eve7true"',
    play: (p) => p.do(
      fill(p.see(/textbox .*"?Guest/), 'Eve'), fill(p.see(/spinbutton .*"?Seats/), '7'), click(p.see(/switch/)), click(p.see(/button "Book"/)),
    ),
  },
];
