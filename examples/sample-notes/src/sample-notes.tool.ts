import { Injectable } from '@nestjs/common';
import { EngineTool, Owner, type ToolTurn } from 'avatar-chat-service';
import { MAX_TEXT } from './sample-notes.dto.js';
import { SampleNotesService } from './sample-notes.service.js';

/** For avatars whose `engine` has it in `tools`. A model wrote the arguments; the user is that of the token. */
@Injectable()
export class SampleNotesTool extends EngineTool {
  readonly name = 'sample_notes_add';
  readonly description = 'Keeps what the user wants to have kept.';
  readonly parameters = {
    type: 'object',
    properties: { text: { type: 'string', minLength: 1, maxLength: MAX_TEXT } },
    required: ['text'],
    additionalProperties: false,
  };

  constructor(private readonly service: SampleNotesService) {
    super();
  }

  run({ text }: { text: string }, { project_id, user_id }: ToolTurn): Promise<unknown> {
    return this.service.add(new Owner(project_id, user_id), text);
  }
}
