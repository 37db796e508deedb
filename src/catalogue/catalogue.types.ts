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
export const EVENT_TYPES = ['session.started', 'message.created', 'turn.failed', 'user.erased'] as const;
export type EventType = (typeof EVENT_TYPES)[number];

/** Where a project's events are sent. */
export interface Webhook {
  /** 1–64 lower-case letters, digits and hyphens; unique in its project. Its secret and its deliveries follow it. */
  name: string;
  /** `http` or `https`. May hold a secret in its path or query, so it is never logged. */
  url: string;
  /** Which events; all, where left out. */
  events?: EventType[];
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
}

export const DEFAULT_SETTINGS: Settings = {
  chat_types: [...CHAT_TYPES],
  messageTimeoutSeconds: 30,
  stopSpeakingTimeoutSeconds: 2,
  vadEnabled: true,
  voiceModeSelector: true,
  greet: false,
  retentionDays: 0,
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
  /** `open`: anyone gets a token; `verified`: the project's own server verifies each user. */
  token_policy: 'open' | 'verified';
  /** The secret under which a project verifies its users. */
  key: string;
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
  webhooks?: Webhook[];
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
