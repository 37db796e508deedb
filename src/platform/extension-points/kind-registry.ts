import type { OnModuleInit } from '@nestjs/common';
import type { DiscoveryService } from '@nestjs/core';
import type { KindEntry } from 'avatar-chat-catalogue';
import { findProviders } from './providers.js';

/** A part of the service that modules can add or replace, such as an engine. */
export interface Replaceable {
  /** Unique among the parts of its role: up to 64 of `a-z 0-9 _ -`, starting with a letter. */
  readonly kind: string;
  /** The faults of an entry, each starting with the name of its field; `[]` if there are none. */
  validate?(entry: KindEntry): string[];
}

const KIND = /^[a-z][a-z0-9_-]{0,63}$/;

/**
 * All parts of one role by kind: those of the service, and each provider of any module that extends the role's base
 * class. A provider with the kind of a shipped part replaces it.
 *
 * @example
 * ```ts
 * @Injectable()
 * export class SpeakerRegistry extends KindRegistry<Speaker> {
 *   constructor(discovery: DiscoveryService, espeak: EspeakSpeaker) {
 *     super(discovery, 'speaker', Speaker, [espeak]);
 *   }
 * }
 * ```
 */
export abstract class KindRegistry<T extends Replaceable> implements OnModuleInit {
  private parts?: ReadonlyMap<string, T>;

  /**
   * @param role the name of such a part in messages
   * @param base the class that such a part extends
   * @param shipped the service's own parts
   */
  constructor(
    private readonly discovery: DiscoveryService,
    private readonly role: string,
    private readonly base: abstract new () => T,
    private readonly shipped: readonly T[],
  ) {}

  /** @internal Fails the start if two providers have the same kind, or one has none. */
  onModuleInit(): void {
    this.all();
  }

  /** The known kinds, in alphabetical order. */
  get kinds(): readonly string[] {
    return [...this.all().keys()].sort();
  }

  /** @returns undefined if there is no part of this kind */
  find(kind: string): T | undefined {
    return this.all().get(kind);
  }

  /** The faults of a catalogue entry, each starting with the name of its field; `[]` if there are none. */
  validate(entry: KindEntry): string[] {
    const part = this.find(entry.kind);
    return part ? (part.validate?.(entry) ?? []) : [`kind: must be one of ${this.kinds.join(', ')}`];
  }

  /** The parts that modules provide, whether or not they replace a shipped one. */
  protected get added(): readonly T[] {
    return [...this.all().values()].filter((part) => !this.shipped.includes(part));
  }

  // Not in the constructor: the providers of other modules may not exist yet.
  private all(): ReadonlyMap<string, T> {
    if (this.parts) return this.parts;
    const added = new Map<string, T>();
    for (const instance of findProviders(this.discovery, this.base)) {
      if (this.shipped.includes(instance)) continue;
      const { kind, constructor: type } = instance;
      if (typeof kind !== 'string' || !KIND.test(kind))
        throw new Error(`The ${this.role} ${type.name} has no kind, or not one of 1-64 of a-z, 0-9, _ and -.`);
      const other = added.get(kind);
      if (other)
        throw new Error(`Two providers are the ${this.role} '${kind}': ${other.constructor.name}, ${type.name}.`);
      added.set(kind, instance);
    }
    return (this.parts = new Map([...this.shipped.map((part) => [part.kind, part] as const), ...added]));
  }
}
