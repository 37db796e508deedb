import { Injectable } from '@nestjs/common';
import { ModelStore } from '../../models/index.js';
import type { Heard, Listener, ListenOptions } from '../listener.js';
import { LIVE_RATE } from '../sound.js';
import type { SpeechEntry } from '../speaker.js';
import { CommitListener } from './commit.listener.js';
import type { OfflineTranscriber } from './offline.transcriber.js';
import type { ProcessListener } from './process.listener.js';
import { Recognition } from './recognition.js';
import { installedSilero } from './silero.js';
import { SAMPLE_RATE } from './speech.spans.js';
import { type UtteranceRecording, WholeTranscripts } from './whole.transcripts.js';
import { loggerOf } from '../../platform/logging/index.js';

const DETECTION = 'speech detection';

/** Creates listeners for live speech. */
@Injectable()
export class Listening {
  private readonly logger = loggerOf('Speech');
  private hasWarned = false;

  constructor(
    private readonly models: ModelStore,
    private readonly recognition: Recognition,
  ) {}

  /** With a local model, which provides partial transcripts. @returns undefined if it cannot be used */
  async offline(
    transcriber: OfflineTranscriber,
    entry: SpeechEntry,
    options: ListenOptions,
    hear: (heard: Heard) => void,
  ): Promise<Listener | undefined> {
    if (!transcriber.understands(entry, options.language_code)) return undefined;
    const model = await transcriber.modelOf(entry);
    if (!model) return undefined;
    let isUnderstood = true;
    const listener = this.recognition.listen(model.name, model.files, options, (heard) => {
      if (heard.event === 'sound') return;
      if (isUnderstood || heard.event === 'started' || heard.event === 'stopped') hear(heard);
      else if (heard.event === 'final') hear({ ...heard, text: undefined });
    });
    return (
      listener &&
      withConfigure(listener, (changed) => {
        isUnderstood = transcriber.understands(entry, changed.language_code);
        listener.configure(changed);
      })
    );
  }

  /** With any transcriber, which gets each utterance as a recording. */
  async whole(
    transcribe: (recording: UtteranceRecording) => Promise<string | undefined>,
    options: ListenOptions,
    hear: (heard: Heard) => void,
  ): Promise<Listener> {
    let { language_code } = options;
    const transcripts = new WholeTranscripts(transcribe, hear);
    const silero = await installedSilero(this.models);
    const detecting =
      silero &&
      this.recognition.listen(DETECTION, { silero }, options, (heard) => {
        if (heard.event !== 'sound') return hear(heard);
        transcripts.add(heard.utterance, Int16Array.from(heard.sound, toSixteenBits), SAMPLE_RATE, language_code);
      });
    if (!detecting) this.warnOnce();
    const listener: Listener =
      detecting ||
      new CommitListener(hear, (utterance, sound) => transcripts.add(utterance, sound, LIVE_RATE, language_code));
    return {
      ...withConfigure(listener, (changed) => {
        ({ language_code } = changed);
        listener.configure(changed);
      }),
      close: () => {
        listener.close();
        transcripts.close();
      },
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

function withConfigure(listener: Listener | ProcessListener, configure: Listener['configure']): Listener {
  return {
    push: (samples) => listener.push(samples),
    configure,
    commit: () => listener.commit(),
    clear: () => listener.clear(),
    close: () => listener.close(),
  };
}

function toSixteenBits(sample: number): number {
  return Math.max(-32_768, Math.min(32_767, Math.round(sample * 32_768)));
}
