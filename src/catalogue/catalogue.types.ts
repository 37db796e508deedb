import type { KindEntry } from '../platform/kinds/index.js';

/** 1–64 ASCII letters, digits and hyphens. */
export const PROJECT_ID = /^[A-Za-z0-9-]{1,64}$/;

export const AVATAR_ID = /^[A-Za-z0-9_-]{1,128}$/;

/** A code of the form of BCP 47, such as `en` or `pt-BR`. */
export const LANGUAGE_CODE = /^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8}){0,4}$/;

/** The project of whoever names none. It always exists. */
export const DEFAULT_PROJECT = 'default';

export const CHAT_TYPES = ['text', 'voice', 'video'] as const;
export type ChatType = (typeof CHAT_TYPES)[number];

/** What other systems can hear of. */
export const EVENT_TYPES = [
  'session.started',
  'message.created',
  'message.rated',
  'turn.failed',
  'user.erased',
] as const;
export type EventType = (typeof EVENT_TYPES)[number];

/** What modules tell of: their name, a dot and what happened, such as `ratings.given`. */
export type ModuleEventType = `${string}.${string}`;
/** Not with the first word of an event of the service. */
export const MODULE_EVENT =
  /^(?!(?:session|message|messages|turn|user)\.)[a-z][a-z0-9_-]{0,31}\.[a-z][a-z0-9_.-]{0,63}$/;

export function isModuleEvent(type: string): type is ModuleEventType {
  return MODULE_EVENT.test(type);
}

/** Where a project's events are sent. */
export interface Webhook {
  /** 1–64 lower-case letters, digits and hyphens; unique in its project. Its secret and its deliveries follow it. */
  name: string;
  /** `http` or `https`. May hold a secret in its path or query, so it is never logged. */
  url: string;
  /** Which events, of modules too; all, where left out. */
  events?: (EventType | ModuleEventType)[];
  /** The name of the environment variable with its secrets; left out, it has one of its own. */
  secret_env?: string;
}

/** What a project sets for its clients. */
export interface Settings {
  chat_types: ChatType[];
  /** How long a client, and the service, wait for an answer. */
  messageTimeoutSeconds: number;
  /** After how long a silence a client takes the user's speech as ended. */
  stopSpeakingTimeoutSeconds: number;
  /** Whether clients find the ends of speech by voice activity detection. */
  vadEnabled: boolean;
  /** Whether clients show the voice mode selector. */
  voiceModeSelector: boolean;
  /** Whether an avatar's greeting is stored as its first message to a user. */
  greet: boolean;
  /** After how many days messages are removed; 0 keeps them for ever. */
  retentionDays: number;
  /** Whether operators see the most frequent questions that avatars have no answer to: what users say. */
  unansweredQuestions: boolean;
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
};

/** How an avatar sounds: a voice's name for each kind of speaker, and factors of speed and pitch. Never shown to clients. */
export interface Voice {
  names?: Record<string, string>;
  rate?: number;
  pitch?: number;
}

/** URLs are full, or paths under `/assets/` of this service. */
export interface Avatar {
  _id: string;
  name: string;
  /** In every language that `greetings` lacks. */
  greetingText: string;
  /** By language code. */
  greetings?: Record<string, string>;
  /** What a user may ask first, by language code. */
  suggestions?: Record<string, string[]>;
  hasLiveMode: boolean;
  previewIcons: { small: string; medium: string; large: string };
  startButtonIcon: string;
  idleVideo: string;
  engine: KindEntry;
  voice?: Voice;
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
  /** Whose tokens it takes besides the service's own. */
  identity?: IdentityEntry;
  /** The secret under which a project verifies its users. */
  key: string;
  /** Those that it had before, as long as they still verify. */
  previous_keys?: PreviousSecret[];
  /** What the secrets of webhooks are derived from, if not from the key. */
  webhook_key?: string;
  /** By the name of a webhook: its secret if it is not the derived one. */
  webhook_secrets?: Record<string, WebhookSecret>;
  /**
   * Names this project among those of its identifier, and the time since it was last open. Tokens carry it; those of
   * another one are not valid.
   */
  epoch: string;
  /** Identifiers of the avatars it offers, in order. */
  avatars: string[];
  /** Codes of the languages it offers, in order. */
  languages: string[];
  settings: Settings;
  /** Who speaks for its avatars and who writes down what its users say; never shown to clients. */
  speech?: { speaker?: KindEntry; transcriber?: KindEntry };
  /** Whether answers to turns of the type `video` are videos; left out, they are outside production. */
  video?: VideoSettings;
  webhooks?: Webhook[];
}

/**
 * An identity provider, in the words of its verifier, whose name is `kind`. The issuer and the audience of a token select
 * the project, so no two projects have the same.
 */
export type IdentityEntry = KindEntry & { readonly issuer?: string; readonly audience?: string };

/** The videos of a project. */
export interface VideoSettings {
  enabled?: boolean;
  /** Pixels across and down; 480 if left out. */
  size?: 480 | 640;
}

/** A secret that another one has replaced. */
export interface PreviousSecret {
  secret: string;
  /** When it ends, in Unix time in milliseconds. */
  until: number;
}

export interface WebhookSecret {
  secret: string;
  previous: PreviousSecret;
}

/** What a project keeps to itself: no catalogue file has it, and no other project gets it. */
export const PROJECT_SECRETS = ['key', 'previous_keys', 'webhook_key', 'webhook_secrets', 'epoch'] as const;
export type ProjectSecretName = (typeof PROJECT_SECRETS)[number];

/** A project without what it keeps to itself. */
export function withoutSecrets<P extends Partial<Project>>(project: P): Omit<P, ProjectSecretName> {
  const secrets: readonly string[] = PROJECT_SECRETS;
  return Object.fromEntries(Object.entries(project).filter(([name]) => !secrets.includes(name))) as Omit<
    P,
    ProjectSecretName
  >;
}

/** All there is to configure, as the database has it. */
export interface Catalogue {
  avatars: Avatar[];
  languages: Language[];
  projects: Project[];
}

/** What a project offers, resolved. */
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
