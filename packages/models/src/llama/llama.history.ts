import type { LlamaMessage } from './llama.messages.js';

/** An item of the package's history. */
export type HistoryItem =
  | { readonly type: 'system' | 'user'; readonly text: string }
  | { readonly type: 'model'; readonly response: readonly (string | HistoryCall)[] };
interface HistoryCall {
  readonly type: 'functionCall';
  readonly name: string;
  readonly params: unknown;
  readonly result: unknown;
}

/** A prompt as the package's history. What a model says before and after calls is one response. */
export function historyOf(messages: readonly LlamaMessage[]): HistoryItem[] {
  const results = new Map(messages.map(({ tool_call_id, content }) => [tool_call_id, content]));
  const history: HistoryItem[] = [];
  for (const { role, content, tool_calls = [] } of messages) {
    if (role === 'tool') continue;
    if (role !== 'assistant') {
      history.push({ type: role, text: content ?? '' });
      continue;
    }
    const calls = tool_calls.map((call): HistoryCall => {
      const { name, arguments: args } = call.function;
      return { type: 'functionCall', name, params: parsed(args), result: parsed(results.get(call.id) ?? 'null') };
    });
    const said = [...(content ? [content] : []), ...calls];
    const last = history.at(-1);
    if (last?.type === 'model') history[history.length - 1] = { ...last, response: [...last.response, ...said] };
    else history.push({ type: 'model', response: said });
  }
  return history;
}

/**
 * Cuts a history to a number of tokens: the oldest turns go first, then the end of the system prompt. The last request and
 * what follows it stay.
 *
 * @param count the tokens of a history
 * @returns undefined if the request alone is longer
 */
export function fitted(
  history: readonly HistoryItem[],
  most: number,
  count: (history: readonly HistoryItem[]) => number,
): HistoryItem[] | undefined {
  const fits = (some: readonly HistoryItem[]) => count(some) <= most;
  const isRequest = ({ type }: HistoryItem) => type === 'user';
  let kept = [...history];
  while (!fits(kept)) {
    const first = kept.findIndex(isRequest);
    const next = kept.findIndex((item, index) => index > first && isRequest(item));
    if (next < 0) break;
    kept = [...kept.slice(0, first), ...kept.slice(next)];
  }
  if (fits(kept)) return kept;
  const [system, ...rest] = kept;
  if (system?.type !== 'system' || !fits(rest)) return undefined;
  let [least, tooLong] = [0, system.text.length];
  const cutTo = (length: number): HistoryItem[] => [
    { type: 'system', text: system.text.slice(0, length).toWellFormed() },
    ...rest,
  ];
  while (tooLong - least > 1) {
    const middle = Math.floor((least + tooLong) / 2);
    if (fits(cutTo(middle))) least = middle;
    else tooLong = middle;
  }
  return least > 0 ? cutTo(least) : rest;
}

/** The part of a JSON Schema that the grammar of the package has; what it lacks is not enforced here. */
export function grammarOf(schema: unknown, depth = 0): object {
  const { type, properties, items, enum: values, description } = (schema ?? {}) as Record<string, unknown>;
  const told = typeof description === 'string' ? { description } : {};
  if (Array.isArray(values)) return { enum: values, ...told };
  if (depth < MAX_DEPTH && type === 'object' && properties && typeof properties === 'object') {
    const fields = Object.entries(properties).map(([name, one]) => [name, grammarOf(one, depth + 1)]);
    return { type, properties: Object.fromEntries(fields) as object, ...told };
  }
  if (depth < MAX_DEPTH && type === 'array') return { type, items: grammarOf(items, depth + 1), ...told };
  return { type: typeof type === 'string' && SIMPLE.includes(type) ? type : 'string', ...told };
}
const MAX_DEPTH = 5;
const SIMPLE = ['string', 'number', 'integer', 'boolean', 'null'];

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
