import type { ClientContext } from 'avatar-chat-models';
import type { Item } from './conversation.js';

/**
 * What a client tells the model. @param items of the conversation, of which those count that are no part of the history,
 *   or given for one response
 */
export function clientContext(
  items: readonly (Pick<Item, 'role' | 'text'> & Partial<Item>)[],
  instructions: string,
): ClientContext {
  const told = items.flatMap(({ id, role, text, isSeeded, call, result_of }) => {
    if (role === 'tool') {
      const made = items.find((one) => one.isSeeded && one.call && one.call.call_id === result_of);
      return made ? [{ role: 'assistant' as const, text: `${made.call!.name}(${made.text}) returned: ${text}` }] : [];
    }
    return !call && text && (isSeeded || (id === undefined && role !== 'user')) ? [{ role, text }] : [];
  });
  return { instructions, items: told };
}
