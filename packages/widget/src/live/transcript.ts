import type { Heard, LiveSession } from 'avatar-chat-client';

/** A piece of an answer's text, as the service sends it with its audio. */
interface Piece {
  from: number;
  to: number;
  /** When its first word sounds, in milliseconds of the answer's audio. */
  at?: number;
}

/** What a live answer says, sentence by sentence. */
export class Transcript {
  private readonly sentences = new Intl.Segmenter(undefined, { granularity: 'sentence' });
  private item_id?: string;
  private text = '';
  private pieces: Piece[] = [];
  private said?: { piece: Piece; sentence: string };

  constructor(live: Pick<LiveSession, 'on'>) {
    live.on('response.output_audio_transcript.delta', ({ item_id, delta }) => {
      if (this.item_id !== item_id) [this.text, this.pieces] = ['', []];
      this.item_id = item_id;
      const from = this.text.length;
      this.text += delta;
      this.pieces.push({ from, to: this.text.length });
    });
    live.on('response.audio_timestamp.delta', ({ item_id, audio_offset_ms }) => {
      const last = item_id === this.item_id ? this.pieces.at(-1) : undefined;
      if (last) last.at ??= audio_offset_ms;
    });
  }

  /**
   * The sentence that is heard. What the service says in one piece is never divided: it knows abbreviations.
   *
   * @param heard the playback position
   */
  at(heard: Heard | undefined): string | undefined {
    if (heard?.item_id !== this.item_id) return undefined;
    const piece = this.pieces.findLast(({ at = Infinity }) => at <= heard!.ms);
    if (piece && this.said?.piece !== piece) {
      const parts = [...this.sentences.segment(this.text)].filter(
        ({ index, segment }) => index < piece.to && index + segment.length > piece.from,
      );
      this.said = { piece, sentence: parts.map(({ segment }) => segment).join('') };
    }
    return piece && this.said?.sentence;
  }
}
