import { ServiceError } from '../platform/errors/index.js';

/** Whether a write has been refused, and is to be undone, since its owner is gone. */
export function isGone(error: unknown): boolean {
  return error instanceof ServiceError && (error.code === 'user_erased' || error.code === 'project_not_found');
}
