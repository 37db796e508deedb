import type { ChatEngineParts } from 'avatar-chat-models';
import { NO_TOOLS } from '../../src/engines/tools/tool.registry.js';
import { loggerOf } from '../../src/platform/logging/index.js';

/** What an engine outside of the service needs: nothing is added to its prompts. */
export const engineParts = (tools: ChatEngineParts['tools'] = NO_TOOLS): ChatEngineParts => ({
  tools,
  sources: { paragraphsFor: async () => [] },
  loggerOf,
});
