/** The drawing is not a valid portrait. The message describes the fault in one line, and quotes only names. */
export class PortraitError extends Error {
  override readonly name = 'PortraitError';
}

/** Bytes. */
export const PORTRAIT_FILE_LIMIT = 10 * 1024 * 1024;
