import { INVALID_USER_ID } from '../auth/index.js';
import { type DocumentedErrors } from '../platform/openapi/index.js';
import { ServiceError } from '../platform/errors/index.js';

export const MAX_PER_PAGE = 1000;
export const MAX_PAGE = 2_147_483_647;

export const INVALID_PER_PAGE = `per_page must be a whole number from 1 to ${MAX_PER_PAGE}.`;
export const INVALID_PAGE = `page must be a whole number from 1 to ${MAX_PAGE}, and is not given together with before.`;
export const INVALID_BEFORE = 'before must be, once, the _id of a message of this user.';

/** The same whether or not the other user exists. */
export function userNotFound(): ServiceError {
  return new ServiceError(404, 'user_not_found', 'There is no such user.');
}

export function invalidBefore(): ServiceError {
  return new ServiceError(400, 'invalid_before', INVALID_BEFORE);
}

export function invalidPage(): ServiceError {
  return new ServiceError(400, 'invalid_page', INVALID_PAGE);
}

/** What `GET /chat` can answer. */
export const HISTORY_ERRORS: DocumentedErrors = {
  400: [
    ['invalid_user_id', INVALID_USER_ID],
    ['invalid_page', INVALID_PAGE],
    ['invalid_per_page', INVALID_PER_PAGE],
    ['invalid_before', INVALID_BEFORE],
  ],
  404: [['user_not_found', 'There is no such user.']],
};
