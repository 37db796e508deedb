import type { TurnHandover } from '../avatar-engine.js';
import { type ArgumentsCheck, argumentsCheck } from './arguments.check.js';
import type { OfferedTool } from './tool.sources.js';

const parameters = {
  type: 'object',
  properties: { reason: { type: 'string', maxLength: 500, description: 'Why a person is needed.' } },
  additionalProperties: false,
};
let check: ArgumentsCheck | undefined;

/** The tool with which a model hands a conversation over to a person. Offered where one may take it. */
export function handOverTool(handover: TurnHandover): OfferedTool {
  return {
    name: 'hand_over',
    description:
      'Hands the conversation over to a person, who will answer from then on. Call it if the user asks for a person, or needs help that you cannot give.',
    parameters,
    source: 'module',
    check: (check ??= argumentsCheck(parameters)),
    run: async () => {
      await handover.request();
      return { state: 'waiting' };
    },
  };
}
