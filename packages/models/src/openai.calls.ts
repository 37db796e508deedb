import { randomBytes } from 'node:crypto';
import type { ToolCall } from './tools/caller.functions.js';

/** Maximum number of calls in one answer, and of characters in their arguments. */
const MAX_CALLS = 8;
const MAX_ARGUMENT_CHARACTERS = 32_000;
const MAX_ID = 100;

/** Assembles tool calls from the pieces of a streamed answer. Tolerates servers that deviate from the API. */
export class StreamedCalls {
  private readonly calls: { index: number; id: string; name: string; args: string }[] = [];
  private characters = 0;

  /** The calls, each with an identifier of its own; without arguments, `{}`. */
  end(): readonly ToolCall[] {
    const seen = new Set<string>();
    return this.calls.map(({ id: given, name, args }) => {
      const isUsable = given !== '' && given.length <= MAX_ID && !seen.has(given);
      const id = isUsable ? given : `call_${randomBytes(12).toString('hex')}`;
      seen.add(id);
      return { id, name, args: args.trim() || '{}' };
    });
  }

  /** @throws Error if there are too many, or they are too long */
  push(pieces: unknown): void {
    if (!Array.isArray(pieces)) return;
    for (const piece of pieces as unknown[]) if (piece && typeof piece === 'object') this.add(piece);
  }

  private add(piece: { index?: unknown; id?: unknown; function?: unknown }): void {
    const { name, arguments: args } = (piece.function ?? {}) as { name?: unknown; arguments?: unknown };
    const id = textOf(piece.id);
    const index = typeof piece.index === 'number' ? piece.index : id ? this.calls.length : this.calls.length - 1;
    // Some servers give every call the same index; then only the identifiers differ.
    let call = this.calls.findLast((one) => one.index === index && (!id || !one.id || one.id === id));
    if (!call) this.calls.push((call = { index, id, name: '', args: '' }));
    call.id ||= id;
    call.name ||= textOf(name);
    // Some servers send an object.
    const more = typeof args === 'string' ? args : args === undefined || args === null ? '' : JSON.stringify(args);
    call.args += more;
    this.characters += more.length;
    if (this.calls.length > MAX_CALLS || this.characters > MAX_ARGUMENT_CHARACTERS)
      throw new Error('The model asks for too much');
  }
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
