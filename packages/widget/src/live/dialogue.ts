import { AvatarChatError, type LiveSession } from 'avatar-chat-client';
import type { Entry } from '../history/conversation.js';

export interface DialogueListener {
  changed(entry: Entry): void;
  removed(entry: Entry): void;
  /** The complete answer. */
  answered(entry: Entry): void;
  /** An error that concerns the user. */
  failed(error: AvatarChatError): void;
}

/** A text of the user, and what to call when it was answered, or why it was not. */
interface Text {
  entry: Entry;
  endTurn(error?: AvatarChatError): void;
}

interface Answer {
  entry: Entry;
  /** What it answers. */
  texts: Text[];
  hasSound: boolean;
  words: { text: string; end: number }[];
}

/** Error codes to report. The others are mistakes of the widget, or have no consequences. */
const REPORTED_CODES = ['rate_limited', 'service_unavailable', 'answer_timeout', 'engine_failed'];

/** Both sides of a live session, as bubbles that grow. */
export class Dialogue {
  /** The user's utterances, by item. */
  private readonly heard = new Map<string, Entry>();
  /** Written texts that the service has not confirmed yet, by item. */
  private readonly written = new Map<string, Text>();
  /** Those of them that were sent through a connection that has been lost. */
  private unsure: Text[] = [];
  /** Confirmed texts whose answer has not begun. */
  private readonly asked = new Set<Text>();
  private readonly answers = new Map<string, Answer>();

  constructor(
    live: LiveSession,
    private readonly name: string,
    private readonly listener: DialogueListener,
  ) {
    live.on('conversation.item.input_audio_transcription.delta', ({ item_id, delta }) =>
      this.hear(item_id, (this.heard.get(item_id)?.text ?? '') + delta, 'speaking'),
    );
    live.on('conversation.item.input_audio_transcription.completed', ({ item_id, transcript }) =>
      this.hear(item_id, transcript, 'done'),
    );
    live.on('conversation.item.deleted', ({ item_id }) => {
      const entry = this.heard.get(item_id);
      if (entry) listener.removed(entry);
    });
    live.on('conversation.item.added', ({ item }) => {
      const text = this.written.get(item.id);
      if (!text) return;
      this.written.delete(item.id);
      this.asked.add(text);
      this.change(text.entry, 'done');
    });
    live.on('response.created', ({ response }) => {
      // A message that is shown already is only spoken.
      if (!response.metadata?.message_id) this.answers.set(response.id, this.newAnswer());
    });
    live.on('response.output_item.added', ({ response_id, item }) => {
      const answer = this.answers.get(response_id);
      if (!answer) return;
      answer.entry.id = item.id;
      this.answers.set(item.id, answer);
    });
    live.on('response.output_audio_transcript.delta', ({ item_id, delta }) => {
      const answer = this.answers.get(item_id);
      if (answer) this.change(answer.entry, 'speaking', answer.entry.text + delta);
    });
    live.on('response.output_audio.delta', ({ item_id }) => {
      const answer = this.answers.get(item_id);
      if (answer) answer.hasSound = true;
    });
    live.on('response.audio_timestamp.delta', ({ item_id, text, audio_offset_ms, audio_duration_ms }) =>
      this.answers.get(item_id)?.words.push({ text, end: audio_offset_ms + audio_duration_ms }),
    );
    live.on('conversation.item.truncated', ({ item_id, audio_end_ms }) => this.cut(item_id, audio_end_ms));
    live.on('response.done', ({ response }) => this.done(response.id, response.status, response.status_details?.error));
    live.on('error', ({ error: { code, message } }) => {
      if (!code || !REPORTED_CODES.includes(code)) return;
      const failure = new AvatarChatError(code, message);
      for (const { endTurn: settle } of this.asked) settle(failure);
      this.asked.clear();
      listener.failed(failure);
    });
    live.on('lost', () => {
      this.breakOff();
      this.unsure = [...this.written.values()];
    });
    live.on('session.created', () => this.fail(this.unsure));
    live.on('closed', () => this.close());
  }

  /** Whether an answer is pending or in progress. */
  get busy(): boolean {
    return [...this.answers.values()].some(({ entry: { state } }) => state === 'waiting' || state === 'speaking');
  }

  /**
   * Adds a text of the user.
   *
   * @param retry sends it again
   * @returns when its answer is complete or interrupted
   * @throws AvatarChatError
   */
  write(item_id: string, text: string, retry: () => void): Promise<void> {
    const entry: Entry = { mine: true, text, state: 'waiting' };
    entry.retry = () => {
      this.listener.removed(entry);
      retry();
    };
    this.listener.changed(entry);
    return new Promise((resolve, reject) => {
      this.written.set(item_id, { entry, endTurn: (error) => (error ? reject(error) : resolve()) });
    });
  }

  private hear(item_id: string, text: string, state: Entry['state']): void {
    if (!text.trim()) return;
    const entry = this.heard.get(item_id) ?? { mine: true, text, state };
    this.heard.set(item_id, entry);
    this.change(entry, state, text);
  }

  private newAnswer(): Answer {
    const entry: Entry = { mine: false, text: '', name: this.name, state: 'waiting' };
    this.listener.changed(entry);
    const texts = [...this.asked];
    this.asked.clear();
    return { entry, texts, hasSound: false, words: [] };
  }

  private done(id: string, status: string, error?: { code?: string; message?: string } | null): void {
    const answer = this.answers.get(id);
    if (!answer) return;
    const { entry, texts } = answer;
    if (status === 'completed') {
      for (const text of texts) text.endTurn();
      this.change(entry, 'done');
      this.listener.answered(entry);
    } else {
      const failure = new AvatarChatError(error?.code ?? 'engine_failed', error?.message ?? '');
      if (status === 'failed') {
        for (const text of texts) text.endTurn(failure);
        this.listener.failed(failure);
      }
      this.interrupt(answer, answer.hasSound ? entry.text : '');
    }
  }

  /** Shortens an answer to the part that was heard. */
  cut(item_id: string, milliseconds: number): void {
    const answer = this.answers.get(item_id);
    if (!answer || answer.words.every(({ end }) => end <= milliseconds)) return;
    const heard = answer.words.filter(({ end }) => end <= milliseconds);
    this.interrupt(
      answer,
      heard
        .map(({ text }) => text)
        .join('')
        .trim(),
    );
  }

  /** Removes an answer of which nothing was heard. */
  private interrupt({ entry, texts }: Answer, text: string): void {
    for (const { endTurn: settle } of texts) settle();
    Object.assign(entry, { state: 'interrupted', text });
    if (text) this.listener.changed(entry);
    else this.listener.removed(entry);
  }

  private breakOff(): void {
    for (const answer of this.answers.values()) {
      const { state } = answer.entry;
      if (state === 'waiting' || state === 'speaking') this.interrupt(answer, answer.hasSound ? answer.entry.text : '');
    }
    for (const entry of this.heard.values()) if (entry.state === 'speaking') this.listener.removed(entry);
  }

  private close(): void {
    this.breakOff();
    this.fail([...this.asked, ...this.written.values()]);
  }

  /** Lets the user retry texts that have not arrived, as far as is known. */
  private fail(texts: Iterable<Text>): void {
    for (const { entry, endTurn: settle } of texts) {
      const error = new AvatarChatError('network_error', '');
      settle(error);
      if (entry.state !== 'waiting') continue;
      entry.error = error;
      this.change(entry, 'failed');
    }
  }

  private change(entry: Entry | undefined, state: Entry['state'], text = entry?.text ?? ''): void {
    if (entry) this.listener.changed(Object.assign(entry, { state, text }));
  }
}
