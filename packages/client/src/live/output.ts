import { outputLatency } from './latency.js';
import { Loopback } from './loopback.js';
import { loadWorklet } from './microphone.js';
import type { Heard, Output } from './speaker.js';

type Report = Heard & { at: number };

const DUCKED_LEVEL = 0.2;
const FADE_SECONDS = 0.04;
/** Playback position is extrapolated from the last report by at most this much. */
const MAX_EXTRAPOLATION_SECONDS = 0.1;

/** Plays audio with an `AudioWorklet`. */
export class SpeakerOutput implements Output {
  changed?: (sounds: boolean) => void;
  private readonly gain: GainNode;
  sounds = false;
  private level = 1;
  private ducked = false;
  private last?: Report;
  /** Stops that the worklet has not confirmed yet. Its reports until then are stale. */
  private stops = 0;

  private constructor(
    private readonly context: AudioContext,
    private readonly node: AudioWorkletNode,
    private readonly loopback: Loopback | undefined,
  ) {
    this.gain = context.createGain();
    node.connect(this.gain).connect(loopback?.input ?? context.destination);
    node.port.addEventListener('message', ({ data }: MessageEvent<Partial<Report>>) => {
      const report = data.item_id === undefined ? undefined : (data as Report);
      if (this.stops === 0) this.report(report);
      else if (!report) this.stops--;
    });
    node.port.start();
  }

  /**
   * @param worklet the URL of `worklet.js` of this package
   * @param microphone the track whose echo cancellation has to filter out this sound
   */
  static async open(context: AudioContext, worklet: string, microphone?: MediaStreamTrack): Promise<SpeakerOutput> {
    await loadWorklet(context, worklet);
    const loopback =
      microphone && needsLoopback(microphone) ? await Loopback.open(context).catch(() => undefined) : undefined;
    const node = new AudioWorkletNode(context, 'live-playback', { numberOfInputs: 0, outputChannelCount: [1] });
    return new SpeakerOutput(context, node, loopback);
  }

  get heard(): Heard | undefined {
    const { last, context } = this;
    if (!last) return undefined;
    const since = Math.min(MAX_EXTRAPOLATION_SECONDS, context.currentTime - last.at) - outputLatency(context);
    return { item_id: last.item_id, ms: Math.max(0, last.ms + since * 1000) };
  }

  play(item_id: string, samples: Int16Array): void {
    this.node.port.postMessage({ item_id, samples }, [samples.buffer]);
  }

  stop(): void {
    this.stops++;
    this.node.port.postMessage(undefined);
    this.report(undefined);
  }

  duck(quiet: boolean): void {
    this.ducked = quiet;
    this.adjust();
  }

  /** From 0 to 1. */
  set volume(level: number) {
    this.level = level;
    this.adjust();
  }

  private adjust(): void {
    const level = this.level * (this.ducked ? DUCKED_LEVEL : 1);
    this.gain.gain.setTargetAtTime(level, this.context.currentTime, FADE_SECONDS);
  }

  close(): void {
    this.stop();
    this.node.disconnect();
    this.node.port.close();
    this.gain.disconnect();
    this.loopback?.close();
  }

  /** @param report undefined when there is nothing left to play */
  private report(report: Report | undefined): void {
    const wasSounding = this.sounds;
    this.last = report ?? this.last;
    this.sounds = report !== undefined;
    if (wasSounding !== this.sounds) this.changed?.(this.sounds);
  }
}

/** Whether echo cancellation considers only peer connections, which is Chrome's default. */
function needsLoopback(microphone: MediaStreamTrack): boolean {
  const mode: unknown = microphone.getSettings().echoCancellation;
  return mode !== 'all' && /Chrome\//.test(navigator.userAgent);
}
