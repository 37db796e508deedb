import { Injectable } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import type { EngineTurn } from 'avatar-chat-models';
import { findProviders } from '../../platform/extension-points/index.js';
import { withTimeout, untilAborted } from 'avatar-chat-runtime';

/** Timeout of a hook, in milliseconds. */
const HOOK_TIMEOUT_MS = 5000;
/** Maximum length of the context from all hooks together. */
const MAX_CONTEXT = 16_000;

/** The decision of a {@link BeforeTurn}: nothing, its own answer, or context for the engine. */
export type BeforeTurnResult = { readonly refuse: string } | { readonly context: string } | undefined | void;

/** The decision of an {@link AfterTurn}: nothing, another answer, or none. */
export type AfterTurnResult = { readonly replace: string } | { readonly withhold: true } | undefined | void;

/**
 * Runs after the user's message is stored and before an avatar is asked: for moderation and retrieval. Extend it and
 * provide it in any module. If it throws or takes longer than 5 s, the turn fails, so that a fault never lets through
 * what the hook would have refused.
 *
 * @example
 * ```ts
 * @Injectable()
 * export class Handbook extends BeforeTurn {
 *   async beforeTurn({ request }: EngineTurn) {
 *     return { context: await this.pages.about(request) };
 *   }
 * }
 * ```
 */
export abstract class BeforeTurn {
  /** Lower values run earlier; 0 by default. */
  readonly order: number = 0;

  abstract beforeTurn(turn: EngineTurn): BeforeTurnResult | Promise<BeforeTurnResult>;
}

/**
 * Reads an answer before anyone else does. An answer that it wants to read is not streamed: it is buffered until it is
 * complete, and then sent as one piece. If it throws or takes longer than 5 s, the turn fails, and nothing of the
 * answer is stored.
 */
export abstract class AfterTurn {
  /** Lower values run earlier; 0 by default. */
  readonly order: number = 0;

  /** Whether it wants to read the answer; otherwise the answer is streamed as usual. */
  wants(_turn: EngineTurn): boolean {
    return true;
  }

  abstract afterTurn(turn: EngineTurn, answer: string): AfterTurnResult | Promise<AfterTurnResult>;
}

/** The hooks of all modules, in order. */
@Injectable()
export class TurnHooks {
  protected readonly timeoutMs: number = HOOK_TIMEOUT_MS;
  private found?: { before: readonly BeforeTurn[]; after: readonly AfterTurn[] };

  constructor(private readonly discovery: DiscoveryService) {}

  /** @throws any error of a hook */
  async before(turn: EngineTurn): Promise<{ refuse?: string; context?: string }> {
    const contexts: string[] = [];
    for (const hook of this.hooks.before) {
      const result = await this.withTimeout(hook, turn.signal, () => hook.beforeTurn(turn));
      if (!result) continue;
      if ('refuse' in result) return { refuse: textOf(hook, result.refuse) };
      // A search may find nothing.
      if (result.context !== '') contexts.push(textOf(hook, result.context));
    }
    return contexts.length > 0 ? { context: contexts.join('\n\n').slice(0, MAX_CONTEXT).toWellFormed() } : {};
  }

  /** The hooks that want to read the answer. */
  readersOf(turn: EngineTurn): readonly AfterTurn[] {
    return this.hooks.after.filter((hook) => hook.wants(turn));
  }

  /** @returns the answer to send; undefined if it is refused. @throws any error of a hook */
  async after(readers: readonly AfterTurn[], turn: EngineTurn, answer: string): Promise<string | undefined> {
    let current = answer;
    for (const hook of readers) {
      const result = await this.withTimeout(hook, turn.signal, () => hook.afterTurn(turn, current));
      if (!result) continue;
      if ('withhold' in result) return undefined;
      current = textOf(hook, result.replace);
    }
    return current;
  }

  /** Discovered at the first turn, when the providers of all modules exist. */
  private get hooks() {
    if (this.found) return this.found;
    const inOrder = <T extends { order: number }>(hooks: T[]) => hooks.sort((a, b) => a.order - b.order);
    const before = inOrder(findProviders(this.discovery, BeforeTurn));
    const after = inOrder(findProviders(this.discovery, AfterTurn));
    return (this.found = { before, after });
  }

  private async withTimeout<T>(
    { constructor: { name } }: object,
    signal: AbortSignal,
    work: () => T,
  ): Promise<Awaited<T>> {
    const running = (async () => work())() as Promise<Awaited<T>>;
    return withTimeout(untilAborted(running, signal), this.timeoutMs, () => new Error(`${name} took too long`));
  }
}

function textOf({ constructor: { name } }: object, text: unknown): string {
  if (typeof text !== 'string' || text.trim() === '')
    throw new TypeError(`${name} returned something that is not text`);
  return text;
}
