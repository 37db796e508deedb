/** An invalid call: exit status 2, with the reason and a short usage text. */
export class UsageError extends Error {}

/** A command that cannot be completed: exit status 1, with only this message. */
export class CommandError extends Error {}

export function noSuchProject(project_id: string): CommandError {
  return new CommandError(`There is no project '${project_id}'.`);
}

export function cannotRead(name: string, error: unknown): CommandError {
  return new CommandError(`${name} cannot be read (${systemCode(error) ?? 'unknown error'}).`);
}

/** The code of a system error, such as `ENOENT`. */
export function systemCode(error: unknown): string | undefined {
  const { code } = error as NodeJS.ErrnoException;
  return typeof code === 'string' && /^E[A-Z0-9]+$/.test(code) ? code : undefined;
}
