import { energyOf } from './samples.js';

/** Below this part of the loudest channel's energy, the mean of all channels has cancelled them out. */
const CANCELLED = 0.01;
/** The part of the earlier energy that still counts after a chunk. */
const MEMORY = 0.98;

/**
 * Mixes chunks of a recording to mono, from -1 to 1: the mean of its channels or, if these cancel each other out, the
 * loudest one.
 */
export class MonoMix {
  private energies: number[] = [];
  private mixed = 0;

  mix(channels: readonly Float32Array[]): Float32Array {
    for (const channel of channels) limit(channel);
    const [first] = channels;
    if (channels.length <= 1) return first?.slice() ?? new Float32Array(0);
    const mean = new Float32Array(first!.length);
    for (const channel of channels)
      for (let at = 0; at < mean.length; at++) mean[at]! += channel[at]! / channels.length;
    this.energies = channels.map((channel, index) => MEMORY * (this.energies[index] ?? 0) + energyOf(channel));
    this.mixed = MEMORY * this.mixed + energyOf(mean);
    const loudest = Math.max(...this.energies);
    return this.mixed < CANCELLED * loudest ? channels[this.energies.indexOf(loudest)]!.slice() : mean;
  }
}

/** Files with floating-point samples may hold anything. */
function limit(samples: Float32Array): void {
  for (let at = 0; at < samples.length; at++)
    if (!(Math.abs(samples[at]!) <= 1)) samples[at] = Math.max(-1, Math.min(1, samples[at]!)) || 0;
}
