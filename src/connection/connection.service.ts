import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { Owner } from '../auth/index.js';
import { type Avatar, CatalogueService, type Offer } from '../catalogue/index.js';
import { Clock, Config } from '../platform/config/index.js';
import { Events } from '../events/index.js';
import { PublicUrl } from '../platform/http/index.js';
import { failure } from '../platform/errors/index.js';
import type { AvatarInfo, ConnectionResponse } from './connection.dto.js';
import { SessionCap } from './session.cap.js';
import { SessionRepository } from './session.repository.js';

const SESSION_BYTES = 16;

@Injectable()
export class ConnectionService {
  private readonly made = new WeakMap<Offer, { base: string; text: string }>();

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
   * Opens a session and says what its project offers.
   *
   * @returns a {@link ConnectionResponse} as JSON text
   */
  async open(owner: Owner): Promise<string> {
    const offer = await this.catalogue.findOffer(owner.project_id);
    if (!offer) throw failure('service_unavailable');
    const session = randomBytes(SESSION_BYTES).toString('base64url');
    await this.sessions.insert(owner, session, new Date(this.clock.now() + this.config.jwtTtlSeconds * 1000));
    this.cap.count(owner);
    const { project_id, user_id } = owner;
    const event_id = await this.events.publish('session.started', { project_id, user_id, session });
    // Erased since it was stored: its entry may have come after those of the user were removed.
    if (event_id !== undefined && !(await this.sessions.isOpen(owner, session, new Date(this.clock.now()))))
      await this.events.retract(event_id);
    return `{"status":200,"session":"${session}",${this.text(offer)}`;
  }

  /** What follows the session, made once for each version of the catalogue. */
  private text(offer: Offer): string {
    const { base } = this.urls;
    let made = this.made.get(offer);
    if (made?.base !== base) {
      made = { base, text: JSON.stringify(this.describe(offer)).slice(1) };
      this.made.set(offer, made);
    }
    return made.text;
  }

  private describe({ project, avatars, languages }: Offer): Omit<ConnectionResponse, 'status' | 'session'> {
    const { chat_types, messageTimeoutSeconds, stopSpeakingTimeoutSeconds, vadEnabled, voiceModeSelector } =
      project.settings;
    return {
      avatars_info: avatars.map((avatar) => this.describeAvatar(avatar)),
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

  private describeAvatar({
    _id,
    name,
    greetingText,
    hasLiveMode,
    previewIcons,
    startButtonIcon,
    idleVideo,
  }: Avatar): AvatarInfo {
    const { small, medium, large } = previewIcons;
    return {
      _id,
      name,
      greetingText,
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
