import type { LiveSession } from './session.js';

/** How much has been heard of what. */
export interface Heard {
  item_id: string;
  ms: number;
}

/** Where the sound of answers goes; `SpeakerOutput` of `avatar-chat-client/audio` is that of browsers. */
export interface Output {
  /** Told when it begins to sound, and when there is nothing more to play. */
  changed?: (sounds: boolean) => void;
  readonly sounds: boolean;
  /** How much of what sounds, or sounded last, has been heard. */
  readonly heard: Heard | undefined;
  /** Plays 24,000 samples a second, after what plays. */
  play(item_id: string, samples: Int16Array): void;
  /** Silence, at once. */
  stop(): void;
  /** Plays more quietly, since somebody speaks. */
  duck(quiet: boolean): void;
  close(): void;
}

/**
 * Plays the answers of a session: quietly while somebody speaks, and not any more when an answer is cancelled; then it
 * tells the service how much was heard.
 */
export class LiveSpeaker {
  private readonly endings: (() => void)[];
  /** Answers of which nothing more is to be heard. */
  private readonly silenced = new Set<string>();
  /** The answer of which sound came last, and whether all of it has come. */
  private last?: { item_id: string; response_id: string; isWhole: boolean };

  /** @param onCut told of an answer of which no more is heard than so much */
  constructor(
    private readonly live: LiveSession,
    private readonly output: Output,
    private readonly onCut?: (heard: Heard) => void,
  ) {
    const louder = () => output.duck(false);
    this.endings = [
      live.on('response.output_audio.delta', ({ response_id, item_id, delta }) => {
        if (this.silenced.has(response_id)) return;
        if (this.last?.item_id !== item_id) this.last = { item_id, response_id, isWhole: false };
        output.play(item_id, samplesOf(delta));
      }),
      live.on('response.done', ({ response: { id, status } }) => {
        this.silenced.delete(id);
        if (this.last?.response_id !== id) return;
        this.last.isWhole = status !== 'cancelled';
        if (status === 'cancelled') this.silence();
      }),
      live.on('response.created', louder),
      live.on('input_audio_buffer.speech_started', () => output.sounds && output.duck(true)),
      live.on('conversation.item.deleted', louder),
      live.on('conversation.item.input_audio_transcription.delta', ({ delta }) => this.overheard(delta)),
      live.on('conversation.item.input_audio_transcription.completed', ({ transcript }) => {
        this.overheard(transcript);
        louder();
      }),
      live.on('lost', () => this.silence()),
      live.on('closed', () => this.close()),
    ];
  }

  /** Where in which answer the user is, or was last. */
  get heard(): Heard | undefined {
    return this.output.heard;
  }

  /** Stops the avatar, at once. */
  interrupt(): void {
    const { response } = this.live;
    if (response !== undefined) this.silenced.add(response);
    this.live.cancel();
    this.silence();
  }

  close(): void {
    for (const end of this.endings) end();
    this.silence();
    this.output.close();
  }

  /** Words over the end of an answer that the service has sent whole, and so does not stop itself. */
  private overheard(words: string): void {
    const { turn_detection } = this.live.info.audio.input;
    if (this.last?.isWhole && words.trim() && turn_detection?.interrupt_response !== false) this.silence();
  }

  private silence(): void {
    const { last, output } = this;
    const { sounds, heard } = output;
    this.last = undefined;
    output.stop();
    output.duck(false);
    if (!last || (last.isWhole && !sounds)) return;
    const { item_id } = last;
    const ms = heard?.item_id === item_id ? heard.ms : 0;
    this.live.truncate(item_id, ms);
    this.onCut?.({ item_id, ms });
  }
}

/** The samples of a `delta` of sound. */
export function samplesOf(base64: string): Int16Array {
  const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  return new Int16Array(bytes.buffer, 0, bytes.length >> 1);
}
