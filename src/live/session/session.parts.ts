import { Injectable } from '@nestjs/common';
import type { Owner } from '../../auth/index.js';
import type { Avatar, ResolvedProject } from 'avatar-chat-catalogue';
import { TurnAnswer, TurnErasures } from '../../chat/index.js';
import { EngineRegistry, PromptSources } from '../../engines/index.js';
import { OpenAiRealtime } from '../../openai/index.js';
import { Usage, type UsedBy } from '../../quality/index.js';
import { TurnCounts } from '../../rate-limits/index.js';
import { SpeechService } from '../../speech/index.js';
import { LivePeople } from './live.people.js';
import { LiveMetrics } from '../live.metrics.js';
import { LiveReplies } from '../response/live.replies.js';
import { LiveAllowances } from '../live.allowances.js';

/** Dependencies of a session. */
@Injectable()
export class SessionParts {
  constructor(
    readonly replies: LiveReplies,
    readonly answers: TurnAnswer,
    readonly engines: EngineRegistry,
    readonly prompts: PromptSources,
    readonly speech: SpeechService,
    readonly realtime: OpenAiRealtime,
    readonly counts: TurnCounts,
    readonly usage: Usage,
    readonly erasures: TurnErasures,
    readonly allowances: LiveAllowances,
    readonly metrics: LiveMetrics,
    readonly people: LivePeople,
  ) {}
}

/** The user and the avatar. */
export interface Participants {
  readonly owner: Owner;
  readonly resolved: ResolvedProject;
  readonly avatar: Avatar;
  /** From `GET /connection`. */
  readonly session?: string;
  /** Whether the client hears and speaks by WebRTC, and is only sent events. */
  readonly isCall?: boolean;
  /** Address of the client. */
  readonly address: string;
  /** Who takes a share of what users have in common. */
  readonly holders: readonly string[];
}

/** Whose usage a session is. */
export function usedByOf({ engines }: SessionParts, { owner, resolved, avatar }: Participants): UsedBy {
  return { owner, project: resolved.project, avatar_id: avatar._id, engine: engines.kindOf(avatar.engine) };
}
