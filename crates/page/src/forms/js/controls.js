// The controls of a document, what it says about them, and whether it asks for a person.

const ENTERED = new Set('textbox searchbox combobox listbox checkbox radio switch slider spinbutton'.split(' '));
const SAYING = /error|alert|invalid|danger|warning|flash|toast|feedback|notice|message/i;
const PROVING = /recaptcha|hcaptcha|turnstile|challenges\.cloudflare|arkoselabs|funcaptcha|geetest|captcha/i;
const PROVEN = '[name=g-recaptcha-response], [name=h-captcha-response], [name=cf-turnstile-response]';
const MOST_CONTROLS = 500, MOST_CHOICES = 500;

const byIds = (el, attribute) => (el.getAttribute(attribute) || '').split(/\s+/)
  .map((id) => id && el.getRootNode().getElementById?.(id)).filter(Boolean).map((one) => squeeze(one.textContent)).join(' ');

// What stands in front of a field that has no name.
const before = (el) => {
  const near = el.previousElementSibling || el.closest('td')?.previousElementSibling || el.parentElement?.previousElementSibling;
  const own = Array.from(el.parentElement?.childNodes || []).filter((node) => node.nodeType === 3).map((node) => node.data).join(' ');
  const text = squeeze(own) || squeeze(near && !near.querySelector('input,select,textarea') ? near.textContent : '');
  return text.length <= 80 ? text : '';
};

const groupOf = (el) => {
  const group = el.closest('[role=radiogroup],[role=group],fieldset');
  return group ? nameOf(group, roleOf(group)) : '';
};

const wrongOf = (el, tag) => {
  if (!invalid(el, tag)) return '';
  return byIds(el, 'aria-errormessage') || byIds(el, 'aria-describedby') || el.validationMessage || '';
};

// The form that a control belongs to: what is no control of the browser's is in it at best.
const formOf = (el) => ('form' in el ? el.form : el.closest('form'));

// What a control without a form is in, the innermost first, by numbers of this reading.
const boxesAround = (boxes, el) => {
  const around = [];
  for (let at = above(el); at; at = above(at)) {
    if (!boxes.has(at)) boxes.set(at, boxes.size + 1);
    around.push(boxes.get(at));
  }
  return around;
};

const field = (el, tag, role, hidden) => {
  const name = nameOf(el, role);
  const box = el.type === 'checkbox' || el.type === 'radio';
  const checked = box ? el.checked : el.getAttribute('aria-checked');
  return {
    n: number(el), role, tag, type: tag === 'input' ? el.type : '', name, near: name ? '' : before(el), attr: el.getAttribute('name') || '', id: el.id,
    placeholder: el.placeholder || '', autocomplete: (el.getAttribute('autocomplete') || '').toLowerCase(),
    group: box || role === 'radio' || role === 'checkbox' ? groupOf(el) : '', value: box ? el.value : '',
    disabled: disabled(el), readonly: el.readOnly === true || flag(el, 'aria-readonly') === true, required: el.required === true,
    empty: !(el.value ?? el.textContent), checked: checked === true || checked === 'true', multiple: el.multiple === true,
    length: el.maxLength > 0 ? el.maxLength : 0, form: formOf(el) ? number(formOf(el)) : 0, hidden, wrong: wrongOf(el, tag).slice(0, 300),
    options: tag === 'select' ? Array.from(el.options).slice(0, MOST_CHOICES)
      .map((option) => ({ label: squeeze(option.label), value: option.value, disabled: option.matches(':disabled') })) : [],
  };
};

const proving = (el, tag) => {
  const rect = el.getBoundingClientRect();
  if (rect.width < 40 || rect.height < 20 || el.closest('.grecaptcha-badge')) return '';
  if (tag === 'iframe') return PROVING.test(el.src) && !/size=invisible/.test(el.src) ? el.title || 'captcha' : '';
  const said = `${el.id} ${el.getAttribute('class') || ''} ${tag === 'img' ? el.getAttribute('src') : ''} ${el.getAttribute('name') || ''}`;
  return /captcha|cf-turnstile/i.test(said) ? 'captcha' : '';
};

const openingWords = (el) => {
  const texts = document.createTreeWalker(el, NodeFilter.SHOW_TEXT);
  for (let at = texts.nextNode(); at; at = texts.nextNode()) {
    const text = squeeze(at.data);
    if (text && drawn(at.parentElement) === SHOWN) return text;
  }
  return '';
};
// Dialogs that are open, by what they are called or the words they begin with.
const dialogsOf = () => {
  const found = [];
  for (const el of document.querySelectorAll('dialog[open], [role=dialog], [role=alertdialog], [aria-modal=true]')) {
    if (found.length >= 10 || drawn(el) !== SHOWN) continue;
    const said = nameOf(el, roleOf(el)) || squeeze(el.querySelector('h1,h2,h3,h4,[role=heading]')?.textContent || '') || openingWords(el);
    found.push(said.slice(0, 80).toWellFormed());
  }
  return found;
};

// `options`: selectors of the user's field, the password's and the button; text and a selector that may be there.
const controls = (start, options) => {
  const found = {
    url: location.href, origin: self.origin, title: document.title, born: performance.timeOrigin, loading: document.readyState !== 'complete',
    moving: document.querySelector('meta[http-equiv=refresh i]') !== null, fields: [], buttons: [], links: [], headings: [],
    messages: [], dialogs: dialogsOf(), captcha: '', frames: [], text: '', fits: !options.selector && !options.text,
  };
  const nowhere = document.createDocumentFragment();
  // What a selector means, if it is one.
  const test = ([mark, selector]) => {
    const path = xpath(selector);
    try {
      if (path === null) nowhere.querySelector(selector);
      const chosen = path === null ? null : elementsBy(path, document);
      return [[mark, (el) => chosen?.includes(el) ?? el.matches(selector)]];
    } catch { return []; }
  };
  const own = Object.entries(options.marks || {}).map(([mark, selector]) => [mark, (el) => el.matches(selector)]);
  const marks = [...own, ...(options.fields || []).flatMap(test)];
  const met = new Set();
  // Where elements come in the order in which they are drawn, and what controls without a form are in.
  const order = new Map(), boxes = new Map();
  let visited = 0;
  const placed = (el, drawnBy) => (formOf(el) ? {} : { at: order.get(drawnBy) ?? 0, around: boxesAround(boxes, el) });
  let selected = !options.selector;
  const press = (el, role, name) => ({
    n: number(el), role, name: name.slice(0, 120), submits: el.type === 'submit' || el.type === 'image', disabled: disabled(el), form: formOf(el) ? number(formOf(el)) : 0,
  });
  tour(start, (el, tag, seen) => {
    if (seen === HOLLOW) return true;
    order.set(el, ++visited);
    if (!selected && el.matches(options.selector)) selected = true;
    const mark = marks.find(([, fits]) => fits(el))?.[0] || '';
    const role = roleOf(el);
    if (!found.captcha) found.captcha = proving(el, tag);
    if (tag === 'iframe' || tag === 'frame') { if (found.frames.length < 40) found.frames.push(number(el)); return false; }
    if (ENTERED.has(role) || tag === 'input' && el.type === 'file' || mark && mark !== 'submit') {
      if (tag === 'input' && el.type === 'hidden') return false;
      met.add(el);
      if (found.fields.length < MOST_CONTROLS) found.fields.push({ ...field(el, tag, role, false), ...placed(el, el), mark });
      return tag !== 'select' && !TEXTS.has(role);
    }
    if (role === 'button' || mark === 'submit') {
      if (found.buttons.length < MOST_CONTROLS) found.buttons.push({ ...press(el, role, nameOf(el, role)), ...placed(el, el), mark });
      return true;
    }
    if (role === 'link' || role === 'menuitem') {
      const name = nameOf(el, role);
      if (name.length <= 40 && found.links.length < MOST_CONTROLS) found.links.push({ ...press(el, role, name), mark: '' });
      return true;
    }
    if (role === 'heading') found.headings.push(squeeze(shownText(el)).slice(0, 200));
    const live = el.getAttribute('aria-live');
    const alert = role === 'alert' || role === 'alertdialog' || live === 'assertive';
    if (alert || role === 'status' || live || SAYING.test(`${el.id} ${el.getAttribute('class') || ''}`)) {
      const text = squeeze(shownText(el));
      if (text && text.length <= 400 && found.messages.length < 40) found.messages.push({ text, alert });
    }
    return true;
  });
  // Files and boxes that are drawn by something else.
  for (const el of start.querySelectorAll('input[type=file], input[type=checkbox], input[type=radio]')) {
    const drawnBy = Array.from(el.labels || []).find((label) => drawn(label) === SHOWN) || (el.type === 'file' ? el : null);
    if (!met.has(el) && drawnBy && found.fields.length < MOST_CONTROLS) found.fields.push({ ...field(el, 'input', roleOf(el), true), ...placed(el, drawnBy), mark: '' });
  }
  if (found.captcha && Array.from(document.querySelectorAll(PROVEN)).some((el) => el.value)) found.captcha = '';
  const text = shownText(start);
  found.text = text.slice(0, 6000).toWellFormed();
  found.fits = selected && (!options.text || squeeze(text).toLowerCase().includes(squeeze(options.text).toLowerCase()));
  return found;
};
