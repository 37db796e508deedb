import { type DocumentedErrors } from '../platform/openapi/index.js';
import { ServiceError } from '../platform/errors/index.js';

const REALM = 'Bearer realm="avatar-chat"';

export const INVALID_USER_ID = 'user_id must be a string of 1 to 128 letters, digits, hyphens and underscores.';
export const INVALID_PROJECT_ID = 'project_id must be a string of 1 to 64 letters, digits and hyphens.';

export function projectNotFound(): ServiceError {
  return new ServiceError(401, 'project_not_found', 'There is no such project.', { 'WWW-Authenticate': REALM });
}

export function invalidUserHash(): ServiceError {
  return new ServiceError(401, 'invalid_user_hash', 'This project needs a valid user_hash.', {
    'WWW-Authenticate': REALM,
  });
}

export function tokenGenerationFailed(cause: unknown): ServiceError {
  return Object.assign(
    new ServiceError(500, 'token_generation_failed', 'The token could not be issued. Please try again.'),
    { cause },
  );
}

export function missingToken(): ServiceError {
  return new ServiceError(401, 'missing_token', 'The request needs a bearer token, which POST /jwt issues.', {
    'WWW-Authenticate': REALM,
  });
}

export function invalidToken(): ServiceError {
  return new ServiceError(401, 'invalid_token', 'The bearer token is not valid.', {
    'WWW-Authenticate': `${REALM}, error="invalid_token"`,
  });
}

/** The only 403 there is: the client answers it by asking for a new token. */
export function tokenExpired(): ServiceError {
  return new ServiceError(403, 'token_expired', 'The bearer token has expired. POST /jwt issues a new one.');
}

/** What `POST /jwt` can answer. */
export const TOKEN_ERRORS: DocumentedErrors = {
  400: [
    ['invalid_user_id', INVALID_USER_ID],
    ['invalid_project_id', INVALID_PROJECT_ID],
    ['invalid_json', 'The body is not valid JSON.'],
  ],
  401: [
    ['project_not_found', 'There is no such project.'],
    ['invalid_user_hash', 'This project needs a valid user_hash.'],
  ],
  413: ['payload_too_large'],
  415: ['unsupported_media_type'],
  429: ['rate_limited'],
  500: [['token_generation_failed', 'The token could not be issued. Please try again.']],
};
