// The libraries that come without a file for pages, bundled once with esbuild into `built/` beside them.
import { mkdir, stat, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';

// What each bundle leaves on `window`.
const BUNDLES = {
  'plain-react': `import * as React from 'react'; import { createRoot } from 'react-dom/client'; Object.assign(window, { React, createRoot });`,
  mui: `import * as React from 'react'; import { createRoot } from 'react-dom/client';
    import { Autocomplete, Button, Checkbox, Dialog, DialogActions, DialogTitle, FormControlLabel, InputLabel, FormControl, Menu, MenuItem, Select, Slider, Snackbar, Switch, Tab, Tabs, TextField, Accordion, AccordionSummary, AccordionDetails, Rating } from '@mui/material';
    Object.assign(window, { React, createRoot, mui: { Autocomplete, Button, Checkbox, Dialog, DialogActions, DialogTitle, FormControlLabel, InputLabel, FormControl, Menu, MenuItem, Select, Slider, Snackbar, Switch, Tab, Tabs, TextField, Accordion, AccordionSummary, AccordionDetails, Rating } });`,
  antd: `import * as React from 'react'; import { createRoot } from 'react-dom/client';
    import { Button, Cascader, DatePicker, Dropdown, Form, Input, InputNumber, Modal, Popconfirm, Select, Switch, Table, Transfer, Tree, Rate } from 'antd';
    Object.assign(window, { React, createRoot, antd: { Button, Cascader, DatePicker, Dropdown, Form, Input, InputNumber, Modal, Popconfirm, Select, Switch, Table, Transfer, Tree, Rate } });`,
};

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
    const { build } = createRequire(join(folder, 'package.json'))('esbuild');
    await build({
      entryPoints: [entry], outfile: output, bundle: true, minify: true, logLevel: 'error',
      define: { 'process.env.NODE_ENV': '"production"' },
    });
  }
  return folder;
}
