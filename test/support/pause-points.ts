import { Injectable, Module } from '@nestjs/common';
import { AvatarEngine, type EngineTurn } from 'avatar-chat-models';
import { Speaker, type Speech, Transcriber, type TranscribeRequest } from '../../src/index.js';

/** An MP3 frame: 128 kbit/s at 44.1 kHz. */
const FRAME = Buffer.concat([Buffer.from([0xff, 0xfb, 0x90, 0x00]), Buffer.alloc(413)]);

/** A point of a turn at which a test can pause it. */
export class PausePoint {
  private opened: () => void = () => undefined;
  private gate = Promise.resolve();
  private reached: () => void = () => undefined;
  /** Resolves when a turn has reached it. */
  arrived = Promise.resolve();

  /** From now on turns wait here. */
  hold(): void {
    this.gate = new Promise((resolve) => (this.opened = resolve));
    this.arrived = new Promise((resolve) => (this.reached = resolve));
  }
  open(): void {
    this.opened();
  }
  pass(): Promise<void> {
    this.reached();
    return this.gate;
  }
}

/** The points at which turns of these engines and voices can be paused. */
@Injectable()
export class PausePoints {
  readonly engine = new PausePoint();
  readonly speaker = new PausePoint();
  readonly transcriber = new PausePoint();
  /** How many engines were stopped. */
  stopped = 0;
}

@Injectable()
class StagedEngine extends AvatarEngine {
  readonly kind = 'staged';
  validate = () => [];
  constructor(private readonly points: PausePoints) {
    super();
  }

  async *reply({ request, signal }: EngineTurn): AsyncGenerator<string> {
    signal.addEventListener('abort', () => this.points.stopped++);
    await this.points.engine.pass();
    yield `You said: ${request}`;
  }
}

@Injectable()
class StagedSpeaker extends Speaker {
  readonly kind = 'staged';
  validate = () => [];
  constructor(private readonly points: PausePoints) {
    super();
  }

  async speak(): Promise<Speech> {
    await this.points.speaker.pass();
    return { audio: Buffer.concat([FRAME, FRAME]), content_type: 'audio/mpeg', seconds: 0.05, phonemes: [] };
  }
}

@Injectable()
class StagedTranscriber extends Transcriber {
  readonly kind = 'staged';
  validate = () => [];
  constructor(private readonly points: PausePoints) {
    super();
  }

  async transcribe({ audio }: TranscribeRequest): Promise<string> {
    audio.resume();
    await this.points.transcriber.pass();
    return 'What was dictated';
  }
}

@Module({ providers: [PausePoints, StagedEngine, StagedSpeaker, StagedTranscriber] })
export class PausePointsModule {}

/** A catalogue with one project whose only avatar, `staged`, uses them. */
export function stagedCatalogue(project_id: string, project: object = {}): string {
  const avatar = {
    _id: 'staged',
    name: 'Staged',
    greetingText: 'Hello.',
    hasLiveMode: false,
    previewIcons: { small: '/assets/a', medium: '/assets/a', large: '/assets/a' },
    startButtonIcon: '/assets/a',
    idleVideo: '/assets/a',
    engine: { kind: 'staged' },
  };
  const speech = { speaker: { kind: 'staged' }, transcriber: { kind: 'staged' } };
  return JSON.stringify({
    avatars: [avatar],
    projects: [{ project_id, avatars: ['staged'], languages: ['en'], speech, ...project }],
  });
}
