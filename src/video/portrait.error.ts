/** A drawing that is no portrait. Its message says in one line what is wrong, and quotes nothing but names. */
export class PortraitError extends Error {
  override readonly name = 'PortraitError';
}
