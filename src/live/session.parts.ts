import { Injectable } from '@nestjs/common';
import { TurnAnswer, TurnErasures } from '../chat/index.js';
import { EngineRegistry, PromptSources } from '../engines/index.js';
import { Usage } from '../quality/index.js';
import { TurnCounts } from '../rate-limits/index.js';
import { SpeechService } from '../speech/index.js';
import type { SessionPorts } from 'avatar-chat-realtime';
import { OpenAiRealtime } from 'avatar-chat-models';
import { LivePeople } from './live.people.js';
import { LIVE_HOST } from './live.host.js';
import { LiveMetrics } from './live.metrics.js';
import { LiveReplies } from './live.replies.js';
import { LiveAllowances } from './live.allowances.js';

/** Dependencies of a session. */
@Injectable()
export class SessionParts implements SessionPorts {
  readonly host = LIVE_HOST;

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
