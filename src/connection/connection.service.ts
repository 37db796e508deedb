import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { Owner } from '../auth/index.js';
import { type Avatar, greetingIn, type ResolvedProject } from 'avatar-chat-catalogue';
import { CatalogueService } from '../catalogue/index.js';
import { Clock, Config } from '../platform/config/index.js';
import { Events } from '../events/index.js';
import { PublicUrl } from '../platform/http/index.js';
import type { AvatarInfo, ConnectionResponse } from './connection.dto.js';
import { acceptedLanguage } from './accept-language.js';
import { SessionCap } from './session.cap.js';
import { SessionRepository } from './session.repository.js';

const SESSION_BYTES = 16;
/** Sessions whose random bytes are requested at a time: the call costs more than the bytes. */
const SESSIONS_AT_ONCE = 128;
/** `Accept-Language` headers whose language is cached per project, and the longest of them. */
const MAX_HEADERS = 100;
const MAX_HEADER_CHARACTERS = 200;

/** Cached for each version of a project. */
interface Prepared {
  readonly base: string;
  /** By language code. */
  readonly texts: Map<string | undefined, string>;
  /** By `Accept-Language` header. */
  readonly languages: Map<string, string | undefined>;
}

@Injectable()
export class ConnectionService {
  private random = Buffer.alloc(0);
  private readonly prepared = new WeakMap<ResolvedProject, Prepared>();

  constructor(
    private readonly sessions: SessionRepository,
    private readonly cap: SessionCap,
    private readonly catalogue: CatalogueService,
    private readonly events: Events,
    private readonly urls: PublicUrl,
    private readonly config: Config,
    private readonly clock: Clock,
  ) {}

  /**
   * Opens a session and returns what its project offers.
   *
   * @param header the `Accept-Language` header
   * @returns a {@link ConnectionResponse} as JSON text, and the language of its greetings, if the project has languages
   */
  async open(owner: Owner, header?: string): Promise<{ body: string; language_code?: string }> {
    const resolved = await this.catalogue.resolvedProject(owner.project_id);
    const session = this.randomSession();
    await this.sessions.insert(owner, session, new Date(this.clock.now() + this.config.jwtTtlSeconds * 1000));
    this.cap.count(owner);
    const { project_id, user_id } = owner;
    const event_id = await this.events.publish('session.started', { project_id, user_id, session });
    // The user was erased after the session was stored, possibly after the user's other sessions were removed.
    if (event_id !== undefined && !(await this.sessions.isOpen(owner, session, new Date(this.clock.now()))))
      await this.events.retract(event_id);
    const { text, language_code } = this.textFor(resolved, header);
    return { body: `{"status":200,"session":"${session}",${text}`, language_code };
  }

  /** Bytes are never reused. */
  private randomSession(): string {
    if (this.random.length === 0) this.random = randomBytes(SESSION_BYTES * SESSIONS_AT_ONCE);
    const bytes = this.random.subarray(0, SESSION_BYTES);
    this.random = this.random.subarray(SESSION_BYTES);
    return bytes.toString('base64url');
  }

  /** The part of the response after the session, cached for each catalogue version and language. */
  private textFor(resolved: ResolvedProject, header: string | undefined): { text: string; language_code?: string } {
    const { base } = this.urls;
    let prepared = this.prepared.get(resolved);
    if (prepared?.base !== base) {
      prepared = { base, texts: new Map(), languages: new Map() };
      this.prepared.set(resolved, prepared);
    }
    const language_code = languageFor(resolved, header, prepared.languages);
    let text = prepared.texts.get(language_code);
    if (text === undefined) {
      text = JSON.stringify(this.describe(resolved, language_code)).slice(1);
      prepared.texts.set(language_code, text);
    }
    return { text, language_code };
  }

  private describe(
    { project, avatars, languages }: ResolvedProject,
    language_code: string | undefined,
  ): Omit<ConnectionResponse, 'status' | 'session'> {
    const { chat_types, messageTimeoutSeconds, stopSpeakingTimeoutSeconds, vadEnabled, voiceModeSelector } =
      project.settings;
    return {
      avatars_info: avatars.map((avatar) => this.describeAvatar(avatar, language_code)),
      languages: languages.map(({ name, language_code, icon_url }) => ({
        name,
        language_code,
        icon_url: this.urls.absolute(icon_url),
      })),
      chat_types,
      messageTimeoutSeconds,
      stopSpeakingTimeoutSeconds,
      vadEnabled,
      voiceModeSelector,
    };
  }

  private describeAvatar(avatar: Avatar, language_code: string | undefined): AvatarInfo {
    const { _id, name, hasLiveMode, previewIcons, startButtonIcon, idleVideo } = avatar;
    const { small, medium, large } = previewIcons;
    return {
      _id,
      name,
      greetingText: greetingIn(avatar, language_code),
      hasLiveMode,
      previewIcons: {
        small: this.urls.absolute(small),
        medium: this.urls.absolute(medium),
        large: this.urls.absolute(large),
      },
      startButtonIcon: this.urls.absolute(startButtonIcon),
      idleVideo: this.urls.absolute(idleVideo),
    };
  }
}

function languageFor(
  { languages }: ResolvedProject,
  header = '',
  known: Map<string, string | undefined>,
): string | undefined {
  if (header === '' || known.has(header)) return known.get(header) ?? languages[0]?.language_code;
  const codes = languages.map(({ language_code }) => language_code);
  const language_code = acceptedLanguage(header, codes);
  if (known.size < MAX_HEADERS && header.length <= MAX_HEADER_CHARACTERS) known.set(header, language_code);
  return language_code;
}
