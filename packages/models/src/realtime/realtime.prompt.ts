import type { RealtimeItem } from './realtime.conversation.js';
import { promptFor } from '../openai.prompt.js';
import type { PromptedTurn } from '../prompted.turn.js';
import type { RealtimeEntry } from './realtime.entry.js';

const DEFAULT_PROMPT = 'You are friendly and honest, and answer in one to three sentences.';

/** The start of a session with an OpenAI Realtime server. The request comes last; an empty one is omitted. */
export function realtimePrompt(
  turn: Omit<PromptedTurn, 'project_id' | 'user_id' | 'engine'>,
  { system_prompt = DEFAULT_PROMPT, ...entry }: Pick<RealtimeEntry, 'system_prompt' | 'context_tokens'>,
  paragraphs: readonly string[] = [],
): { instructions: string; items: RealtimeItem[] } {
  const [system, ...messages] = promptFor(turn, { ...entry, system_prompt }, paragraphs);
  const items = messages.filter(({ content }) => content !== '');
  return { instructions: system!.content, items: items.map(({ role, content }) => realtimeItem(role, content)) };
}

/** A text as an item. @param images that the user shows, as `data:` URLs */
export function realtimeItem(role: RealtimeItem['role'], text: string, images: readonly string[] = []): RealtimeItem {
  if (role === 'assistant') return { type: 'message', role, content: [{ type: 'output_text', text }] };
  if (role === 'system') return { type: 'message', role, content: [{ type: 'input_text', text }] };
  const pictures = images.map((image_url) => ({ type: 'input_image' as const, image_url }));
  return { type: 'message', role, content: [{ type: 'input_text', text }, ...pictures] };
}
