import type { AvatarChat, AvatarInfo, PhonemeDetails, SpokenSentence } from 'avatar-chat-client';
import { h } from './dom.js';
import { picture } from './picture.js';
import { type Mouth, mouthFor, Portrait } from './portrait.js';
import { Player } from './player.js';

/** How loud it must be for a mouth that knows no sounds to open, and to open wide. */
const OPEN = 0.03;
const WIDE = 0.12;
/** Sounds closer to each other than this, in seconds, have no pause between them. */
const PAUSE = 0.09;

/** The avatar: its idle video, which gives way to a portrait whose mouth moves while it speaks. */
export class Stage {
  readonly element: HTMLElement;
  readonly player = new Player();
  private readonly still = matchMedia('(prefers-reduced-motion: reduce)').matches;
  private readonly video: HTMLVideoElement;
  private portrait?: Portrait;
  private phonemes: PhonemeDetails[] = [];
  private frame = 0;

  constructor(
    avatar: AvatarInfo,
    private readonly client: AvatarChat,
    private readonly changed: (speaking: boolean) => void,
  ) {
    this.video = h('video', {
      src: avatar.idleVideo,
      muted: true,
      loop: true,
      playsInline: true,
      autoplay: !this.still,
      tabIndex: -1,
      'aria-hidden': 'true',
    });
    this.element = h(
      'div',
      { class: 'stage', role: 'img', 'aria-label': avatar.name },
      picture(avatar.previewIcons.large, ''),
      this.video,
    );
    const playing = () => this.element.classList.toggle('has-video', !this.video.error && !this.still);
    this.video.addEventListener('playing', playing);
    this.video.addEventListener('error', playing);
    void Portrait.beside(avatar.idleVideo).then((portrait) => {
      if (!portrait) return;
      this.portrait = portrait;
      portrait.svg.setAttribute('class', 'portrait');
      this.element.append(portrait.svg);
      this.element.classList.add('has-portrait');
      if (!this.still) this.frame = requestAnimationFrame(this.move);
    });
  }

  /** Plays a recording; an answer of the avatar moves its mouth. */
  async play(recording: string | Blob, mine: boolean): Promise<void> {
    this.stop();
    this.phonemes = [];
    if (!mine && typeof recording === 'string') {
      void this.client.speech(recording).then(
        ({ phonemes }) => (this.phonemes = phonemes),
        () => undefined,
      );
    }
    await this.player.play(recording, () => this.show(!mine)).catch(() => undefined);
    if (!this.player.playing) this.show(false);
  }

  /** Says a sentence of an answer, after those before it. */
  async say({ url, phonemes }: Pick<SpokenSentence, 'url' | 'phonemes'>): Promise<void> {
    const began = () => {
      this.phonemes = phonemes;
      this.show(true);
    };
    await this.player.append(url, began).catch(() => undefined);
    if (!this.player.playing) this.show(false);
  }

  stop(): void {
    this.player.stop();
    this.show(false);
  }

  close(): void {
    this.stop();
    cancelAnimationFrame(this.frame);
    this.video.pause();
  }

  private show(speaking: boolean): void {
    if (this.element.classList.toggle('speaking', speaking)) this.frame ||= requestAnimationFrame(this.move);
    else if (this.portrait) this.portrait.mouth = 'rest';
    this.changed(speaking);
  }

  private readonly move = (): void => {
    const speaking = this.element.classList.contains('speaking');
    if (this.portrait) {
      if (!this.still) this.portrait.pose(performance.now() / 1000);
      if (speaking) this.portrait.mouth = this.mouthNow();
    }
    this.frame = this.still && !speaking ? 0 : requestAnimationFrame(this.move);
  };

  private mouthNow(): Mouth {
    const { position, level } = this.player;
    if (this.phonemes.length === 0) return level > WIDE ? 'open-wide' : level > OPEN ? 'open-small' : 'closed';
    const now = this.phonemes.findLast(({ start }) => start <= position);
    return now && position < now.end + PAUSE ? mouthFor(now.phoneme) : 'rest';
  }
}
