/** A document that cannot be taken. The message says why, and quotes nothing of it. */
export class DocumentError extends Error {
  constructor(reason: string) {
    super(reason);
    this.name = 'DocumentError';
  }
}
