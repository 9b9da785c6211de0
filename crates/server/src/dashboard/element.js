// Elements, from their names, properties and children. Text is only ever text.

export function element(name, properties = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(properties)) {
    if (key in made && typeof value !== 'string') made[key] = value;
    else made.setAttribute(key, value);
  }
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
}

export const byId = (id) => document.getElementById(id);

/** Replaces what is in a node, unless it is the same already: focus and selection stay. */
export function fill(node, ...children) {
  const next = element('div', {}, ...children);
  if (node.innerHTML !== next.innerHTML) node.replaceChildren(...next.childNodes);
}

export function since(time) {
  const seconds = Math.max(0, (Date.now() - new Date(time)) / 1000);
  const words = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });
  if (seconds < 60) return 'just now';
  if (seconds < 3600) return words.format(-Math.round(seconds / 60), 'minute');
  if (seconds < 86400) return words.format(-Math.round(seconds / 3600), 'hour');
  return words.format(-Math.round(seconds / 86400), 'day');
}

export function size(bytes) {
  if (bytes < 1e6) return `${Math.round(bytes / 1e3)} kB`;
  return bytes < 1e9 ? `${(bytes / 1e6).toFixed(1)} MB` : `${(bytes / 1e9).toFixed(1)} GB`;
}
