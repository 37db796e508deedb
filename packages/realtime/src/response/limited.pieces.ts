import { type AnswerPiece, RETRACT } from 'avatar-chat-models';
import type { OutputLimit } from '../session/session.config.js';

/** About as many bytes of text are a token. */
const BYTES_PER_TOKEN = 4;

/** An answer up to a number of tokens, as estimated from its length. @param onLimit called if it is longer */
export async function* limitedPieces(
  pieces: AsyncIterable<AnswerPiece>,
  limit: OutputLimit,
  onLimit: () => void,
): AsyncGenerator<AnswerPiece, void> {
  const maxBytes = limit === 'inf' ? Infinity : limit * BYTES_PER_TOKEN;
  let left = maxBytes;
  for await (const piece of pieces) {
    if (piece === RETRACT) left = maxBytes;
    else left -= Buffer.byteLength(piece);
    if (left >= 0) {
      yield piece;
      continue;
    }
    const kept = Buffer.from(piece as string).subarray(0, left);
    // In stream mode, the decoder drops an incomplete character at the end.
    yield new TextDecoder().decode(kept, { stream: true });
    return onLimit();
  }
}
