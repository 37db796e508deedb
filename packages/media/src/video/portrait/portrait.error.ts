/** The drawing is not a valid portrait. The message describes the fault in one line, and quotes only names. */
export class PortraitError extends Error {
  override readonly name = 'PortraitError';
}
