import { ServiceError } from '../platform/errors/index.js';

export const USER_ERASED = 'The user was erased while the request was in progress. Nothing of it is stored.';
export const PROJECT_REMOVED = 'The project was removed while the request was in progress.';

/** Not one that clients retry: a repetition would store what was erased. */
export const userErased = () => new ServiceError(410, 'user_erased', USER_ERASED);
export const projectRemoved = () => new ServiceError(401, 'project_not_found', PROJECT_REMOVED);

/** Whether a write has been refused, and is to be undone, since its owner is gone. */
export function isGone(error: unknown): boolean {
  return error instanceof ServiceError && (error.code === 'user_erased' || error.code === 'project_not_found');
}
