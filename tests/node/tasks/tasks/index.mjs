// Every task: its page, its words, its play, and what is true in the page once it is done.
import { desk } from './desk.mjs';
import { drawings } from './drawings.mjs';
import { forms } from './forms.mjs';
import { jquery } from './jquery.mjs';
import { kits } from './kits.mjs';
import { parts } from './parts.mjs';
import { react } from './react.mjs';

export const tasks = [...forms, ...parts, ...drawings, ...desk, ...jquery, ...kits, ...react];
