import { PROJECT_ID } from 'avatar-chat-catalogue';

/** 1–128 ASCII letters, digits, hyphens and underscores. */
export const USER_ID = /^[A-Za-z0-9_-]{1,128}$/;

/**
 * Owner of data: a user within a project. Repositories take both as one value, so that no query can omit half of it,
 * and it can only be constructed from two validated identifiers.
 */
export class Owner {
  constructor(
    readonly project_id: string,
    readonly user_id: string,
  ) {
    if (!isMatch(PROJECT_ID, project_id) || !isMatch(USER_ID, user_id))
      throw new TypeError('Not a valid project and user');
    Object.freeze(this);
  }
}

/** The owner as one string, as the key of a map or of a document. Identifiers contain no slash. */
export function ownerKey({ project_id, user_id }: Pick<Owner, 'project_id' | 'user_id'>): string {
  return `${project_id}/${user_id}`;
}

function isMatch(pattern: RegExp, value: unknown): boolean {
  return typeof value === 'string' && pattern.test(value);
}
