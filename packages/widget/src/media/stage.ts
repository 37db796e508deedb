import type { TurnClient, AvatarInfo, SpokenSentence } from 'avatar-chat-client';
import { type Mouth, MouthTimes } from '../../../video/src/face/index.js';
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
  private portrait?: Portrait | undefined;
  /** The mouth shapes of the current recording; undefined if its phonemes are unknown. */
  private mouths?: MouthTimes;
  private live?: Sound;
  /** The sentence of a live answer that has begun. */
  private sentence?: string;
  /** How far the brows are raised, by the tone of the current sentence. */
  private brows = 0;
  private frame = 0;
  /** Nothing moves but the mouth: always if the user prefers it. */
  private isPaused = this.still;

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
      // Its element is an image, whose content is not announced.
      tabIndex: -1,
    });
    this.element = h(
      'div',
      { class: 'stage', role: 'img', 'aria-label': avatar.name },
      picture(avatar.previewIcons.large, 'person'),
      this.video,
    );
    for (const event of ['playing', 'error'])
      this.video.addEventListener(event, () => this.showVideo(event === 'playing'));
    void Portrait.beside(avatar.idleVideo).then((portrait) => {
      this.portrait = portrait;
      if (!portrait) return;
      portrait.svg.classList.add('portrait');
      this.element.append(portrait.svg);
      this.element.classList.add('has-portrait');
      this.animate();
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
    this.isPaused = true;
    this.stop();
  }

  resume(): void {
    this.isPaused = this.still;
    this.show(false);
  }

  /** A sentence begins to sound, with the facial expression for its tone. */
  private begin(text = ''): void {
    this.brows = browsFor(text);
    this.show(true);
    this.says(text);
  }

  private show(plays: boolean): void {
    const speaking = plays || !!this.live;
    if (!this.element.classList.toggle('speaking', speaking)) this.portrait?.see([{ mouth: 'rest', opacity: 1 }]);
    this.animate();
    // It is hidden while a portrait speaks.
    if (this.isPaused || (speaking && this.portrait)) this.video.pause();
    else void this.video.play().catch(({ name }: Error) => name === 'NotAllowedError' && this.showVideo(false));
    if (!speaking) this.brows = 0;
    this.changed(speaking);
  }

  /** Over the portrait, which moves otherwise. */
  private showVideo(shown: boolean): void {
    this.element.classList.toggle('has-video', shown);
    this.animate();
  }

  /** Moves in the frame after the next: more than each second one is not seen. */
  private animate(): void {
    this.frame ||= requestAnimationFrame(() => requestAnimationFrame(this.move));
  }

  private readonly move = (): void => {
    this.frame = 0;
    const { portrait, isPaused, element } = this;
    const speaking = element.matches('.speaking');
    const sentence = this.live?.sentence();
    if (sentence && sentence !== this.sentence) this.begin((this.sentence = sentence));
    if (portrait) {
      const now = performance.now() / 1000;
      if (!isPaused) {
        portrait.pose(now);
        portrait.raise(this.brows);
      }
      if (speaking && this.mouths && !this.live) portrait.see(this.mouths.seenAt(this.player.position));
      else if (speaking) portrait.turn(this.mouthNow(), now);
    }
    // An idle video hides the portrait.
    if (speaking || (portrait && !isPaused && !element.matches('.has-video'))) this.animate();
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
