import { PROJECT_ID } from '../catalogue/index.js';

/** 1–128 ASCII letters, digits, hyphens and underscores. */
export const USER_ID = /^[A-Za-z0-9_-]{1,128}$/;

/**
 * Whose data is asked for: a user within a project. Repositories take it as one value, so that no query can forget a
 * half of it, and it is only made of two checked identifiers.
 */
export class Owner {
  constructor(
    readonly project_id: string,
    readonly user_id: string,
  ) {
    if (!isMatch(PROJECT_ID, project_id) || !isMatch(USER_ID, user_id)) throw new TypeError('Not a project and a user');
    Object.freeze(this);
  }
}

/** One text for an owner, as the key of a map or of a document. No identifier has a slash in it. */
export function ownerKey({ project_id, user_id }: Pick<Owner, 'project_id' | 'user_id'>): string {
  return `${project_id}/${user_id}`;
}

function isMatch(pattern: RegExp, value: unknown): boolean {
  return typeof value === 'string' && pattern.test(value);
}
