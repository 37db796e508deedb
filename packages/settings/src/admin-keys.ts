import type { Kind } from 'avatar-chat-runtime';

export const OPERATOR_ROLES = ['owner', 'agent', 'viewer'] as const;
export type OperatorRole = (typeof OPERATOR_ROLES)[number];

/** The name of `ADMIN_KEY` in the audit log. */
export const ADMIN_NAME = 'admin';
/** The scope of a key of all projects. */
export const ALL_PROJECTS = '*';

/** A key of operators. */
export interface AdminKey {
  readonly name: string;
  readonly role: OperatorRole;
  /** A project, which need not exist, or {@link ALL_PROJECTS}. */
  readonly project: string;
  readonly key: string;
}

/** `name:role:project:key`, separated by commas. */
export const adminKeys: Kind<readonly AdminKey[]> = {
  rule: 'a comma-separated list of NAME:ROLE:PROJECT:KEY',
  parse(given) {
    const keys = given === '' ? [] : itemsOf(given);
    return keys.some((key) => key === undefined) || repetitionIn(keys) ? undefined : (keys as AdminKey[]);
  },
  faultOf(given) {
    const keys = itemsOf(given);
    const index = keys.indexOf(undefined);
    return index >= 0
      ? `must be NAME:ROLE:PROJECT:KEY, separated by commas: a name of 1 to 64 of a-z, 0-9 and -, other than ${ADMIN_NAME}; ${OPERATOR_ROLES.join(', ')}; a project or ${ALL_PROJECTS}; 32 to 512 visible ASCII characters without comma and colon. Entry ${index + 1} is not`
      : repetitionIn(keys);
  },
};

function itemsOf(given: string): (AdminKey | undefined)[] {
  return given.split(',').map((item) => keyOf(item.trim()));
}

function keyOf(item: string): AdminKey | undefined {
  const [name = '', given = '', project = '', key = '', ...rest] = item.split(':');
  const role = OPERATOR_ROLES.find((known) => known === given);
  const isRight =
    /^[a-z0-9-]{1,64}$/.test(name) &&
    name !== ADMIN_NAME &&
    (project === ALL_PROJECTS || /^[A-Za-z0-9-]{1,64}$/.test(project)) &&
    /^[!-~]{32,512}$/.test(key) &&
    rest.length === 0;
  return role && isRight ? { name, role, project, key } : undefined;
}

function repetitionIn(keys: readonly (AdminKey | undefined)[]): string | undefined {
  for (const field of ['name', 'key'] as const)
    if (new Set(keys.map((key) => key?.[field])).size < keys.length) return `must not have a ${field} twice`;
  return undefined;
}
