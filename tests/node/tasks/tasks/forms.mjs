// Forms and their fields.
import { check, click, fill, press, select, type, uncheck } from '../player.mjs';

export const forms = [
  {
    name: 'sign-up',
    words: 'Sign up as Jane Doe, jane@example.com, from Poland, and agree to the terms.',
    html: `<form onsubmit="event.preventDefault(); state = Object.fromEntries(new FormData(this)); out.textContent = 'Welcome, ' + state.first">
      <label>First name <input name=first required></label><label>Last name <input name=last required></label>
      <label>E-mail <input name=mail type=email required></label>
      <label>Country <select name=country><option>Germany<option>Poland<option>Spain</select></label>
      <label><input type=checkbox name=terms required> I agree to the terms</label><button>Sign up</button></form><p id=out></p>`,
    done: 'JSON.stringify(window.state) === JSON.stringify({first: "Jane", last: "Doe", mail: "jane@example.com", country: "Poland", terms: "on"})',
    async play(p) {
      await p.do(
        fill(p.see(/textbox "First name"/), 'Jane'), fill(p.see(/textbox "Last name"/), 'Doe'), fill(p.see(/textbox "E-mail"/), 'jane@example.com'),
        check(p.see(/checkbox "I agree/)), select(p.see(/combobox "Country"/), 'Poland'), click(p.see(/button "Sign up"/)),
      );
      p.line(/Welcome, Jane/);
    },
  },
  {
    name: 'radio-and-number',
    words: 'Order 3 large pizzas and press Order.',
    html: `<fieldset><legend>Size</legend>${['Small', 'Medium', 'Large'].map((size) => `<label><input type=radio name=size value=${size}> ${size}</label>`).join('')}</fieldset>
      <label>Number <input type=number id=number value=1 min=1 max=9></label>
      <button onclick="state = document.querySelector(':checked').value + number.value">Order</button>`,
    done: 'window.state === "Large3"',
    play: (p) => p.do(click(p.see(/radio "Large"/)), fill(p.see(/spinbutton "Number"/), '3'), click(p.see(/button "Order"/))),
  },
  {
    name: 'native-dates',
    words: 'Book from 2027-03-09 at 14:30 in the month 2027-04, in the week of your colour #336699.',
    html: `<label>Day <input type=date id=day></label><label>Time <input type=time id=time></label><label>Month <input type=month id=month></label>
      <label>Colour <input type=color id=colour></label><button onclick="state = [day, time, month, colour].map((one) => one.value).join()">Book</button>`,
    done: 'window.state === "2027-03-09,14:30,2027-04,#336699"',
    play: (p) => p.do(
      fill(p.see(/"Day"/), '2027-03-09'), fill(p.see(/"Time"/), '14:30'), fill(p.see(/"Month"/), '2027-04'), fill(p.see(/"Colour"/), '#336699'),
      click(p.see(/button "Book"/)),
    ),
  },
  {
    name: 'validation',
    words: 'Register the user name sam; if it is taken, take the one that the page suggests.',
    html: `<form onsubmit="event.preventDefault(); if (user.value === 'sam') { message.textContent = 'sam is taken. How about sam_4711?'; user.setAttribute('aria-invalid', true) } else state = user.value">
      <label>User name <input id=user></label><button>Register</button><p id=message role=alert></p></form>`,
    done: 'window.state === "sam_4711"',
    async play(p) {
      const [user, send] = [p.see(/textbox "User name"/), p.see(/button "Register"/)];
      await p.do(fill(user, 'sam'), click(send));
      if (!p.has(/How about/)) await p.look({ full: true });
      const other = p.line(/How about/).match(/How about (\w+)/)[1];
      await p.do(fill(user, other), click(send));
    },
  },
  {
    name: 'spinner-keys',
    words: 'Set the temperature to -5 and save it.',
    html: `<label>Temperature <input type=number id=t value=0></label><button onclick="state = t.value">Save</button>`,
    done: 'window.state === "-5"',
    play: (p) => p.do(fill(p.see(/spinbutton "Temperature"/), '-5'), click(p.see(/button "Save"/))),
  },
  {
    name: 'range',
    words: 'Set the volume to 30.',
    html: `<label>Volume <input type=range id=v min=0 max=100 value=28></label><output id=out>28</output><script>v.oninput = () => out.value = v.value</script>`,
    done: 'v.value === "30"',
    play: (p) => p.do(press('ArrowRight', p.see(/slider "Volume"/), 2)),
  },
  {
    name: 'multiple-select',
    words: 'Choose Red and Blue, and no others.',
    html: `<label>Colours <select multiple id=s size=4><option>Red<option selected>Green<option>Blue<option>Black</select></label>`,
    done: '[...s.selectedOptions].map((o) => o.label).join() === "Red,Blue"',
    play: (p) => p.do(select(p.see(/listbox "Colours"/), 'Red', 'Blue')),
  },
  {
    name: 'check-all-but',
    words: 'Select every newsletter but Sport and save.',
    html: `${['News', 'Sport', 'Culture', 'Science', 'Local'].map((name, n) => `<label><input type=checkbox name=n value=${name} ${n === 1 ? 'checked' : ''}> ${name}</label>`).join('')}
      <button onclick="state = [...document.querySelectorAll(':checked')].map((one) => one.value).join()">Save</button>`,
    done: 'window.state === "News,Culture,Science,Local"',
    play: (p) => p.do(
      ...['News', 'Culture', 'Science', 'Local'].map((name) => check(p.see(new RegExp(`checkbox "${name}"`)))),
      uncheck(p.see(/checkbox "Sport"/)), click(p.see(/button "Save"/)),
    ),
  },
  {
    name: 'copy-a-code',
    words: 'Copy the order number of the page into the field and press Check.',
    html: `<p>Thank you! Your order number is <b>QX-5521-Z</b>.</p><label>Order number <input id=o></label><button onclick="state = o.value">Check</button>`,
    done: 'window.state === "QX-5521-Z"',
    async play(p) {
      if (!p.has(/QX-/)) await p.look({ full: true });
      const [number] = p.line(/QX-/).match(/QX-\d+-\w/);
      await p.do(fill(p.see(/textbox "Order number"/), number), click(p.see(/button "Check"/)));
    },
  },
  {
    name: 'nameless-fields',
    words: 'Search for "lamp" in the shop, not in the blog.',
    html: `<form class=blog onsubmit="event.preventDefault(); state = 'blog'"><input placeholder="Search the blog"><button><img src=/x.png width=9 height=9></button></form>
      <form class=shop onsubmit="event.preventDefault(); state = this[0].value"><input placeholder="Search the shop"><button class=go></button></form>`,
    done: 'window.state === "lamp"',
    async play(p) {
      const field = p.see(/textbox "Search the shop"|Search the shop/);
      await p.do(fill(field, 'lamp'), press('Enter', field));
    },
  },
  {
    name: 'one-time-code',
    words: 'Enter the code 4821 in the four boxes.',
    html: `<p>Code</p><div id=boxes>${'<input maxlength=1 size=1>'.repeat(4)}</div><p id=out></p><script>
      const all = [...boxes.children];
      all.forEach((box, n) => { box.oninput = () => { all[n + 1]?.focus(); out.textContent = all.map((one) => one.value).join('') } })</script>`,
    done: 'out.textContent === "4821"',
    play: (p) => p.do(...p.seeAll(/textbox/).map((box, n) => type(box, '4821'[n]))),
  },
  {
    name: 'wizard',
    words: 'Go through the wizard: the name is Kim, the plan is Pro; press Next each time, and Finish at the end.',
    html: `<section id=one><h2>Step 1 of 3</h2><label>Your name <input id=who></label><button onclick="go(two)">Next</button></section>
      <section id=two hidden><h2>Step 2 of 3</h2><label><input type=radio name=plan value=Free> Free</label><label><input type=radio name=plan value=Pro> Pro</label><button onclick="go(three)">Next</button></section>
      <section id=three hidden><h2>Step 3 of 3</h2><p id=sum></p><button onclick="state = sum.textContent">Finish</button></section>
      <script>const go = (next) => setTimeout(() => { for (const one of [one_, two, three]) one.hidden = one !== next;
        sum.textContent = who.value + ', ' + document.querySelector(':checked')?.value }, 120), one_ = document.getElementById('one')</script>`,
    done: 'window.state === "Kim, Pro"',
    async play(p) {
      await p.do(
        fill(p.see(/textbox "Your name"/), 'Kim'), click(p.see(/button "Next"/)), click({ name: 'Pro', role: 'radio' }),
        click({ name: 'Next', role: 'button' }), click({ name: 'Finish', role: 'button' }),
      );
    },
  },
];
