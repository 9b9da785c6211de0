// The libraries that come without a file for pages, bundled once with esbuild into `built/` beside them.
import { mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

// What each bundle leaves on `window`.
const BUNDLES = {
  'plain-react': `import * as React from 'react'; import { createRoot } from 'react-dom/client'; Object.assign(window, { React, createRoot });`,
  // Components of Svelte are compiled, so each page of one is here.
  'svelte-notes': `import { mount } from 'svelte'; import App from './svelte-notes.svelte'; mount(App, { target: document.querySelector('#root') });`,
  'svelte-steps': `import { mount } from 'svelte'; import App from './svelte-steps.svelte'; mount(App, { target: document.querySelector('#root') });`,
  mui: `import * as React from 'react'; import { createRoot } from 'react-dom/client';
    import { Autocomplete, Button, Checkbox, Dialog, DialogActions, DialogTitle, FormControlLabel, InputLabel, FormControl, Menu, MenuItem, Select, Slider, Snackbar, Switch, Tab, Tabs, TextField, Accordion, AccordionSummary, AccordionDetails, Rating } from '@mui/material';
    Object.assign(window, { React, createRoot, mui: { Autocomplete, Button, Checkbox, Dialog, DialogActions, DialogTitle, FormControlLabel, InputLabel, FormControl, Menu, MenuItem, Select, Slider, Snackbar, Switch, Tab, Tabs, TextField, Accordion, AccordionSummary, AccordionDetails, Rating } });`,
  antd: `import * as React from 'react'; import { createRoot } from 'react-dom/client';
    import { Button, Cascader, DatePicker, Dropdown, Form, Input, InputNumber, Modal, Popconfirm, Select, Switch, Table, Transfer, Tree, Rate } from 'antd';
    Object.assign(window, { React, createRoot, antd: { Button, Cascader, DatePicker, Dropdown, Form, Input, InputNumber, Modal, Popconfirm, Select, Switch, Table, Transfer, Tree, Rate } });`,
};

// By the bundle that they are for. They call what the page defines.
const COMPONENTS = {
  'svelte-notes': `<script> let notes = $state(['Milk']), text = $state(''); </script>
    <label data-unit>New note <input name="note" bind:value={text} data-truth="1"></label>
    <button data-truth="2" onclick={() => { notes.push(text); window.ended(text); }}>Keep note</button><button>Throw away</button>
    <ul>{#each notes as note}<li>{note}</li>{/each}</ul>`,
  'svelte-steps': `<script> let step = $state(0); </script>
    {#if step === 0}<section><h2>Size</h2><button>Small</button><button data-truth="1" onclick={() => step = 1}>Large</button></section>
    {:else}<section><h2>Colour</h2><button>Red</button><button data-truth="2" onclick={() => window.ended(1)}>Blue</button></section>{/if}`,
};

/** Compiles components of Svelte. */
const svelte = (folder) => ({
  name: 'svelte',
  setup(build) {
    build.onLoad({ filter: /\.svelte$/ }, async ({ path }) => {
      const { compile } = await import(pathToFileURL(join(folder, 'node_modules/svelte/src/compiler/index.js')));
      return { contents: compile(await readFile(path, 'utf8'), { filename: path }).js.code, loader: 'js' };
    });
  },
});

/** Builds what is missing of `names` below `folder`, and returns the folder to serve: `node_modules` and `built`. */
export async function buildLibraries(folder, names = Object.keys(BUNDLES)) {
  const built = join(folder, 'built');
  await mkdir(built, { recursive: true });
  for (const name of names) {
    const source = BUNDLES[name];
    const entry = join(folder, `${name}.mjs`);
    const output = join(built, `${name}.js`);
    const lock = await stat(join(folder, 'package-lock.json'));
    if ((await stat(output).catch(() => undefined))?.mtimeMs > lock.mtimeMs) continue;
    await writeFile(entry, source);
    if (COMPONENTS[name]) await writeFile(join(folder, `${name}.svelte`), COMPONENTS[name]);
    const { build } = createRequire(join(folder, 'package.json'))('esbuild');
    await build({
      entryPoints: [entry], outfile: output, bundle: true, minify: true, logLevel: 'error',
      plugins: [svelte(folder)], conditions: ['browser'],
      define: { 'process.env.NODE_ENV': '"production"' },
    });
  }
  return folder;
}
