import type { Owner } from '../auth/index.js';
import type { Avatar, ResolvedProject } from '../catalogue/index.js';
import type { TurnErasures } from '../chat/index.js';
import type { OpenAiRealtime } from '../openai/index.js';
import type { TurnCounts } from '../rate-limits/index.js';
import type { SpeechService } from '../speech/index.js';
import type { LiveMetrics } from './live.metrics.js';
import type { LiveReplies } from './live.replies.js';

/** Dependencies of a session. */
export interface SessionParts {
  readonly replies: LiveReplies;
  readonly speech: SpeechService;
  readonly realtime: OpenAiRealtime;
  readonly counts: TurnCounts;
  readonly erasures: TurnErasures;
  readonly metrics: LiveMetrics;
}

/** The user and the avatar. */
export interface Participants {
  readonly owner: Owner;
  readonly resolved: ResolvedProject;
  readonly avatar: Avatar;
  /** From `GET /connection`. */
  readonly session?: string;
  /** Address of the client. */
  readonly address: string;
}
