import type { Avatar } from 'avatar-chat-catalogue';
import { isDuplexEntry, isRealtimeEntry } from 'avatar-chat-models';
import type { Utterance } from '../response/live.response.js';
import type { SentenceSource } from '../response/sentence.source.js';
import { DuplexUpstream } from './duplex.upstream.js';
import type { UpstreamOptions } from './server.link.js';
import { Upstream } from './upstream.js';

/** What hears and speaks for an avatar in place of the service. */
export type VoiceUpstream = Pick<
  Upstream,
  'heard' | 'open' | 'close' | 'listen' | 'configure' | 'forget' | 'truncated'
> & {
  /** Whether it only hears and speaks: the answers, and those in text altogether, are the engine's. */
  readonly isVoice?: boolean;
  /** It is not asked to answer the turn: what it says to it by itself is not meant to be heard. */
  ignoreTurn?(): void;
  /** Says an answer, its own or the engine's. @throws an error for clients */
  say(...asked: [...Parameters<Upstream['say']>, sentences: () => SentenceSource]): AsyncGenerator<Utterance, void>;
};

/** The upstream server of an avatar; undefined if the service itself hears and speaks for it. */
export function upstreamFor({ engine }: Avatar, options: UpstreamOptions): VoiceUpstream | undefined {
  if (isDuplexEntry(engine)) return new DuplexUpstream(engine, options);
  return isRealtimeEntry(engine) ? new Upstream(engine, options) : undefined;
}
