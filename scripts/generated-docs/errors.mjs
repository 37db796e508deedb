import { describeFailure, ERRORS } from '../../dist/platform/errors/index.js';

/** An item for each status: its codes, with what their messages do not say. Of several errors of one code the first counts. */
export function renderErrors() {
  const statuses = new Map();
  for (const name of /** @type {(keyof typeof ERRORS)[]} */ (Object.keys(ERRORS))) {
    const { docs } = /** @type {{ status: number, docs?: string }} */ (ERRORS[name]);
    const { status, code } = describeFailure(name);
    const codes = statuses.get(status) ?? new Map();
    if (!codes.has(code))
      codes.set(
        code,
        `\`${code}\`${docs ? ` (${docs.replace(/^[A-Z](?=[a-z ])/, (letter) => letter.toLowerCase())})` : ''}`,
      );
    statuses.set(status, codes);
  }
  return [...statuses].map(([status, codes]) => `- **${status}**: ${[...codes.values()].join('; ')}`).join('\n');
}
