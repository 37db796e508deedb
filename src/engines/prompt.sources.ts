import { Injectable } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { findProviders } from '../platform/extension-points/index.js';
import { describeError, loggerOf } from '../platform/logging/index.js';
import { untilAborted } from 'avatar-chat-runtime';
import { type PromptedTurn, PromptSource } from 'avatar-chat-models';

/** Timeout of all sources of a prompt together, in milliseconds. */
const SOURCES_TIMEOUT_MS = 2000;

/** The {@link PromptSource} providers of all modules. */
@Injectable()
export class PromptSources {
  protected readonly timeoutMs: number = SOURCES_TIMEOUT_MS;
  private readonly logger = loggerOf(PromptSources.name);
  private found?: readonly PromptSource[];

  constructor(private readonly discovery: DiscoveryService) {}

  /** The paragraphs for a prompt, in order. Never rejects. */
  async paragraphsFor(turn: PromptedTurn, tokens: number): Promise<string[]> {
    const sources = this.sources;
    if (sources.length === 0) return [];
    const timeout = AbortSignal.timeout(this.timeoutMs);
    const paragraphs = await Promise.all(sources.map((source) => this.paragraphOf(source, turn, tokens, timeout)));
    return paragraphs.filter((paragraph) => paragraph !== undefined && paragraph !== '') as string[];
  }

  private async paragraphOf(source: PromptSource, turn: PromptedTurn, tokens: number, timeout: AbortSignal) {
    const { name } = source.constructor;
    // Sources of a paragraph that came too late are none of the answer.
    const cite: NonNullable<PromptedTurn['cite']> = (sources) => (timeout.aborted ? undefined : turn.cite?.(sources));
    try {
      return await untilAborted((async () => source.paragraphFor({ ...turn, cite }, tokens))(), timeout);
    } catch (error) {
      if (timeout.aborted) this.logger.warn(`${name} took too long: the model answers without it`);
      else this.logger.warn({ source: name, ...describeError(error) });
      return undefined;
    }
  }

  /** Discovered at the first prompt, when the providers of all modules exist. */
  private get sources(): readonly PromptSource[] {
    return (this.found ??= findProviders(this.discovery, PromptSource).sort((a, b) => a.order - b.order));
  }
}
