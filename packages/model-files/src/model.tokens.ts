/** Tokens of Moonshine besides the vocabulary. */
const SPECIAL_TOKENS = 768;

/**
 * Converts Moonshine's vocabulary to the format of sherpa-onnx: a base64 token and its number per line.
 *
 * @param script Moonshine's bundle for browsers, which has Llama's vocabulary as one string
 */
export function moonshineTokens(script: Buffer): Buffer {
  const [, vocabulary = ''] = /["'`]([A-Za-z0-9+/]{50000,}={0,2})["'`]/.exec(script.toString('latin1')) ?? [];
  const tokens = Buffer.from(vocabulary, 'base64').toString('utf8').split('\n').map(tokenBytes);
  for (let special = 0; special < SPECIAL_TOKENS; special++) tokens.push(Buffer.from(`<<ST_${special}>>`));
  return Buffer.from(tokens.map((token, id) => `${token.toString('base64')} ${id}\n`).join(''));
}

/** `▁` is a space; `<0x41>` is a byte. */
function tokenBytes(token: string): Buffer {
  const byte = /^<0x([0-9A-F]{2})>$/.exec(token)?.[1];
  return byte === undefined ? Buffer.from(token.replaceAll('▁', ' ')) : Buffer.from(byte, 'hex');
}
