import { USER_ERASED } from '../erasures/index.js';
import { MAX_REQUEST } from '../messages/index.js';
import { type DocumentedErrors } from '../platform/openapi/index.js';
import { ServiceError } from '../platform/errors/index.js';

export const INVALID_AVATAR_ID = 'avatar_id must be a text of 1 to 128 characters.';
export const INVALID_REQUEST = `request must be a text of 1 to ${MAX_REQUEST} characters.`;
export const INVALID_CHAT_TYPE = 'chat_type must be one of those that GET /connection lists.';
export const INVALID_LANGUAGE_CODE = 'language_code must be one of those that GET /connection lists.';
export const INVALID_SESSION = 'session must be one that GET /connection gave to this user, and that has not ended.';
export const INVALID_FILE = 'A form must carry one file, named file, and each field at most once.';
export const INVALID_KEY = 'Idempotency-Key must be a text of 1 to 255 visible ASCII characters, given once.';
const MALFORMED_FORM = 'The body is not the form that its Content-Type says.';
const FORBIDDEN_FIELD = 'A form must not have a field with the name of a property that every object has.';
const AVATAR_NOT_FOUND = 'The project has no such avatar.';
const NO_TRANSCRIPT = 'The form has no request, and the recording could not be turned into words.';
const KEY_REUSED = 'This Idempotency-Key has come with another request.';
const ENGINE_FAILED = 'The avatar could not answer. The message is stored; please try again.';
const ANSWER_TIMEOUT = 'The avatar did not answer in time. The message is stored; please try again.';

export const avatarNotFound = () => new ServiceError(404, 'avatar_not_found', AVATAR_NOT_FOUND);
export const invalidChatType = () => new ServiceError(400, 'invalid_chat_type', INVALID_CHAT_TYPE);
export const invalidFile = () => new ServiceError(400, 'invalid_file', INVALID_FILE);
export const invalidKey = () => new ServiceError(400, 'invalid_idempotency_key', INVALID_KEY);
export const invalidLanguageCode = () => new ServiceError(400, 'invalid_language_code', INVALID_LANGUAGE_CODE);
export const invalidRequest = () => new ServiceError(400, 'invalid_request', INVALID_REQUEST);
export const invalidSession = () => new ServiceError(400, 'invalid_session', INVALID_SESSION);
export const malformedForm = () => new ServiceError(400, 'bad_request', MALFORMED_FORM);
export const forbiddenField = () => new ServiceError(400, 'bad_request', FORBIDDEN_FIELD);
export const noTranscript = () => new ServiceError(422, 'no_transcript', NO_TRANSCRIPT);
export const keyReused = () => new ServiceError(422, 'idempotency_key_reused', KEY_REUSED);
export const engineFailed = () => new ServiceError(502, 'engine_failed', ENGINE_FAILED);
export const answerTimeout = () => new ServiceError(504, 'answer_timeout', ANSWER_TIMEOUT);

/** What `POST /chat` can answer. */
export const TURN_ERRORS: DocumentedErrors = {
  400: [
    ['invalid_avatar_id', INVALID_AVATAR_ID],
    ['invalid_request', INVALID_REQUEST],
    ['invalid_chat_type', INVALID_CHAT_TYPE],
    ['invalid_language_code', INVALID_LANGUAGE_CODE],
    ['invalid_session', INVALID_SESSION],
    ['invalid_file', INVALID_FILE],
    ['invalid_idempotency_key', INVALID_KEY],
    ['invalid_json', 'The body is not valid JSON.'],
    ['bad_request', MALFORMED_FORM],
  ],
  404: [['avatar_not_found', AVATAR_NOT_FOUND]],
  410: [['user_erased', USER_ERASED]],
  413: ['payload_too_large'],
  415: ['unsupported_media_type'],
  422: [
    ['no_transcript', NO_TRANSCRIPT],
    ['idempotency_key_reused', KEY_REUSED],
  ],
  502: [['engine_failed', ENGINE_FAILED]],
  504: [['answer_timeout', ANSWER_TIMEOUT]],
};
