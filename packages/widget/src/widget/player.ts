let context: AudioContext | undefined;

/** The page's one audio context. Call it first from a click, since browsers begin silent otherwise. */
export function audio(): AudioContext {
  context ??= new AudioContext();
  if (context.state === 'suspended') void context.resume();
  return context;
}

/** Plays one recording at a time; reads it by `fetch`, which `connect-src` allows where `media-src` may not. */
export class Player {
  private source?: AudioBufferSourceNode;
  private analyser?: AnalyserNode;
  private begun = 0;
  private turn = 0;

  get playing(): boolean {
    return this.source !== undefined;
  }

  /** Seconds from the start of what plays. */
  get position(): number {
    return audio().currentTime - this.begun;
  }

  /** How loud it is at this moment, 0 to about 1. */
  get level(): number {
    return this.analyser ? loudness(this.analyser) : 0;
  }

  /**
   * Plays a recording to its end, or until {@link stop}.
   *
   * @param onBegin called when it begins to sound
   * @throws where it cannot be read or decoded
   */
  async play(recording: string | Blob, onBegin: () => void = () => undefined): Promise<void> {
    this.stop();
    const turn = this.turn;
    const bytes = await read(recording);
    const buffer = await audio().decodeAudioData(bytes);
    if (turn !== this.turn) return;
    const source = audio().createBufferSource();
    source.buffer = buffer;
    this.analyser = audio().createAnalyser();
    source.connect(this.analyser).connect(audio().destination);
    this.source = source;
    this.begun = audio().currentTime;
    const ended = new Promise((resolve) => source.addEventListener('ended', resolve));
    source.start();
    onBegin();
    await ended;
    if (turn === this.turn) this.stop();
  }

  stop(): void {
    this.turn++;
    const { source } = this;
    this.source = this.analyser = undefined;
    source?.stop();
  }
}

async function read(recording: string | Blob): Promise<ArrayBuffer> {
  if (typeof recording !== 'string') return recording.arrayBuffer();
  const response = await fetch(recording);
  if (!response.ok) throw new Error('The recording is not there');
  return response.arrayBuffer();
}

/** The root mean square of what an analyser hears now. */
export function loudness(analyser: AnalyserNode): number {
  const samples = new Float32Array(analyser.fftSize);
  analyser.getFloatTimeDomainData(samples);
  return Math.sqrt(samples.reduce((sum, sample) => sum + sample * sample, 0) / samples.length);
}
