import { Injectable } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { findProviders } from '../platform/extension-points/index.js';
import { describeError, loggerOf } from '../platform/logging/index.js';
import type { EngineTurn } from 'avatar-chat-models';

/**
 * Answers in place of a script that has no answer, such as by a quotation from documents. Extend it and provide it in
 * any module.
 */
export abstract class AnswerSource {
  /**
   * @param isAsked whether the request is a question or a mere topic
   * @param isAdvice whether it asks for advice about health or law: only the operator may know more than the script
   * @returns an answer in the user's language; undefined if there is none
   */
  abstract findAnswer(turn: EngineTurn, isAsked: boolean, isAdvice?: boolean): Promise<string | undefined>;
}

/** The {@link AnswerSource} providers of all modules. */
@Injectable()
export class AnswerSources {
  private readonly logger = loggerOf(AnswerSources.name);
  private found?: readonly AnswerSource[];

  constructor(private readonly discovery: DiscoveryService) {}

  /** The first answer, or undefined. Never rejects. */
  async findAnswer(...asked: Parameters<AnswerSource['findAnswer']>): Promise<string | undefined> {
    for (const source of this.sources)
      try {
        const answer = await source.findAnswer(...asked);
        if (answer !== undefined) return answer;
      } catch (error) {
        this.logger.warn({ source: source.constructor.name, ...describeError(error) });
      }
    return undefined;
  }

  /** Discovered at the first question without an answer, when the providers of all modules exist. */
  private get sources(): readonly AnswerSource[] {
    return (this.found ??= findProviders(this.discovery, AnswerSource));
  }
}

/** For engines created without modules. */
export const NO_ANSWERS = new AnswerSources({ getProviders: () => [] } as unknown as DiscoveryService);
