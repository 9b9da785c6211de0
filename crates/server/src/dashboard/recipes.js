// The recipes of a session: what they are, and running them.
import { get, send, session } from './api.js';
import { element } from './element.js';

/** A list of recipes that open to their files and run; nothing if there are none. */
export async function recipes(name) {
  const { recipes: rows } = await get(`${session(name)}/recipes`);
  if (!rows.length) return null;
  return element('div', { class: 'recipes' }, element('h3', {}, 'Recipes'), ...rows.map((row) => recipe(name, row)));
}

function recipe(name, row) {
  const text = element('pre', { tabindex: '0', 'aria-label': `File of ${row.name}` });
  const said = element('pre', { role: 'status', hidden: true });
  const run = element('button', {}, `Run ${row.name}`);
  const form = element('form', {}, ...row.params.map((param) => field(row, param)), element('div', { class: 'actions' }, run));
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    const given = [...new FormData(form)].filter(([, value]) => value !== '');
    run.disabled = true;
    said.hidden = false;
    said.textContent = 'running …';
    try {
      const ran = await send('POST', `${at(name, row)}/run`, { params: Object.fromEntries(given) });
      const records = ran.records?.length ? [JSON.stringify(ran.records, null, 2)] : [];
      said.textContent = [...ran.steps, ...records, ...(ran.healed ? [ran.healed] : [])].join('\n');
    } catch (error) {
      said.textContent = error.message;
    }
    run.disabled = false;
  });
  const node = element('details', {}, element('summary', {}, row.name, about(row)), form, said, text);
  node.addEventListener('toggle', async () => {
    if (!node.open || text.textContent) return;
    text.textContent = await get(at(name, row)).then((shown) => shown.text, (error) => error.message);
  });
  return node;
}

const at = (name, row) => `${session(name)}/recipes/${encodeURIComponent(row.name)}`;
const about = (row) => (row.about ? `: ${row.about}` : '');

function field(row, param) {
  const secret = row.secrets?.includes(param);
  const required = !row.optional?.includes(param);
  const words = secret ? `${param} (name of a secret)` : param;
  return element('label', {}, words, element('input', { name: param, required, autocomplete: 'off', spellcheck: false }));
}
