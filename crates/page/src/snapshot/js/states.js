// States and values, as words of a line.

const flag = (el, name) => {
  const value = el.getAttribute(name);
  return value === 'true' ? true : value === 'false' ? false : null;
};

// Controls that a disabled fieldset disables too match this.
const disabled = (el) => el.matches(':disabled') || flag(el, 'aria-disabled') === true;

const CHECKS = new Set('checkbox radio switch menuitemcheckbox menuitemradio'.split(' '));

// Words for the states an element is in. What is ordinary is not said.
const statesOf = (el, role, tag) => {
  const words = [];
  const native = tag === 'input' || tag === 'select' || tag === 'textarea' || tag === 'button' || tag === 'option';
  if (!el.hasAttributes() && !native) {
    if (role === 'heading') words.push(`level=${tag[1]}`);
    return tag === 'summary' || tag === 'details' ? opened(el, tag) : words.join(' ');
  }
  const level = el.getAttribute('aria-level') || (role === 'heading' ? /^h[1-6]$/.test(tag) ? tag[1] : '2' : null);
  if (level && /^[1-9][0-9]{0,3}$/.test(level)) words.push(`level=${level}`);
  if (CHECKS.has(role) || role === 'option' || role === 'treeitem') {
    const checked = tag === 'input' ? (el.indeterminate ? 'mixed' : el.checked) : el.getAttribute('aria-checked');
    if (checked === 'mixed') words.push('checked=mixed');
    else if (checked === true || checked === 'true') words.push('checked');
  }
  const pressed = role === 'button' ? el.getAttribute('aria-pressed') : null;
  if (pressed === 'true') words.push('pressed');
  else if (pressed === 'mixed') words.push('pressed=mixed');
  const selected = tag === 'option' ? el.selected : flag(el, 'aria-selected');
  if (selected) words.push('selected');
  const expanded = tag === 'summary' || tag === 'details' ? null : flag(el, 'aria-expanded');
  if (expanded !== null) words.push(expanded ? 'expanded' : 'collapsed');
  const open = opened(el, tag);
  if (open) words.push(open);
  const popup = el.getAttribute('aria-haspopup');
  if (popup && popup !== 'false') words.push(`haspopup=${/^(menu|listbox|tree|grid|dialog)$/.test(popup) ? popup : 'menu'}`);
  if (native ? disabled(el) : flag(el, 'aria-disabled') === true) words.push('disabled');
  if (el.required === true || flag(el, 'aria-required') === true) words.push('required');
  if (flag(el, 'aria-readonly') === true || el.readOnly === true && TEXTS.has(role)) words.push('readonly');
  if (invalid(el, tag)) words.push('invalid');
  const current = el.getAttribute('aria-current');
  if (current && current !== 'false') words.push(`current=${/^(page|step|location|date|time)$/.test(current) ? current : 'true'}`);
  if (flag(el, 'aria-busy')) words.push('busy');
  if (el.multiple === true && tag === 'select' || flag(el, 'aria-multiselectable')) words.push('multiple');
  const type = tag === 'input' ? SPECIAL.get(el.type) : undefined;
  if (type) words.push(`type=${type}`);
  return words.join(' ');
};

const opened = (el, tag) => tag === 'summary' ? (el.parentElement.open ? 'expanded' : 'collapsed') : '';

const TEXTS = new Set(['textbox', 'searchbox', 'combobox', 'spinbutton']);
// Types that say how a value must be written.
const SPECIAL = new Map(['password', 'date', 'time', 'datetime-local', 'month', 'week', 'color', 'file', 'email', 'url', 'tel']
  .map((type) => [type, type]));

// Said by the author, or seen by the browser in what somebody has typed.
const invalid = (el, tag) => {
  const said = el.getAttribute('aria-invalid');
  if (said !== null && said !== '') return said !== 'false';
  return (tag === 'input' || tag === 'textarea' || tag === 'select') && el.matches(':user-invalid');
};

// What a control holds; passwords are never read.
const valueOf = (el, role, tag) => {
  if (tag === 'input') {
    if (el.type === 'password') return el.value ? '••••••••' : '';
    if (el.type === 'file') return Array.from(el.files || [], (file) => file.name).join(', ');
    if (CHECKS.has(role) || role === 'button') return '';
    return el.getAttribute('aria-valuetext') || el.value;
  }
  if (tag === 'textarea') return el.value;
  if (tag === 'select') return Array.from(el.selectedOptions, (option) => squeeze(option.label)).join(', ');
  switch (role) {
    case 'textbox': case 'searchbox':
      return el.isContentEditable ? el.innerText : el.textContent;
    case 'slider': case 'spinbutton': case 'progressbar': case 'meter': case 'scrollbar':
      return controlValue(el, role, tag) || '';
    case 'combobox': {
      const inner = el.querySelector('input');
      if (inner) return inner.value;
      return el.getAttribute('aria-valuetext') || (labelledBy(el) || el.hasAttribute('aria-label') ? el.innerText : '');
    }
    default: return '';
  }
};
