// Links, images and forms of the part of the page that is looked at.

const links = (start) => {
  const found = [];
  tour(start, (el, tag) => {
    if ((tag === 'a' || tag === 'area') && el.hasAttribute('href')) {
      const url = typeof el.href === 'string' ? el.href : el.href.baseVal;
      found.push({ text: nameOf(el, 'link') || squeeze(el.textContent), url });
    }
  });
  return found;
};

const images = (start) => {
  const found = [];
  tour(start, (el, tag) => {
    if (tag !== 'img' || !(el.currentSrc || el.src)) return;
    found.push({ url: el.currentSrc || el.src, text: squeeze(el.alt || ''), width: el.naturalWidth, height: el.naturalHeight });
  });
  return found;
};

const UNTOLD = new Set(['button', 'submit', 'reset', 'image', 'hidden']);

// Forms with their fields, and the fields that are in none.
const forms = (start) => {
  const found = new Map();
  const of = (form) => {
    if (!found.has(form)) {
      found.set(form, {
        name: form ? nameOf(form, 'form') || form.getAttribute('name') || form.id || '' : '',
        action: form ? form.action && typeof form.action === 'string' ? form.action : location.href : '',
        method: form ? form.method : '', fields: [], buttons: [],
      });
    }
    return found.get(form);
  };
  tour(start, (el, tag) => {
    if (tag === 'form') of(el);
    if (!/^(input|select|textarea|button)$/.test(tag)) return true;
    const form = of(el.form);
    const role = roleOf(el);
    const label = nameOf(el, role);
    if (tag === 'button' || UNTOLD.has(el.type)) {
      if (el.type !== 'hidden' && label) form.buttons.push(label);
      return true;
    }
    const field = { label, name: el.name, kind: tag === 'input' ? el.type : tag, value: valueOf(el, role, tag) };
    if (el.type === 'checkbox' || el.type === 'radio') field.value = el.checked ? 'checked' : '';
    if (el.required) field.required = true;
    if (el.matches(':disabled')) field.disabled = true;
    if (tag === 'select') field.options = Array.from(el.options).slice(0, 100).map((option) => squeeze(option.label));
    form.fields.push(field);
    return tag !== 'select';
  });
  return [...found.values()].filter((form) => form.fields.length || form.buttons.length);
};
