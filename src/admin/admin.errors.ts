import { ServiceError } from '../http/index.js';

/** Of an operator's own request, where the 401 of the same code is of a client's token. */
export function projectNotFound(): ServiceError {
  return new ServiceError(404, 'project_not_found', 'There is no such project.');
}
