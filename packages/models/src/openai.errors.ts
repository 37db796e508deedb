/** The key of a provider is not set. The message is safe to show to an operator. */
export class MissingKeyError extends Error {
  constructor(name: string) {
    super(`the variable ${name} is not set`);
    this.name = 'MissingKeyError';
  }
}

/** Why a call failed, for a log. Never the error's own message: it may quote the key or the user. */
export function reasonOf(error: unknown): string {
  if (error instanceof MissingKeyError) return error.message;
  const { status } = error as { status?: unknown };
  if (typeof status === 'number') return `its server answered with status ${status}`;
  if (error instanceof Error && /^APIConnection/.test(error.constructor.name)) return 'its server cannot be reached';
  return 'its answer broke off or was not understood';
}
