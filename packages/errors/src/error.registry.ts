/** An error of the service. */
export interface ErrorDefinition {
  /** The HTTP status; 403 is reserved for an expired token. */
  readonly status: number;
  /** Its code, if that is not the name: several errors may share a code. */
  readonly code?: string;
  /** For people; never the caller's input. */
  readonly message: string | ((...values: never[]) => string);
  readonly headers?: Readonly<Record<string, string>> | ((...values: never[]) => Readonly<Record<string, string>>);
  /** Markdown for docs/troubleshooting.md, instead of the message: causes, and what to do. */
  readonly docs?: string;
}

const CHALLENGE = { 'WWW-Authenticate': 'Bearer realm="avatar-chat"' };
const ADMIN_CHALLENGE = { 'WWW-Authenticate': 'Bearer realm="avatar-chat-admin"' };
const NO_SUCH_PROJECT = 'There is no such project.';

/** Every error of the service, in the order of docs/troubleshooting.md. */
export const ERRORS = {
  invalid_user_id: {
    status: 400,
    message: 'user_id must be a string of 1 to 128 letters, digits, hyphens and underscores.',
    docs: '`user_id` missing, repeated or malformed; body of `POST /jwt` missing or not an object',
  },
  invalid_project_id: { status: 400, message: 'project_id must be a string of 1 to 64 letters, digits and hyphens.' },
  invalid_page: {
    status: 400,
    message: (max: number) => `page must be a whole number from 1 to ${max}, and is not given together with before.`,
  },
  invalid_per_page: { status: 400, message: (max: number) => `per_page must be a whole number from 1 to ${max}.` },
  invalid_before: { status: 400, message: 'before must be the _id of one message of this user.' },
  invalid_avatar_id: { status: 400, message: 'avatar_id must be a string of 1 to 128 characters.' },
  invalid_model: {
    status: 400,
    code: 'invalid_avatar_id',
    message: 'model must be a string of 1 to 128 letters, digits, hyphens and underscores.',
  },
  other_model: {
    status: 400,
    code: 'invalid_avatar_id',
    message: 'model must be the one that the client secret was made for.',
  },
  invalid_request: { status: 400, message: (max: number) => `request must be a string of 1 to ${max} characters.` },
  invalid_answer: { status: 400, message: (max: number) => `answer must be a string of 1 to ${max} characters.` },
  invalid_name: { status: 400, message: (max: number) => `name must have 1 to ${max} characters, not only blanks.` },
  invalid_state: { status: 400, message: (states: string) => `state must be ${states}.`, docs: 'Unknown `state`' },
  invalid_cursor: { status: 400, message: 'cursor must be one that an earlier answer gave.' },
  invalid_limit: { status: 400, message: (max: number) => `limit must be a whole number from 1 to ${max}.` },
  invalid_force: { status: 400, code: 'invalid_request', message: 'force must be true or false.' },
  invalid_expiry: {
    status: 400,
    code: 'invalid_request',
    message: 'expires_after must be an object, and its seconds a number.',
  },
  invalid_input: { status: 400, code: 'invalid_request', message: (rule: string) => rule },
  invalid_chat_type: { status: 400, message: 'chat_type must be one of those that GET /connection lists.' },
  invalid_language_code: { status: 400, message: 'language_code must be one of those that GET /connection lists.' },
  invalid_session: {
    status: 400,
    message: 'session must be one that GET /connection gave to this user, and that has not ended.',
  },
  invalid_file: { status: 400, message: 'A form must carry one file, named file, and each field at most once.' },
  invalid_live_session: { status: 400, code: 'invalid_session', message: (fault: string) => fault },
  invalid_offer: { status: 400, message: (fault: string) => fault, docs: 'An SDP offer that cannot be answered' },
  live_mode_unavailable: { status: 400, message: 'This avatar has no live mode: hasLiveMode is false.' },
  invalid_idempotency_key: {
    status: 400,
    message: 'Idempotency-Key must be one value of 1 to 255 visible ASCII characters.',
  },
  invalid_days: { status: 400, message: (max: number) => `days must be a whole number from 1 to ${max}.` },
  invalid_search: {
    status: 400,
    message: (max: number) => `search must be one string of at most ${max} characters.`,
  },
  invalid_rating: { status: 400, message: 'rating must be up, down or null.' },
  invalid_ids: {
    status: 400,
    message: (max: number) => `ids must be 1 to ${max} message identifiers, separated by commas, in one parameter.`,
  },
  invalid_json: { status: 400, message: 'The body is not a valid JSON object.' },
  bad_request: {
    status: 400,
    message: 'The request is not well-formed HTTP.',
    docs: "Malformed HTTP: request line, URL escapes, form, WebSocket handshake, no or two `Host`, two `Authorization`; a query parameter that a request which deletes everything does not know; a foreign `Host` [on a developer's machine](security.md): if it is right, set `PUBLIC_URL` or `TRUST_PROXY`",
  },
  foreign_host: {
    status: 400,
    code: 'bad_request',
    message: 'The Host header does not name this machine. If it is right, set PUBLIC_URL or TRUST_PROXY.',
  },
  malformed_handshake: { status: 400, code: 'bad_request', message: 'The WebSocket handshake is not well-formed.' },
  malformed_form: { status: 400, code: 'bad_request', message: 'The body is not the form that its Content-Type says.' },
  unknown_parameter: { status: 400, code: 'bad_request', message: 'The query has a parameter that is not known here.' },
  forbidden_field: { status: 400, code: 'bad_request', message: 'A form must not have a field such as "__proto__".' },
  missing_token: {
    status: 401,
    message:
      'The request needs the header "Authorization: Bearer TOKEN", with a token from POST /jwt or the identity provider of the project.',
    headers: CHALLENGE,
    docs: 'No `Authorization: Bearer TOKEN`. A proxy may have removed the header',
  },
  missing_bearer: {
    status: 401,
    code: 'missing_token',
    message: 'The Authorization header must be "Bearer ", followed by the token.',
    headers: CHALLENGE,
  },
  invalid_token: {
    status: 401,
    message: 'The bearer token is not valid.',
    headers: { 'WWW-Authenticate': `${CHALLENGE['WWW-Authenticate']}, error="invalid_token"` },
    docs: 'Malformed, or wrong algorithm, signature or claims, even if also expired. If all tokens get it, `JWT_SECRET` has changed or differs between processes: [rotate it](operations.md#rotate-the-secret) with the previous one',
  },
  unauthorized: {
    status: 401,
    code: 'invalid_token',
    message: 'The request needs a valid bearer token.',
    headers: CHALLENGE,
  },
  project_not_found: { status: 401, message: NO_SUCH_PROJECT, headers: CHALLENGE },
  project_removed: {
    status: 401,
    code: 'project_not_found',
    message: 'The project was removed while the request was in progress.',
    headers: CHALLENGE,
  },
  invalid_user_hash: {
    status: 401,
    message: 'This project needs a valid user_hash.',
    headers: CHALLENGE,
    docs: "Missing, or not the HMAC of this `user_id` by [the project's key](api.md#verified-users), as hexadecimal digits",
  },
  tokens_closed: {
    status: 401,
    message: 'POST /jwt issues no tokens for this project.',
    headers: CHALLENGE,
    docs: 'The project is `closed`: it accepts tokens of its [identity provider](identity.md) and of [`token issue`](command-line.md#tokens) only',
  },
  invalid_admin_key: {
    status: 401,
    message: 'The request needs an operator’s key as its bearer token: the ADMIN_KEY, or one of ADMIN_KEYS.',
    headers: ADMIN_CHALLENGE,
  },
  forbidden: {
    status: 401,
    message: 'The request is not allowed.',
    headers: CHALLENGE,
    docs: "A [module](extending.md), or the [role or project of an operator's key](administration.md#keys-with-roles), does not allow the request",
  },
  forbidden_to_key: {
    status: 401,
    code: 'forbidden',
    message: 'The role of this key does not allow the request, or the project is another one.',
    headers: ADMIN_CHALLENGE,
  },
  /** The only 403: clients respond to it by requesting a new token. */
  token_expired: {
    status: 403,
    message: 'The bearer token has expired. Get a new one from POST /jwt or the identity provider of the project.',
    docs: '[Get a new token and repeat the request once](api.md#expired-tokens). If new tokens get it too, compare the clocks of the machines',
  },
  /** The same whether or not such a user exists. */
  user_not_found: {
    status: 404,
    message: 'user_id is not the user of the token.',
    docs: '`user_id` is not the user of the token, whether or not there is such a user',
  },
  unknown_project: {
    status: 404,
    code: 'project_not_found',
    message: NO_SUCH_PROJECT,
    docs: 'An [operator](administration.md) named a project that does not exist',
  },
  message_not_found: {
    status: 404,
    message: 'The user has no such answer.',
    docs: 'Not an answer in the history of the user',
  },
  delivery_not_found: { status: 404, message: 'The project has no such delivery.' },
  webhook_not_found: { status: 404, message: 'The project has no webhook of this name.' },
  document_not_found: { status: 404, message: 'The knowledge base has no such document.' },
  memory_not_found: { status: 404, message: 'The user has no such memory.' },
  avatar_not_found: { status: 404, message: 'The project has no such avatar.' },
  file_not_found: {
    status: 404,
    message: 'There is no such file, or the URL is no longer valid.',
    docs: 'No such file, or its [URL](api.md#files) has expired: read the message again',
  },
  not_found: { status: 404, message: 'There is nothing at this path.' },
  method_not_allowed: {
    status: 405,
    message: 'This path does not support this method. The Allow header lists the supported ones.',
    headers: (methods: readonly string[]) => ({ Allow: methods.join(', ') }),
  },
  not_acceptable: {
    status: 406,
    message: 'The resource is not available in a format listed in the Accept header.',
    docs: 'No format that the `Accept` header lists, from a [module](extending.md)',
  },
  request_timeout: { status: 408, message: 'The request took too long to arrive.' },
  conflict: {
    status: 409,
    message: 'The request conflicts with what is stored.',
    docs: 'A conflict with what is stored, found by a [module](extending.md)',
  },
  project_exists: { status: 409, message: 'There is a project of this name already.' },
  project_has_messages: {
    status: 409,
    message: 'Messages of a removed project of this name remain. Erase them first.',
  },
  handover_disabled: {
    status: 409,
    message: 'In this project no person can take over: handover is not enabled.',
  },
  conversation_taken: {
    status: 409,
    message: 'Another person has this conversation. With force it can be taken over.',
  },
  secret_in_variable: {
    status: 409,
    message: 'The secrets of this webhook are in the variable that its secret_env names: change it there.',
  },
  default_project: { status: 409, message: 'The default project cannot be removed.' },
  session_elsewhere: {
    status: 409,
    message: 'This live session waits for its client in another process, on the host that Live-Session-Host names.',
    headers: (host: string) => ({ 'Live-Session-Host': host }),
    docs: '`resume` names a live session that another process has. Try again, since a load balancer may lead there, or leave out `resume`; `Live-Session-Host` names the host',
  },
  /** Not a status that clients retry: a repetition would store what was erased. */
  user_erased: {
    status: 410,
    message: 'The user was erased while the request was in progress. Nothing of it is stored.',
    docs: 'During the request; nothing of it is stored; do not retry',
  },
  payload_too_large: { status: 413, message: 'The body is larger than the service accepts.' },
  file_too_large: {
    status: 413,
    code: 'payload_too_large',
    message: (mebibytes: number) => `The file is larger than ${mebibytes} MiB.`,
  },
  uri_too_long: { status: 414, message: 'The URL is too long.', docs: 'URL above the [limit](api.md#limits)' },
  unsupported_media_type: {
    status: 415,
    message: 'The body must be uncompressed JSON with Content-Type: application/json, or a form if a route takes one.',
    docs: 'A body that is not `application/json`, or is compressed, a form on another route, a file that is no WAV, MP3, AAC, FLAC, Ogg, WebM, Matroska or MP4',
  },
  not_a_recording: {
    status: 415,
    code: 'unsupported_media_type',
    message:
      'The file is not a recording of a kind that the service takes: WAV, MP3, AAC, FLAC, Ogg, WebM, Matroska or MP4.',
  },
  range_not_satisfiable: {
    status: 416,
    message: 'The requested range lies outside the file.',
    headers: (bytes: number) => ({ 'Content-Range': `bytes */${bytes}` }),
  },
  expectation_failed: { status: 417, message: 'The only expectation that the service meets is 100-continue.' },
  catalogue_changed: {
    status: 412,
    message: 'The catalogue has been changed since it was read. Nothing was changed. Read it again.',
  },
  invalid_catalogue: {
    status: 422,
    message: 'The catalogue has faults, which POST /admin/catalogue/check names. Nothing was changed.',
  },
  invalid_document: {
    status: 422,
    message: (reason: string) => `The document ${reason}.`,
    docs: 'A document for a [knowledge base](knowledge.md) that cannot be read, is encrypted, has no text or is of another type',
  },
  knowledge_full: {
    status: 422,
    message: (reason: string) => `The knowledge base ${reason}.`,
    docs: 'A [knowledge base](knowledge.md) has too many documents or passages, or would not fit into memory',
  },
  no_transcript: {
    status: 422,
    message: 'The form has no request, and the recording could not be transcribed.',
    docs: 'The recording has no words, or the project has no [transcriber](speech.md) for the language. Send the words as `request`',
  },
  idempotency_key_reused: {
    status: 422,
    message: 'This Idempotency-Key was used with a different request.',
    docs: 'Use a new key for each turn, and the same for its [retries](api.md#idempotency)',
  },
  unprocessable: {
    status: 422,
    message: 'The request is well-formed but cannot be carried out.',
    docs: 'Well-formed, but a [module](extending.md) cannot carry it out',
  },
  upgrade_required: {
    status: 426,
    message: 'This path takes WebSocket connections only.',
    headers: { Upgrade: 'websocket' },
  },
  rate_limited: {
    status: 429,
    message: 'Too many requests. Retry-After says in how many seconds the next may come.',
    headers: (seconds: number) => ({ 'Retry-After': String(seconds) }),
    docs: 'Too many requests, or too many in progress; wait the seconds in `Retry-After`',
  },
  quota_exceeded: {
    status: 429,
    message: "The day's quota of this user is used up. Retry-After says in how many seconds the next day begins.",
    headers: (seconds: number) => ({ 'Retry-After': String(seconds) }),
    docs: "The user's tokens of the day, in UTC, are used up ([`tokensPerUserAndDay`](catalogue.md#projects)); the message is not stored",
  },
  headers_too_large: { status: 431, message: 'The request headers are larger than the service accepts.' },
  token_generation_failed: {
    status: 500,
    message: 'The token could not be issued. Please try again.',
    docs: 'Any internal failure of `POST /jwt`',
  },
  internal_error: {
    status: 500,
    message: 'Something went wrong on our side. The log holds the details.',
    docs: 'Any other internal failure; the log has the details',
  },
  engine_failed: {
    status: 502,
    message: 'The avatar could not answer. The message is stored; please try again.',
    docs: 'The engine failed, and the message is stored; or the transcriber failed, and it is not. The log names the cause: the address or key of a [model](engines.md#engines), or its server. Repeat with the same `Idempotency-Key`',
  },
  webrtc_unavailable: {
    status: 501,
    message: 'Calls need the package @roamhq/wrtc, which is not installed.',
  },
  service_unavailable: {
    status: 503,
    message: 'The service cannot answer at the moment. Please try again.',
    headers: { 'Retry-After': '1' },
    docs: 'The database is unavailable or its disk is full, or the service is shutting down or overloaded; with `Retry-After`',
  },
  answer_timeout: {
    status: 504,
    message: 'The avatar did not answer in time. The message is stored; please try again.',
    docs: 'No answer within `messageTimeoutSeconds`, and the message is stored; or no transcript, and it is not. Stream answers, raise the [setting](catalogue.md#projects), or use a faster model',
  },
} as const satisfies Record<string, ErrorDefinition>;
