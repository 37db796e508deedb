import {
  type TranscriptionEvent,
  type TranscriptionStream,
  type TranscriptionOptions,
  LIVE_RATE,
  CommitStream,
  type ProcessStream,
  SAMPLE_RATE,
  type UtteranceRecording,
  UtteranceTranscripts,
} from 'avatar-chat-media';
import { ModelStore, installedSilero, installedTurnModel } from 'avatar-chat-model-files';
import type { LoggerOf, PartLogger } from 'avatar-chat-runtime';
import type { OfflineTranscriber } from './offline.transcriber.js';
import type { Recognition } from './recognition.js';
import type { SpeechEntry } from './speaker.js';

const DETECTION = 'speech detection';

/** By how eagerly turns are to end: the longest silence within one, and the certainty with which it ends at once. */
const EAGERNESS = { low: [8000, 0.95], medium: [4000, 0.9], high: [2000, 0.5], auto: [4000, 0.9] } as const;

/** Creates streams for live speech. */
export class TranscriptionStreams {
  private readonly logger: PartLogger;
  private hasWarned = false;
  private hasWarnedOfMeaning = false;

  constructor(
    private readonly models: ModelStore,
    private readonly recognition: Recognition,
    loggerOf: LoggerOf,
  ) {
    this.logger = loggerOf('Speech');
  }

  /** With a local model, which provides partial transcripts. @returns undefined if it cannot be used */
  async openLocal(
    transcriber: OfflineTranscriber,
    entry: SpeechEntry,
    options: TranscriptionOptions,
    hear: (heard: TranscriptionEvent) => void,
  ): Promise<TranscriptionStream | undefined> {
    if (!transcriber.understands(entry, options.language_code)) return undefined;
    const model = await transcriber.modelOf(entry, options.language_code);
    if (!model) return undefined;
    let isUnderstood = true;
    const meaning = await this.meaning();
    const stream = this.recognition.listen(model.name, model.files, meaning(options), (heard) => {
      if (heard.event === 'sound') return;
      if (!isUnderstood && heard.event === 'partial') return;
      hear(!isUnderstood && heard.event === 'final' ? { ...heard, text: undefined } : heard);
    });
    return (
      stream &&
      withConfigure(stream, (changed) => {
        isUnderstood = transcriber.understands(entry, changed.language_code);
        stream.configure(meaning(changed));
      })
    );
  }

  /** With any transcriber, which gets each utterance as a recording. */
  async openBuffered(
    transcribe: (recording: UtteranceRecording) => Promise<string | undefined>,
    options: TranscriptionOptions,
    hear: (heard: TranscriptionEvent) => void,
  ): Promise<TranscriptionStream> {
    let { language_code } = options;
    const transcripts = new UtteranceTranscripts(transcribe, hear);
    const silero = await installedSilero(this.models);
    const meaning = await this.meaning();
    const detecting =
      silero &&
      this.recognition.listen(DETECTION, { silero }, meaning(options), (heard) => {
        if (heard.event !== 'sound') return hear(heard);
        transcripts.add(heard.utterance, Int16Array.from(heard.sound, toSixteenBits), SAMPLE_RATE, language_code);
      });
    if (!detecting) this.warnOnce();
    const stream: TranscriptionStream =
      detecting ||
      new CommitStream(hear, (utterance, sound) => transcripts.add(utterance, sound, LIVE_RATE, language_code));
    return {
      ...withConfigure(stream, (changed) => {
        ({ language_code } = changed);
        stream.configure(meaning(changed));
      }),
      close: () => {
        stream.close();
        transcripts.close();
      },
    };
  }

  /** Whether turns can end by their meaning. */
  async canJudge(): Promise<boolean> {
    return (await installedTurnModel(this.models)) !== undefined;
  }

  /** Adds the model of meaning to the options of streams that are to use it. */
  private async meaning(): Promise<(options: TranscriptionOptions) => TranscriptionOptions> {
    const model = await installedTurnModel(this.models);
    return (options) => {
      const { detection, language_code } = options;
      if (detection?.type !== 'semantic_vad') return options;
      const [limit_ms, certainty] = EAGERNESS[detection.eagerness ?? 'auto'];
      const meaning = model && { ...model, certainty, limit_ms, language_code };
      if (meaning) return { ...options, detection: { ...detection, meaning } };
      if (!this.hasWarnedOfMeaning)
        this.logger.warn(
          'Turns end by silence instead of their meaning: smart-turn-v3 is missing or altered; "npm run cli -- speech install smart-turn-v3" installs it',
        );
      this.hasWarnedOfMeaning = true;
      return options;
    };
  }

  private warnOnce(): void {
    if (this.hasWarned) return;
    this.hasWarned = true;
    this.logger.warn(
      'The ends of turns are not detected in live speech, for the model or the optional packages are not installed; ' +
        '"npm run cli -- speech install" installs the model',
    );
  }
}

function withConfigure(
  stream: TranscriptionStream | ProcessStream,
  configure: TranscriptionStream['configure'],
): TranscriptionStream {
  return {
    push: (samples) => stream.push(samples),
    configure,
    commit: () => stream.commit(),
    clear: () => stream.clear(),
    close: () => stream.close(),
  };
}

function toSixteenBits(sample: number): number {
  return Math.max(-32_768, Math.min(32_767, Math.round(sample * 32_768)));
}
