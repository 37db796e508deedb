import { Injectable } from '@nestjs/common';
import { ErasureFences } from '../../erasure/index.js';
import { type AnswerPiece, RETRACT } from 'avatar-chat-models';
import { isDatabaseUnavailable } from '../../platform/database/index.js';
import { describeError, loggerOf } from '../../platform/logging/index.js';
import { FileService, FileUrls } from '../../files/index.js';
import { VideoAnswers } from '../../video/index.js';
import { joinMp3, Sentences, SPOKEN_LIMIT, spokenText, toMilliseconds, type Speech } from 'avatar-chat-media';
import { Usage } from '../../quality/index.js';
import { SpeechService } from '../../speech/index.js';
import type { BegunTurn } from './turn.answer.js';
import type { SpokenSentence } from './turn.dto.js';

/** Speaks answers: the whole answer as a file, and its sentences one by one while the engine still produces it. */
@Injectable()
export class TurnSpeech {
  private readonly logger = loggerOf(TurnSpeech.name);

  constructor(
    private readonly speech: SpeechService,
    private readonly files: FileService,
    private readonly urls: FileUrls,
    private readonly fences: ErasureFences,
    private readonly usage: Usage,
    private readonly videos: VideoAnswers,
  ) {}

  /** The recording of a complete answer. @returns the identifier of a file; undefined if the turn has no audio */
  async whole(begun: BegunTurn, answer: string, signal: AbortSignal): Promise<string | undefined> {
    if (begun.outgoing.chat_type === 'text' || signal.aborted) return undefined;
    const speech = await this.speak(begun, answer, signal);
    return speech && this.keep(begun, speech);
  }

  /** Speaks the sentences of an answer in progress; undefined if the turn has no audio. */
  stream(begun: BegunTurn, signal: AbortSignal): StreamedSpeech | undefined {
    if (begun.outgoing.chat_type === 'text') return undefined;
    const { language_code } = begun.outgoing;
    this.speech.prepare(begun.project.speech, { language_code, voice: begun.avatar.voice });
    const saved: string[] = [];
    return new StreamedSpeech(begun.outgoing.language_code, {
      speak: (text) => this.speak(begun, text, signal),
      save: async (speech) => {
        const file_id = await this.save(begun, speech);
        if (file_id === undefined) return undefined;
        saved.push(file_id);
        // A file that no message refers to is swept after a day; a file of an erased user must not stay that long.
        await this.fences.assertNotErased(begun.owner, begun.fence).catch(async (gone: unknown) => {
          await this.files.remove([file_id]).catch(() => undefined);
          throw gone;
        });
        return this.urls.sign(file_id);
      },
      keep: (speech) => this.keep(begun, speech),
      discard: () => this.files.remove(saved),
    });
  }

  private async speak(
    { holders, project, avatar: { voice }, outgoing: { language_code }, usedBy }: BegunTurn,
    text: string,
    signal: AbortSignal,
  ): Promise<Speech | undefined> {
    const speech = await this.speech.speak(project.speech, { text, language_code, voice, signal, holders });
    if (speech) this.usage.count(usedBy, { seconds_spoken: speech.seconds });
    return speech;
  }

  /** The whole answer: a video unless rendering fails. */
  private async keep(begun: BegunTurn, speech: Omit<Speech, 'content_type'>): Promise<string | undefined> {
    const { owner, project, avatar, outgoing } = begun;
    const file_id = await this.save(begun, speech);
    if (file_id !== undefined && outgoing.chat_type === 'video')
      await this.videos.add(owner, project, avatar._id, file_id);
    return file_id;
  }

  /** @returns undefined if it cannot be stored: an answer without audio is still an answer */
  private async save(
    { owner }: BegunTurn,
    { audio, seconds, phonemes }: Omit<Speech, 'content_type'>,
  ): Promise<string | undefined> {
    try {
      return (await this.files.save(owner, [audio], { seconds, phonemes })).file_id;
    } catch (error) {
      if (isDatabaseUnavailable(error)) throw error;
      this.logger.error({ ...describeError(error) });
      return undefined;
    }
  }
}

interface Saving {
  speak(text: string): Promise<Speech | undefined>;
  /** @returns a URL; undefined if it could not be stored */
  save(speech: Speech): Promise<string | undefined>;
  /** @returns the identifier of a file; undefined if it could not be stored */
  keep(speech: Omit<Speech, 'content_type'>): Promise<string | undefined>;
  /** Removes saved files. */
  discard(): Promise<unknown>;
}

/** An answer that is spoken sentence by sentence while it is produced. */
export class StreamedSpeech {
  private sentences: Sentences;
  private waiting: string[] = [];
  private spoken: { speech: Speech; start: number }[] = [];
  /** Seconds spoken so far. */
  private seconds = 0;
  private characters = 0;
  private ended = false;
  private failed = false;
  private wake: () => void = () => undefined;

  constructor(
    private readonly language_code: string,
    private readonly saving: Saving,
  ) {
    this.sentences = new Sentences(language_code);
  }

  /** A retracted answer starts again: its sentences are not part of the whole. */
  push(piece: AnswerPiece): void {
    if (piece !== RETRACT) return this.add(this.sentences.push(piece));
    this.sentences = new Sentences(this.language_code);
    [this.waiting, this.spoken, this.seconds, this.characters] = [[], [], 0, 0];
  }

  /** The answer is complete. */
  end(): void {
    this.add(this.sentences.flush());
    this.ended = true;
    this.wake();
  }

  /** The sentences, each as soon as it is spoken. Ends after {@link end}, or at the first sentence that fails. */
  async *events(): AsyncGenerator<SpokenSentence, void> {
    for (;;) {
      const text = this.waiting.shift();
      if (text === undefined) {
        if (this.ended) return;
        await new Promise<void>((resolve) => (this.wake = resolve));
        continue;
      }
      const answer = this.spoken;
      const speech = await this.saving.speak(text);
      if (answer !== this.spoken) continue;
      if (!speech) {
        this.failed = true;
        return;
      }
      const [index, start, { seconds, phonemes }] = [this.spoken.length, this.seconds, speech];
      this.spoken.push({ speech, start });
      this.seconds = toMilliseconds(start + seconds);
      const url = await this.saving.save(speech);
      if (url === undefined) {
        this.failed = true;
        return;
      }
      yield { index, text: text.trim(), url, seconds, start, phonemes: [...phonemes] };
    }
  }

  /** All sentences as one file. @returns its identifier; undefined if not all of them were spoken */
  async whole(): Promise<string | undefined> {
    if (this.failed || !this.ended || this.waiting.length > 0 || this.spoken.length === 0) return undefined;
    const phonemes = this.spoken.flatMap(({ speech, start: offset }) =>
      speech.phonemes.map(({ phoneme, start, end }) => ({
        phoneme,
        start: toMilliseconds(offset + start),
        end: toMilliseconds(offset + end),
      })),
    );
    const audio = joinMp3(this.spoken.map(({ speech }) => speech.audio));
    return this.saving.keep({ audio, seconds: this.seconds, phonemes });
  }

  /** Removes the sentences of a user who has been erased. If this fails, a sweep removes them later. */
  async discard(): Promise<void> {
    await this.saving.discard().catch(() => undefined);
  }

  /** Sentences with speakable text, up to the longest speech. */
  private add(sentences: readonly string[]): void {
    for (const sentence of sentences) {
      const { length } = spokenText(sentence);
      if (length === 0) continue;
      // After a skipped sentence, all further ones are skipped too.
      this.characters += length;
      if (this.characters > SPOKEN_LIMIT) continue;
      this.waiting.push(sentence);
    }
    if (sentences.length > 0) this.wake();
  }
}
