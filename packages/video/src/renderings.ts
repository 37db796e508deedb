import { hash } from 'node:crypto';
import { Compositor } from './frames/compositor.js';
import { PortraitError } from './portrait/portrait.error.js';
import { readPortrait } from './portrait/portrait.source.js';
import { Rendering } from './rendering.js';
import type { FromThread, NewRendering, ToThread } from './video.messages.js';

/** Number of rasterized portraits that are cached: about 3 MB each. */
const KEPT_PORTRAITS = 8;

interface InProgress {
  readonly message: NewRendering;
  /** Missing before its first step. */
  rendering?: Rendering;
  isUnwanted?: boolean;
}

/**
 * All renderings; the one that has progressed least is always next, so that each starts soon. Urgent ones go before, in
 * the order in which they became urgent: nobody sees anything of them until they are complete.
 */
export class Renderings {
  private readonly all = new Set<InProgress>();
  private readonly urgent = new Set<InProgress>();
  private readonly portraits = new Map<string, Compositor>();
  private isRunning = false;

  constructor(private readonly report: (message: FromThread) => void) {}

  add(message: ToThread): void {
    if ('isUrgent' in message) {
      for (const job of this.all) if (job.message.id === message.id) this.urgent.add(job);
      return;
    }
    if ('isUnwanted' in message) {
      for (const job of this.all) if (job.message.id === message.id) job.isUnwanted = true;
      return;
    }
    this.all.add({ message });
    void this.run();
  }

  private async run(): Promise<void> {
    if (this.isRunning) return;
    this.isRunning = true;
    while (this.all.size > 0) {
      const [first = [...this.all].reduce((least, one) => (progressOf(one) < progressOf(least) ? one : least))] =
        this.urgent;
      if (first.isUnwanted) this.remove(first);
      else await this.runStep(first);
      // Lets new orders arrive in between.
      await new Promise(setImmediate);
    }
    this.isRunning = false;
  }

  private async runStep(job: InProgress): Promise<void> {
    const { id, portrait, size, sound, phonemes } = job.message;
    this.report({ id, working: true });
    try {
      job.rendering ??= await Rendering.create(await this.drawn(portrait, size), sound, phonemes, (piece) =>
        this.report({ id, piece: piece.slice() }),
      );
      const whole = await job.rendering.renderSegment();
      if (!whole) return;
      this.report({ id, whole });
    } catch (error) {
      this.report({ id, failed: true, ...(error instanceof PortraitError ? { portrait: error.message } : {}) });
    }
    this.remove(job);
  }

  private remove(job: InProgress): void {
    this.all.delete(job);
    this.urgent.delete(job);
    job.rendering?.stop();
  }

  private async drawn(portrait: string, size: number): Promise<Compositor> {
    const key = `${size} ${hash('sha256', portrait, 'base64')}`;
    const found = this.portraits.get(key) ?? (await Compositor.of(readPortrait(portrait), size));
    this.portraits.delete(key);
    this.portraits.set(key, found);
    const [oldest] = this.portraits.keys();
    if (this.portraits.size > KEPT_PORTRAITS) this.portraits.delete(oldest!);
    return found;
  }
}

function progressOf({ rendering }: InProgress): number {
  return rendering?.progress ?? -1;
}
