import { describeFailure, ERRORS } from 'avatar-chat-errors';

const sentence = (text) => `${text[0].toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? '' : '.'}`;

/** One heading per code, so that each has an anchor: its statuses, with what their errors say. A limit is N. */
export function renderErrors() {
  const codes = new Map();
  for (const name of /** @type {(keyof typeof ERRORS)[]} */ (Object.keys(ERRORS))) {
    const { docs } = /** @type {{ docs?: string }} */ (ERRORS[name]);
    const { status, code, message } = /** @type {any} */ (describeFailure)(name, 'N');
    const statuses = codes.get(code) ?? new Map();
    // A text that is a parameter alone says nothing.
    const text = docs ? sentence(docs) : message === 'N' ? '' : message;
    if (text) statuses.set(status, [...(statuses.get(status) ?? []), text]);
    codes.set(code, statuses);
  }
  return [...codes]
    .map(([code, statuses]) => {
      const causes = [...statuses].map(([status, texts]) => `**${status}**: ${texts.join(' ')}`);
      return `### ${code}\n\n${causes.join('\n\n')}`;
    })
    .join('\n\n');
}
