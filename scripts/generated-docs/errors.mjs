import { describeFailure, ERRORS } from '../../dist/platform/errors/index.js';
import { table } from './markdown.mjs';

/** A row for each status and code; of several errors with both in common the first tells what they mean. */
export function renderErrors() {
  const rows = new Map();
  for (const name of /** @type {(keyof typeof ERRORS)[]} */ (Object.keys(ERRORS))) {
    const { docs } = /** @type {{ status: number, docs?: string }} */ (ERRORS[name]);
    const { status, code, message } = describeFailure(name);
    const key = `${status} ${code}`;
    if (!rows.has(key)) rows.set(key, [status, `\`${code}\``, docs ?? asMarkdown(message)]);
  }
  return table(['Status', '`error`', 'Meaning'], [...rows.values()]);
}

/** A message begins with a small letter where that is a field's name. */
const asMarkdown = (message) => message.replace(/\.$/, '').replace(/^[a-z]\w*|\b\w*_\w*\b/g, '`$&`');
