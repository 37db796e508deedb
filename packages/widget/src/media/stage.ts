import type { TurnClient, AvatarInfo, SpokenSentence } from 'avatar-chat-client';
import { type Mouth, MouthTimes } from '../../../media/src/face/index.js';
import { soundOf } from './saved-videos.js';
import { h } from '../core/dom.js';
import { PlaybackError } from '../core/error-text.js';
import { picture } from './picture.js';
import { Portrait } from './portrait.js';
import { Player } from './player.js';
import { browsFor } from './tone.js';

/** The levels at which a mouth without phonemes opens, and opens wide. */
const OPEN_LEVEL = 0.03;
const WIDE_LEVEL = 0.12;

/** The avatar's voice in a live conversation. */
export interface Sound {
  /** The mouth shape of now. */
  mouth(): Mouth;
  /** The sentence of now. */
  sentence(): string | undefined;
}

/** The avatar: its idle video, replaced by a portrait with a moving mouth while it speaks. */
export class Stage {
  readonly element: HTMLElement;
  readonly player = new Player();
  private readonly still = matchMedia('(prefers-reduced-motion: reduce)').matches;
  private readonly video: HTMLVideoElement;
  private portrait?: Portrait;
  /** The mouth shapes of the current recording; undefined if its phonemes are unknown. */
  private mouths?: MouthTimes;
  private live?: Sound;
  /** The sentence of a live answer that has begun. */
  private sentence?: string;
  /** How far the brows are raised, by the tone of the current sentence. */
  private brows = 0;
  private frame = 0;
  private isPaused = false;

  /**
   * @param changed called with whether the avatar speaks
   * @param says called with each sentence as it starts
   */
  constructor(
    avatar: AvatarInfo,
    private readonly client: TurnClient,
    private readonly changed: (speaking: boolean) => void,
    private readonly says: (text: string) => void,
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
      picture(avatar.previewIcons.large, 'person'),
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
      if (!this.still && !this.isPaused) this.frame ||= requestAnimationFrame(this.move);
    });
  }

  /**
   * Plays a recording. If it is an answer, the avatar moves its mouth.
   *
   * @throws PlaybackError
   */
  async play(recording: string | Blob, mine: boolean): Promise<void> {
    this.stop();
    this.mouths = undefined;
    let sound = recording;
    if (!mine && typeof recording === 'string') {
      sound = soundOf(recording);
      void this.client.speech(recording).then(
        ({ phonemes }) => (this.mouths = this.timesOf(phonemes)),
        () => undefined,
      );
    }
    try {
      await this.player.play(sound, () => this.show(!mine));
    } catch (error) {
      // Stopped while it was loading.
      if ((error as Error).name !== 'AbortError') throw new PlaybackError();
    } finally {
      if (!this.player.playing) this.show(false);
    }
  }

  /** Queues a sentence of an answer. */
  async queueSentence({
    url,
    phonemes,
    text,
  }: Pick<SpokenSentence, 'url' | 'phonemes'> & { text?: string }): Promise<void> {
    const began = () => {
      this.mouths = this.timesOf(phonemes);
      this.begin(text);
    };
    await this.player.append(url, began).catch(() => undefined);
    if (!this.player.playing) this.show(false);
  }

  /** Starts or stops the mouth of a live answer. */
  follow(sound: Sound | undefined): void {
    this.live = sound;
    this.sentence = undefined;
    this.show(this.player.playing);
  }

  stop(): void {
    this.player.stop();
    this.show(false);
  }

  /** Stops all motion while the panel is closed. */
  pause(): void {
    this.stop();
    this.isPaused = true;
    cancelAnimationFrame(this.frame);
    this.frame = 0;
    this.video.pause();
  }

  resume(): void {
    this.isPaused = false;
    if (this.still) return;
    void this.video.play().catch(() => undefined);
    if (this.portrait) this.frame ||= requestAnimationFrame(this.move);
  }

  /** A sentence begins to sound, with the facial expression for its tone. */
  private begin(text = ''): void {
    this.brows = browsFor(text);
    this.show(true);
    this.says(text);
  }

  private show(plays: boolean): void {
    const speaking = plays || this.live !== undefined;
    if (this.element.classList.toggle('speaking', speaking)) this.frame ||= requestAnimationFrame(this.move);
    else this.portrait?.see([{ mouth: 'rest', opacity: 1 }]);
    if (!speaking) this.brows = 0;
    this.changed(speaking);
  }

  private readonly move = (): void => {
    const speaking = this.element.classList.contains('speaking');
    const sentence = this.live?.sentence();
    if (sentence !== undefined && sentence !== this.sentence) this.begin((this.sentence = sentence));
    if (this.portrait) {
      const now = performance.now() / 1000;
      if (!this.still) {
        this.portrait.pose(now);
        this.portrait.raise(this.brows);
      }
      if (speaking && this.mouths && !this.live) this.portrait.see(this.mouths.seenAt(this.player.position));
      else if (speaking) this.portrait.turn(this.mouthNow(), now);
    }
    this.frame = this.still && !speaking ? 0 : requestAnimationFrame(this.move);
  };

  private timesOf(phonemes: SpokenSentence['phonemes']): MouthTimes | undefined {
    return phonemes.length > 0 ? new MouthTimes(phonemes, this.portrait?.has) : undefined;
  }

  private mouthNow(): Mouth {
    if (this.live) return this.live.mouth();
    const { level } = this.player;
    return level > WIDE_LEVEL ? 'open-wide' : level > OPEN_LEVEL ? 'open-small' : 'closed';
  }
}
