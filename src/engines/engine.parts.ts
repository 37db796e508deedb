import { Injectable } from '@nestjs/common';
import type { ChatEngineParts } from 'avatar-chat-models';
import { loggerOf } from '../platform/logging/index.js';
import { ModelCalls } from './model.calls.js';
import { PromptSources } from './prompt.sources.js';
import { ToolRegistry } from './tools/tool.registry.js';

/** What engines that ask models need of the service. */
@Injectable()
export class EngineParts implements ChatEngineParts {
  readonly loggerOf = loggerOf;

  constructor(
    readonly tools: ToolRegistry,
    readonly sources: PromptSources,
    readonly calls: ModelCalls,
  ) {}
}
