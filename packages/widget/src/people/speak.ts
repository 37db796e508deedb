import type { SpokenGreeting } from 'avatar-chat-client';
import type { Entry } from '../history/conversation.js';
import type { Stage } from '../media/stage.js';
import type { TalkOptions } from '../views/talk-options.js';

/** Where the user has asked something on another page. */
const asked = new WeakSet<Stage>();

/**
 * Has the avatar say a message that came by itself, after what it says now, if the page is seen. An answer to what the
 * user has said on another page is spoken there.
 */
export async function speak({ mine, id, name }: Entry, options: TalkOptions, stage: Stage): Promise<void> {
  const { client, connection } = options;
  const signal = options.signal();
  if (mine) return void asked.add(stage);
  const isAnswer = asked.delete(stage) && connection.avatars_info.some((avatar) => avatar.name === name);
  if (isAnswer || document.visibilityState !== 'visible') return;
  const { url, phonemes, text } = await client.request<SpokenGreeting>(`/speech/messages/${id}`, { signal });
  if (url !== undefined && !signal.aborted) await stage.queueSentence({ url, phonemes, text });
}
