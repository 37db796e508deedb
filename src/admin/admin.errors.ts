import { type DocumentedErrors } from '../platform/openapi/index.js';
import { ServiceError } from '../platform/errors/index.js';

const REALM = 'Bearer realm="avatar-chat-admin"';

const INVALID_CATALOGUE = 'The catalogue has faults, which POST /admin/catalogue/check names. Nothing was changed.';
const INVALID_ADMIN_KEY = 'The request needs the ADMIN_KEY as its bearer token.';

export const INVALID_DAYS = 'days must be a whole number from 1 to 9999.';

/** Never a 403, which means an expired token and nothing else. */
export function invalidAdminKey(): ServiceError {
  return new ServiceError(401, 'invalid_admin_key', INVALID_ADMIN_KEY, { 'WWW-Authenticate': REALM });
}

/** Of an operator's own request, where the 401 of the same code is of a client's token. */
export function projectNotFound(): ServiceError {
  return new ServiceError(404, 'project_not_found', 'There is no such project.');
}

export function projectExists(): ServiceError {
  return new ServiceError(409, 'project_exists', 'There is a project of this name already.');
}

export function defaultProject(): ServiceError {
  return new ServiceError(409, 'default_project', 'The default project cannot be removed.');
}

export function invalidCatalogue(): ServiceError {
  return new ServiceError(422, 'invalid_catalogue', INVALID_CATALOGUE);
}

const PROJECT_NOT_FOUND = ['project_not_found', 'There is no such project.'] as const;
const INVALID_PROJECT_ID = 'invalid_project_id';

/** What the routes of operators can answer, besides what all of them can. */
export const ADMIN_ERRORS = {
  project: { 400: [INVALID_PROJECT_ID], 404: [PROJECT_NOT_FOUND] },
  addProject: {
    400: [INVALID_PROJECT_ID, 'invalid_json'],
    409: [
      ['project_exists', 'There is a project of this name already.'],
      ['project_has_messages', 'Messages of a removed project of this name remain. Erase them first.'],
    ],
    413: ['payload_too_large'],
    415: ['unsupported_media_type'],
  },
  removeProject: {
    400: [INVALID_PROJECT_ID],
    404: [PROJECT_NOT_FOUND],
    409: [['default_project', 'The default project cannot be removed.']],
  },
  catalogue: {
    400: ['invalid_json'],
    413: ['payload_too_large'],
    415: ['unsupported_media_type'],
    422: [['invalid_catalogue', INVALID_CATALOGUE]],
  },
  checkCatalogue: { 400: ['invalid_json'], 413: ['payload_too_large'], 415: ['unsupported_media_type'] },
  user: { 400: [INVALID_PROJECT_ID, 'invalid_user_id'], 404: [PROJECT_NOT_FOUND] },
  statistics: { 400: [INVALID_PROJECT_ID, ['invalid_days', INVALID_DAYS]], 404: [PROJECT_NOT_FOUND] },
} as const satisfies Record<string, DocumentedErrors>;
