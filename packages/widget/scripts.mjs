import { fileURLToPath } from 'node:url';

const source = (path) => fileURLToPath(new URL(path, import.meta.url));

/** The scripts that pages load: the loader, the rest of the widget, and the `AudioWorklet` script. */
export const SCRIPTS = {
  'widget.js': source('src/loader/index.ts'),
  'widget.app.js': source('src/index.ts'),
  'widget.worklet.js': source('../client/src/live/worklet.ts'),
};
