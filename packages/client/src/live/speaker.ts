import type { LiveSession } from './session.js';

/** How much of an item has been heard. */
export interface Heard {
  item_id: string;
  ms: number;
}

/** The destination of the answers' audio. `SpeakerOutput` of `avatar-chat-client/audio` is the one for browsers. */
export interface Output {
  /** Called when playback starts, and when there is nothing left to play. */
  changed?: (sounds: boolean) => void;
  readonly sounds: boolean;
  /** How much has been heard of the current or last item. */
  readonly heard: Heard | undefined;
  /** Queues samples at 24 kHz. */
  play(item_id: string, samples: Int16Array): void;
  /** Silences the output immediately. */
  stop(): void;
  /** Lowers the volume while somebody speaks. */
  duck(quiet: boolean): void;
  close(): void;
}

/**
 * Plays the answers of a session. Lowers the volume while somebody speaks. When an answer is cancelled, stops and
 * reports to the service how much was heard.
 */
export class LiveSpeaker {
  private readonly unsubscribe: (() => void)[];
  /** Answers whose remaining audio is discarded. */
  private readonly silenced = new Set<string>();
  /** The answer of the latest audio, and whether all of it has arrived. */
  private last?: { item_id: string; response_id: string; isWhole: boolean };

  /** @param onCut called when an answer was cut off, with how much of it was heard */
  constructor(
    private readonly live: LiveSession,
    private readonly output: Output,
    private readonly onCut?: (heard: Heard) => void,
  ) {
    const louder = () => output.duck(false);
    this.unsubscribe = [
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

  /** How much has been heard of the current or last answer. */
  get heard(): Heard | undefined {
    return this.output.heard;
  }

  /** Stops the avatar immediately. */
  interrupt(): void {
    const { response } = this.live;
    if (response !== undefined) this.silenced.add(response);
    // Truncating it ends it, too; a cancellation before would have another text stored in between.
    const isTruncated = response !== undefined && this.last?.response_id === response;
    this.silence();
    if (!isTruncated) this.live.cancel();
  }

  close(): void {
    for (const end of this.unsubscribe) end();
    this.silence();
    this.output.close();
  }

  /** The user spoke over the rest of an answer that has been sent completely, which the service cannot stop. */
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

/** The samples of an audio `delta`. */
export function samplesOf(base64: string): Int16Array {
  const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  return new Int16Array(bytes.buffer, 0, bytes.length >> 1);
}
