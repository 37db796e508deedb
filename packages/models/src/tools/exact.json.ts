/** Parses JSON. Whole numbers that would be rounded, such as those of parcels, become texts. @throws SyntaxError */
export function parseExactly(text: string): unknown {
  const value: unknown = JSON.parse(text);
  // Only those of more digits are rounded.
  if (!/\d{16}/.test(text)) return value;
  let isQuoted = false;
  const parts = text.split(/(\\.|")/).map((part) => {
    if (part === '"') isQuoted = !isQuoted;
    return isQuoted ? part : part.replace(/-?\d[\d.eE+-]*/g, exact);
  });
  return JSON.parse(parts.join(''));
}

function exact(number: string): string {
  return /[.eE]/.test(number) || Number.isSafeInteger(Number(number)) ? number : `"${number}"`;
}
