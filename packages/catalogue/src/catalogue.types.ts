import type { KindEntry } from './entry-rules.js';

/** 1–64 ASCII letters, digits and hyphens. */
export const PROJECT_ID = /^[A-Za-z0-9-]{1,64}$/;

export const AVATAR_ID = /^[A-Za-z0-9_-]{1,128}$/;

/** A BCP 47 code, such as `en` or `pt-BR`. */
export const LANGUAGE_CODE = /^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8}){0,4}$/;

/** The project of requests that name none. It always exists. */
export const DEFAULT_PROJECT = 'default';

export const CHAT_TYPES = ['text', 'voice', 'video'] as const;
export type ChatType = (typeof CHAT_TYPES)[number];

/** Where a project's events are sent. */
export interface Webhook {
  /**
   * 1–64 lower-case letters, digits and hyphens; unique in its project. Its secret and its deliveries are tied to it.
   */
  name: string;
  /** `http` or `https`. May hold a secret in its path or query, so it is never logged. */
  url: string;
  /** Subscribed events, including those of modules; omitted: all. */
  events?: `${string}.${string}`[];
  /** The name of the environment variable with its secrets; omitted: a generated secret. */
  secret_env?: string;
}

/** A project's settings for its clients. */
export interface Settings {
  chat_types: ChatType[];
  /** How long clients, and the service, wait for an answer. */
  messageTimeoutSeconds: number;
  /** Length of the silence after which a client considers the user's speech complete. */
  stopSpeakingTimeoutSeconds: number;
  /** Whether clients detect the end of speech by voice activity detection. */
  vadEnabled: boolean;
  /** Whether clients show the voice mode selector. */
  voiceModeSelector: boolean;
  /** Whether an avatar's greeting is stored as its first message to a user. */
  greet: boolean;
  /** Days after which messages are removed; 0 keeps them forever. */
  retentionDays: number;
  /** Whether operators see the most frequent unanswered questions, which are users' own words. */
  unansweredQuestions: boolean;
  /** Tokens of models that a user may use per UTC day; 0: no limit. Clients do not see it. */
  tokensPerUserAndDay: number;
  /** Whether models remember what users say of themselves; `all`: health and the like, too. Clients do not see it. */
  memory: boolean | 'all';
  /** Whether clients of live sessions may give a model instructions, earlier conversations and functions. */
  clientContext: boolean;
}

export const DEFAULT_SETTINGS: Settings = {
  chat_types: [...CHAT_TYPES],
  messageTimeoutSeconds: 30,
  stopSpeakingTimeoutSeconds: 2,
  vadEnabled: true,
  voiceModeSelector: true,
  greet: false,
  retentionDays: 0,
  unansweredQuestions: false,
  tokensPerUserAndDay: 0,
  memory: false,
  clientContext: false,
};

/**
 * How an avatar sounds: a voice name for each kind of speaker, and factors of speed and pitch. Never shown to clients.
 */
export interface Voice {
  names?: Record<string, string>;
  /** Chooses among installed voices. */
  gender?: 'female' | 'male';
  /** How words are to be read, by how they are written. */
  pronounce?: Record<string, string>;
  rate?: number;
  pitch?: number;
}

/** URLs are absolute, or paths under `/assets/` of this service. */
export interface Avatar {
  _id: string;
  name: string;
  /** For every language that `greetings` lacks. */
  greetingText: string;
  /** By language code. */
  greetings?: Record<string, string>;
  /** Suggested first questions, by language code. */
  suggestions?: Record<string, string[]>;
  hasLiveMode: boolean;
  previewIcons: { small: string; medium: string; large: string };
  startButtonIcon: string;
  idleVideo: string;
  engine: KindEntry;
  /** Whether the scripts answer words of danger before the engine is asked; by default if a model answers. */
  care?: boolean;
  voice?: Voice;
  /** Names of the knowledge bases that it answers from; never shown to clients. */
  knowledge?: string[];
}

export interface Language {
  name: string;
  language_code: string;
  icon_url: string;
}

export interface Project {
  project_id: string;
  /** `open`: anyone gets a token; `verified`: the project's own server verifies each user; `closed`: `POST /jwt` issues none. */
  token_policy: 'open' | 'verified' | 'closed';
  /** Identity provider whose tokens are accepted besides the service's own. */
  identity?: IdentityEntry;
  /** The secret with which a project signs its users' identifiers. */
  key: string;
  /** Former keys that are still valid. */
  previous_keys?: PreviousSecret[];
  /** Seed of the webhook secrets, if not the key. */
  webhook_key?: string;
  /** Webhook secrets by webhook name, if not the derived ones. */
  webhook_secrets?: Record<string, WebhookSecret>;
  /**
   * Distinguishes projects that had the same identifier at different times, and the times before and after a project
   * was open. Tokens carry it; a token with another epoch is invalid.
   */
  epoch: string;
  /** Identifiers of its avatars, in order. */
  avatars: string[];
  /** Codes of its languages, in order. */
  languages: string[];
  settings: Settings;
  /** Speaker of its avatars and transcriber of its users' speech; never shown to clients. */
  speech?: { speaker?: KindEntry; transcriber?: KindEntry };
  /** Whether answers to turns of the type `video` are videos; by default only outside production. */
  video?: VideoSettings;
  /** Whether people may take conversations over. */
  handover?: HandoverSettings;
  /** Prepared texts of its operators, who see them in this order; at most 100. Clients do not see them. */
  replies?: PreparedReply[];
  webhooks?: Webhook[];
  /** Server of embeddings for the knowledge bases; never shown to clients. */
  embeddings?: Embeddings;
  /** Where tools of its avatars come from; never shown to clients. */
  tool_servers?: ToolServer[];
  webhook_tools?: WebhookTool[];
}

/** A server of the Model Context Protocol over streamable HTTP: its tools are `NAME.TOOL` in an avatar's `tools`. */
export interface ToolServer {
  /** Lower-case letters, digits and `_`; unique among the project's servers and webhook tools. */
  name: string;
  url: string;
  /** The name of the environment variable with its token, or with the whole header. */
  authorization_env?: string;
  /** The only tools that avatars may have; omitted: all. */
  allow?: string[];
}

/** A tool that is a signed request to a server of the operator's. */
export interface WebhookTool {
  /** As for a tool server. */
  name: string;
  /** Tells the model when to call it. */
  description: string;
  /** JSON Schema of the arguments, which are an object. */
  parameters: Record<string, unknown>;
  url: string;
  /** The name of the environment variable with its secrets; omitted: a derived secret. */
  secret_env?: string;
}

/** A model for embeddings on a server with OpenAI's API. */
export interface Embeddings {
  base_url: string;
  model: string;
  /** The name of the environment variable that holds the key. */
  api_key_env?: string;
}

/**
 * An identity provider: the configuration of its verifier, whose name is `kind`. The issuer and the audience of a token
 * select the project, so they must be unique to it.
 */
export type IdentityEntry = KindEntry & { readonly issuer?: string; readonly audience?: string };

/** The videos of a project. */
export interface VideoSettings {
  enabled?: boolean;
  /** Width and height in pixels; 480 by default. */
  size?: 480 | 640;
}

/** How conversations are handed over to people. */
export interface HandoverSettings {
  enabled: boolean;
  /** What the avatar says to users who wait for a person; 1–2,000 characters. */
  message?: string;
  /** After how many minutes without a message of the person the avatar answers again; 30 by default. */
  timeoutMinutes?: number;
  /** After how many minutes of waiting the avatar answers again; 30 by default. */
  waitingMinutes?: number;
}

/** A text that operators send often. */
export interface PreparedReply {
  /** 1–100 characters; unique in its project. */
  name: string;
  /** 1–2,000 characters. */
  text: string;
}

/** A former secret. */
export interface PreviousSecret {
  secret: string;
  /** When it expires, in Unix time in milliseconds. */
  until: number;
}

export interface WebhookSecret {
  secret: string;
  previous: PreviousSecret;
}

/** Private fields of a project: in no catalogue file, and not copied to other projects. */
const PROJECT_SECRETS = ['key', 'previous_keys', 'webhook_key', 'webhook_secrets', 'epoch'] as const;
export type ProjectSecretName = (typeof PROJECT_SECRETS)[number];

/** A project without its private fields. */
export function withoutSecrets<P extends Partial<Project>>(project: P): Omit<P, ProjectSecretName> {
  const secrets: readonly string[] = PROJECT_SECRETS;
  return Object.fromEntries(Object.entries(project).filter(([name]) => !secrets.includes(name))) as Omit<
    P,
    ProjectSecretName
  >;
}

/** The complete configuration, as stored. */
export interface Catalogue {
  avatars: Avatar[];
  languages: Language[];
  projects: Project[];
}

/** A project of a change: new projects get a key and an epoch, existing ones keep theirs. */
export type ProjectChange = Omit<Project, ProjectSecretName>;

/** Parts of a project that are removed if a change leaves them out. */
export const PROJECT_PARTS = [
  'identity',
  'speech',
  'video',
  'handover',
  'replies',
  'webhooks',
  'embeddings',
  'tool_servers',
  'webhook_tools',
] as const satisfies readonly (keyof ProjectChange)[];

export interface CatalogueChange {
  avatars: Avatar[];
  languages: Language[];
  projects: ProjectChange[];
}

/** A project, resolved with its avatars and languages. */
export interface ResolvedProject {
  project: Project;
  avatars: readonly Avatar[];
  languages: readonly Language[];
}

/** Each project by its id, with its avatars and languages. */
export function resolveProjects({ avatars, languages, projects }: Catalogue): ReadonlyMap<string, ResolvedProject> {
  const avatarsById = new Map<string, Avatar>(avatars.map((avatar) => [avatar._id, avatar]));
  const languagesByCode = new Map<string, Language>(languages.map((language) => [language.language_code, language]));
  return new Map(
    projects.map((project) => [
      project.project_id,
      {
        project,
        avatars: project.avatars.flatMap((id) => avatarsById.get(id) ?? []),
        languages: project.languages.flatMap((code) => languagesByCode.get(code) ?? []),
      },
    ]),
  );
}
