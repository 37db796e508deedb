import { SpeechStream } from './speech.stream.js';
import type { StreamCommand, StreamReport } from '../recognition.messages.js';
import type { Recognizer } from '../recognizer.js';

type Parts = ReturnType<Recognizer['streamParts']>;

/** The live speakers of a recognition process. */
export class SpeechStreams {
  private readonly streams = new Map<number, { stream: SpeechStream; parts: Parts }>();

  constructor(
    private readonly recognizer: Pick<Recognizer, 'streamParts'>,
    private readonly report: (report: StreamReport) => void,
  ) {}

  handle(command: StreamCommand): void {
    if (command.type === 'open') return this.open(command);
    const { stream: id } = command;
    const { stream, parts } = this.streams.get(id) ?? {};
    if (!stream || !parts) return;
    if (command.type === 'push') {
      stream.push(command.sound, command.from);
      this.report({ stream: id, done: 'push' });
    } else if (command.type === 'configure') {
      parts.configure(command.detection);
      stream.configure(command.detection);
    } else if (command.type === 'commit') stream.commit();
    else if (command.type === 'clear') {
      stream.clear();
      this.report({ stream: id, done: 'clear' });
    } else {
      stream.clear();
      this.streams.delete(id);
      parts.release();
    }
  }

  private open({ stream: id, detection, from, first, holders }: StreamCommand & { type: 'open' }): void {
    const parts = this.recognizer.streamParts(holders, detection);
    const stream = new SpeechStream(parts, detection, from, first, (heard) => this.report({ stream: id, heard }));
    this.streams.set(id, { stream, parts });
  }
}
