import { randomUUID } from 'node:crypto';

/** Marks numbers while they are texts; nobody else can know it. */
const MARK = randomUUID();

/** Parses JSON. Whole numbers that would be rounded, such as those of parcels, become texts. @throws SyntaxError */
export function parseExactly(text: string): unknown {
  const isExact = (number: string) => /[.eE]/.test(number) || Number.isSafeInteger(Number(number));
  return parse(text, (number) => (isExact(number) ? number : `"${number}"`));
}

/** The same value as compact JSON, with each key once. Numbers that would be rounded stay as they are. @throws SyntaxError */
export function exactJson(text: string): string {
  const isExact = (number: string) => number.replace(/e.*|\D/gi, '').length < 16 && Number.isFinite(Number(number));
  const marked = parse(text, (number) => (isExact(number) ? number : `"${MARK}${number}"`));
  const [start, ...others] = JSON.stringify(marked).split(`"${MARK}`);
  return start + others.map((part) => part.replace('"', '')).join('');
}

/** @returns undefined if it is not valid JSON */
export function parseIfJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** @param exact returns JSON for a number */
function parse(text: string, exact: (number: string) => string): unknown {
  const value: unknown = JSON.parse(text);
  // Others are neither rounded nor too large.
  if (!/[\d.]{16}|\de/i.test(text)) return value;
  let isQuoted = false;
  const parts = text.split(/(\\.|")/).map((part) => {
    if (part === '"') isQuoted = !isQuoted;
    return isQuoted ? part : part.replace(/-?\d[\d.eE+-]*/g, exact);
  });
  return JSON.parse(parts.join(''));
}
