import { ServiceError } from '../platform/errors/index.js';

/** Whether a write was refused, and has to be undone, because its owner was erased. */
export function isGone(error: unknown): boolean {
  return error instanceof ServiceError && (error.code === 'user_erased' || error.code === 'project_not_found');
}
