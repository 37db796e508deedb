import { describeFailure, ERRORS } from 'avatar-chat-errors';

const sentence = (text) => `${text[0].toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? '' : '.'}`;

/**
 * One heading per code, so that each has an anchor: its statuses, with what their errors say, or if one is documented, that
 * alone. A limit is N.
 */
export function renderErrors() {
  const codes = new Map();
  for (const name of /** @type {(keyof typeof ERRORS)[]} */ (Object.keys(ERRORS))) {
    const { docs } = /** @type {{ docs?: string }} */ (ERRORS[name]);
    const { status, code, message } = /** @type {any} */ (describeFailure)(name, 'N');
    const statuses = codes.get(code) ?? new Map();
    const { documented = [], messages = [] } = statuses.get(status) ?? {};
    if (docs) documented.push(sentence(docs));
    // A text that is a parameter alone says nothing.
    else if (message !== 'N') messages.push(message);
    statuses.set(status, { documented, messages });
    codes.set(code, statuses);
  }
  return [...codes]
    .map(([code, statuses]) => {
      const causes = [...statuses].map(([status, { documented, messages }]) => {
        const texts = documented.length > 0 ? documented : messages;
        return `**${status}**: ${texts.join(' ')}`;
      });
      return `### ${code}\n\n${causes.join('\n\n')}`;
    })
    .join('\n\n');
}
