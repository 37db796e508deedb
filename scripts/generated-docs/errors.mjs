import { describeFailure, ERRORS } from '../../dist/platform/errors/index.js';

/** One item per status: its codes, and details that their messages lack. If several errors share a code, the first counts. */
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
