/** The key of a provider is not set. The message is safe to show to an operator. */
export class MissingKeyError extends Error {
  constructor(name: string) {
    super(`the variable ${name} is not set`);
    this.name = 'MissingKeyError';
  }
}

/** Why a call failed, for a log. Never the error's own message, which may quote the key or the user. */
export function reasonOf(error: unknown): string {
  if (error instanceof MissingKeyError) return error.message;
  const { status, constructor: { name } = Object } = error as { status?: unknown; constructor?: { name: string } };
  if (typeof status === 'number') return `its server answered with status ${status}`;
  if (/^API(?:UserAbort|ConnectionTimeout)Error$/.test(name)) return 'its server did not answer in time';
  return /^APIConnection/.test(name) ? 'its server cannot be reached' : 'its answer broke off or was not understood';
}
