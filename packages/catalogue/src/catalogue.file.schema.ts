import { EVENT_TYPES, MODULE_EVENT } from './event.names.js';
import { AVATAR_ID, CHAT_TYPES, LANGUAGE_CODE, PROJECT_ID, PROJECT_PARTS } from './catalogue.types.js';

const asset = { type: 'string', pattern: '^(/assets/|https?://)[^\\s\\\\]{1,2000}$' };
export const NOT_BLANK = '^$|\\S';
const name = { type: 'string', minLength: 1, maxLength: 200, pattern: NOT_BLANK };
const code = { type: 'string', pattern: LANGUAGE_CODE.source };
const avatarId = { type: 'string', pattern: AVATAR_ID.source };
const MAX_ENTRIES = 10_000;
const MAX_WEBHOOKS = 10;
const MAX_GREETINGS = 200;
const MAX_SUGGESTIONS = 6;
const MAX_BASES = 10;
const MAX_TOOL_SERVERS = 10;
const MAX_WEBHOOK_TOOLS = 32;
const MAX_ALLOWED_TOOLS = 128;
const MAX_REPLIES = 100;

function record(properties: Record<string, unknown>, optional: string[] = []) {
  const required = Object.keys(properties).filter((property) => !optional.includes(property));
  return { type: 'object', properties, required, additionalProperties: false };
}

function list(items: unknown, rules = {}) {
  return { type: 'array', items, maxItems: MAX_ENTRIES, ...rules };
}

const entry = {
  type: 'object',
  properties: { kind: { type: 'string', pattern: '^[a-z][a-z0-9_-]{0,63}$' } },
  required: ['kind'],
};

const claim = { type: 'string', minLength: 1, maxLength: 2000 };
const identity = { ...entry, properties: { ...entry.properties, issuer: claim, audience: claim } };

const factor = { type: 'number', minimum: 0.5, maximum: 2 };
const gender = { enum: ['female', 'male'] };
const names = { type: 'object', additionalProperties: name };
// Brackets would start phoneme codes.
const word = { type: 'string', minLength: 1, maxLength: 100, pattern: '^[^\\[\\]<>{}|\\\\]*$' };
const pronounce = { type: 'object', propertyNames: word, additionalProperties: word, maxProperties: 100 };
const voice = record({ names, gender, pronounce, rate: factor, pitch: factor }, [
  'names',
  'gender',
  'pronounce',
  'rate',
  'pitch',
]);

const greeting = { type: 'string', minLength: 1, maxLength: 2000 };
const greetings = { type: 'object', propertyNames: code, additionalProperties: greeting, maxProperties: MAX_GREETINGS };

const question = { type: 'string', minLength: 1, maxLength: 200 };
const suggestions = {
  type: 'object',
  propertyNames: code,
  additionalProperties: list(question, { maxItems: MAX_SUGGESTIONS }),
  maxProperties: MAX_GREETINGS,
};

const avatar = record(
  {
    _id: avatarId,
    name,
    greetingText: greeting,
    greetings,
    suggestions,
    hasLiveMode: { type: 'boolean' },
    previewIcons: record({ small: asset, medium: asset, large: asset }),
    startButtonIcon: asset,
    idleVideo: asset,
    engine: entry,
    care: { type: 'boolean' },
    voice,
    knowledge: list({ type: 'string', pattern: '^[a-z0-9-]{1,64}$' }, { maxItems: MAX_BASES, uniqueItems: true }),
  },
  ['greetings', 'suggestions', 'care', 'voice', 'knowledge'],
);

const settings = {
  chat_types: list({ enum: CHAT_TYPES }, { minItems: 1, uniqueItems: true }),
  messageTimeoutSeconds: { type: 'number', minimum: 1, maximum: 600 },
  stopSpeakingTimeoutSeconds: { type: 'number', minimum: 0, maximum: 60 },
  vadEnabled: { type: 'boolean' },
  voiceModeSelector: { type: 'boolean' },
  greet: { type: 'boolean' },
  retentionDays: { type: 'number', minimum: 0, maximum: 36_500 },
  unansweredQuestions: { type: 'boolean' },
  memory: { enum: [true, false, 'all'] },
  tokensPerUserAndDay: { type: 'integer', minimum: 0, maximum: 1_000_000_000_000 },
  clientContext: { type: 'boolean' },
};

const minutes = { type: 'number', exclusiveMinimum: 0, maximum: 1440 };
const handover = record(
  {
    enabled: { type: 'boolean' },
    message: { type: 'string', minLength: 1, maxLength: 2000 },
    timeoutMinutes: minutes,
    waitingMinutes: minutes,
  },
  ['message', 'timeoutMinutes', 'waitingMinutes'],
);

const reply = record({
  name: { ...name, maxLength: 100 },
  text: { type: 'string', minLength: 1, maxLength: 2000 },
});

const eventType = { if: { type: 'string', pattern: MODULE_EVENT.source }, else: { enum: EVENT_TYPES } };

const webhook = record(
  {
    name: { type: 'string', pattern: '^[a-z0-9-]{1,64}$' },
    url: { type: 'string', pattern: '^https?://[^\\s\\\\]{1,2000}$' },
    events: list(eventType, { minItems: 1, uniqueItems: true }),
    secret_env: { type: 'string' },
  },
  ['events', 'secret_env'],
);

const tool = { type: 'string', pattern: '^[a-z][a-z0-9_]{0,63}$' };
const server = { type: 'string', pattern: '^https?://[^\\s\\\\]{1,2000}$' };
const toolServer = record(
  {
    name: tool,
    url: server,
    authorization_env: { type: 'string' },
    allow: list(
      { type: 'string', pattern: '^[A-Za-z0-9_.-]{1,64}$' },
      { minItems: 1, maxItems: MAX_ALLOWED_TOOLS, uniqueItems: true },
    ),
  },
  ['authorization_env', 'allow'],
);
const webhookTool = record(
  {
    name: tool,
    description: { type: 'string', minLength: 1, maxLength: 1024 },
    parameters: { type: 'object' },
    url: server,
    secret_env: { type: 'string' },
  },
  ['secret_env'],
);

const project = record(
  {
    project_id: { type: 'string', pattern: PROJECT_ID.source },
    token_policy: { enum: ['open', 'verified', 'closed'] },
    identity,
    avatars: list(avatarId, { uniqueItems: true }),
    languages: list(code, { uniqueItems: true }),
    settings: record(settings, Object.keys(settings)),
    speech: record({ speaker: entry, transcriber: entry }, ['speaker', 'transcriber']),
    video: record({ enabled: { type: 'boolean' }, size: { enum: [480, 640] } }, ['enabled', 'size']),
    handover,
    replies: list(reply, { maxItems: MAX_REPLIES }),
    webhooks: list(webhook, { maxItems: MAX_WEBHOOKS }),
    embeddings: record({ base_url: claim, model: claim, api_key_env: claim }, ['api_key_env']),
    tool_servers: list(toolServer, { maxItems: MAX_TOOL_SERVERS }),
    webhook_tools: list(webhookTool, { maxItems: MAX_WEBHOOK_TOOLS }),
  },
  ['token_policy', 'settings', ...PROJECT_PARTS],
);

/** JSON Schema of the catalogue file. Omitted project settings have defaults. */
export const CATALOGUE_FILE_SCHEMA = record(
  {
    avatars: list(avatar),
    languages: list(record({ name, language_code: code, icon_url: asset })),
    projects: list(project),
  },
  ['avatars', 'languages', 'projects'],
);
