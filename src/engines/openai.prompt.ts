import { EngineTurn } from './avatar-engine.js';
import { OpenAiEntry } from './openai.entry.js';

export interface PromptMessage {
  readonly role: 'system' | 'user' | 'assistant';
  readonly content: string;
}

const DEFAULT_TOKENS = 3_000;
const BYTES_PER_TOKEN = 4;
const TOKENS_PER_MESSAGE = 4;

/** What the model is asked: the system prompt, as much of the newest history as the budget holds, and the request. */
export function promptFor(
  turn: EngineTurn,
  { system_prompt, context_tokens = DEFAULT_TOKENS }: OpenAiEntry,
): PromptMessage[] {
  const system: PromptMessage = { role: 'system', content: [system_prompt, ...remarks(turn)].join('\n\n') };
  const request: PromptMessage = { role: 'user', content: turn.request };
  let left = context_tokens - tokensOf(system) - tokensOf(request);
  const history: PromptMessage[] = [];
  for (const { request, answer } of [...turn.history].reverse()) {
    // A turn without an answer would put two messages of the user side by side, which some models refuse.
    if (!answer) continue;
    const exchange: PromptMessage[] = [
      { role: 'user', content: request },
      { role: 'assistant', content: answer },
    ];
    left -= tokensOf(...exchange);
    if (left < 0) break;
    history.unshift(...exchange);
  }
  return [system, ...history, request];
}

// The greeting stands here and not as a message, for many models want the user to speak first.
function* remarks({ avatar, language_code, chat_type }: EngineTurn): Iterable<string> {
  yield `Your name is ${avatar.name}.`;
  if (avatar.greetingText) yield `You have greeted the user with: ${avatar.greetingText}`;
  yield `Answer in the language with the code ${language_code}.`;
  if (chat_type !== 'text') yield 'Your answer is spoken aloud: use plain sentences, without markup, lists or links.';
}

function tokensOf(...messages: readonly PromptMessage[]): number {
  return messages.reduce(
    (sum, { content }) => sum + Math.ceil(Buffer.byteLength(content) / BYTES_PER_TOKEN) + TOKENS_PER_MESSAGE,
    0,
  );
}
