/** `GET /connection` has opened a session. */
export class SessionStarted {
  /** @example "default" */
  project_id!: string;
  /** @example "user-1" */
  user_id!: string;
  /** @example "65f0c0ff-ee00-4000-8000-00000000abcd" */
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
