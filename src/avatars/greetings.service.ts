import { Injectable } from '@nestjs/common';
import { type Avatar, greetingIn, type Project } from 'avatar-chat-catalogue';
import { CatalogueService, chosenAvatar, chosenLanguage } from '../catalogue/index.js';
import type { Owner } from '../auth/index.js';
import { EngineRegistry } from '../engines/index.js';
import { MESSAGE_ID, MessageRepository } from '../messages/index.js';
import { FairShare } from 'avatar-chat-runtime';
import { failure } from '../platform/errors/index.js';
import { SpeechService } from '../speech/index.js';
import type { GreetingQuery, SpokenGreeting } from './greetings.dto.js';

/** Characters of audio that a process caches; the shipped catalogue takes about 2 million. */
const KEPT_CHARACTERS = 8_000_000;
/** Greetings synthesized at the same time, and messages; further ones are returned without audio. */
const MAX_PENDING = 32;

/** Speaks greetings. Each is synthesized once per text, language, voice and speaker, and cached in memory. */
@Injectable()
export class GreetingsService {
  /** Least recently used first. */
  private readonly kept = new Map<string, SpokenGreeting>();
  private readonly pending = new Map<string, Promise<SpokenGreeting>>();
  private readonly places = new FairShare(MAX_PENDING);
  private characters = 0;

  constructor(
    private readonly catalogue: CatalogueService,
    private readonly engines: EngineRegistry,
    private readonly speech: SpeechService,
    private readonly messages: MessageRepository,
  ) {}

  /** @throws ServiceError `avatar_not_found`, `invalid_language_code` */
  async speak(project_id: string, query: GreetingQuery): Promise<SpokenGreeting> {
    const resolved = await this.catalogue.resolvedProject(project_id);
    const avatar = chosenAvatar(resolved, query.avatar_id);
    const language_code = chosenLanguage(resolved, query.language_code);
    // A user who hears a greeting will probably reply to it.
    this.speech.prepareToListen(resolved.project.speech, language_code);
    const greeting = await this.greeting(resolved.project, avatar, language_code);
    // Deferred until the greeting is playing.
    void this.engines.prepare(avatar.engine, language_code);
    return greeting;
  }

  /**
   * @param holders who takes a share of the speaker: the user, then possibly the address
   * @param leaving aborted when the client leaves
   * @throws ServiceError `message_not_found`
   */
  async speakMessage(
    owner: Owner,
    message_id: string,
    holders: readonly string[],
    leaving: AbortController,
  ): Promise<SpokenGreeting> {
    const message = MESSAGE_ID.test(message_id) ? await this.messages.find(owner, message_id) : null;
    if (!message?.answer) throw failure('message_not_found');
    const { project, avatars } = await this.catalogue.resolvedProject(owner.project_id);
    const avatar = avatars.find(({ _id }) => _id === message.avatar_id);
    const release = avatar && this.places.acquire(holders, () => leaving.abort());
    if (!release) return silent(message.answer);
    const timer = setTimeout(() => leaving.abort(), project.settings.messageTimeoutSeconds * 1000).unref();
    // Not cached: it is for one user, who hears it once.
    try {
      return await this.synthesize(message.answer, message.language_code, avatar, project, holders, leaving.signal);
    } finally {
      clearTimeout(timer);
      release();
    }
  }

  private async greeting(project: Project, avatar: Avatar, language_code: string): Promise<SpokenGreeting> {
    const text = greetingIn(avatar, language_code);
    const key = JSON.stringify([text, language_code, avatar.voice, project.speech?.speaker]);
    const known = this.kept.get(key) ?? this.pending.get(key);
    if (known) {
      if (this.kept.delete(key)) this.kept.set(key, known as SpokenGreeting);
      return known;
    }
    if (this.pending.size >= MAX_PENDING) return silent(text);
    // Not aborted if the client leaves: other requests may wait for it, and the next visitor will need it.
    const signal = AbortSignal.timeout(project.settings.messageTimeoutSeconds * 1000);
    const pending = this.synthesize(text, language_code, avatar, project, [project.project_id], signal)
      .then((greeting) => this.keep(key, greeting))
      .finally(() => this.pending.delete(key));
    this.pending.set(key, pending);
    return pending;
  }

  private async synthesize(
    text: string,
    language_code: string,
    { voice }: Avatar,
    { speech: settings }: Project,
    holders: readonly string[],
    signal: AbortSignal,
  ): Promise<SpokenGreeting> {
    const speech = await this.speech.speak(settings, { text, language_code, voice, holders, signal });
    if (!speech) return silent(text);
    const { audio, content_type, seconds, phonemes } = speech;
    const url = `data:${content_type};base64,${Buffer.from(audio).toString('base64')}`;
    return { text, url, seconds, phonemes: [...phonemes] };
  }

  /** Failures are not cached, so that the next request tries again. */
  private keep(key: string, greeting: SpokenGreeting): SpokenGreeting {
    if (greeting.url === undefined) return greeting;
    this.kept.set(key, greeting);
    this.characters += greeting.url.length;
    for (const [oldest, { url }] of this.kept) {
      if (this.characters <= KEPT_CHARACTERS) break;
      this.kept.delete(oldest);
      this.characters -= url!.length;
    }
    return greeting;
  }
}

function silent(text: string): SpokenGreeting {
  return { text, seconds: 0, phonemes: [] };
}
