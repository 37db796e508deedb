/** `GET /connection` has opened a session. */
export class SessionStarted {
  /** @example "default" */
  project_id!: string;
  /** @example "user-1" */
  user_id!: string;
  /** @example "3q2-7wAAAAAAAAAAAAAAAA" */
  session!: string;
}

/** A user was erased. */
export class UserErased {
  /** @example "default" */
  project_id!: string;
  /** @example "user-1" */
  user_id!: string;
  /** How many messages were erased. */
  messages!: number;
  /** How many sessions were erased. */
  sessions!: number;
}
