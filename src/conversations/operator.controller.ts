import { Body, Controller, Headers, Post } from '@nestjs/common';
import { ApiCreatedResponse, ApiHeader, ApiTags } from '@nestjs/swagger';
import { AdminService, AllowOperators, ForOperators } from '../admin/index.js';
import { assertIdempotencyKey, ChatService, IDEMPOTENCY_KEY, MAX_NAME, MAX_UNASKED } from '../chat/index.js';
import { Message } from '../messages/index.js';
import { ApiErrors } from '../platform/openapi/index.js';
import { UnaskedRequest } from './operator.dto.js';

@ApiTags('Administration')
@Controller('admin')
@ForOperators()
export class OperatorController {
  constructor(
    private readonly admin: AdminService,
    private readonly chat: ChatService,
  ) {}

  /** Send a user a message that nobody asked for. */
  @Post('messages')
  @AllowOperators({ roles: ['agent'], project: 'body', action: 'message.send', details: ['avatar_id', 'name'] })
  @ApiCreatedResponse({ type: Message })
  @ApiHeader({
    name: 'Idempotency-Key',
    description: 'A request with the same key and body returns the first result, and is stored only once.',
    required: false,
    schema: { type: 'string', pattern: IDEMPOTENCY_KEY.source },
  })
  @ApiErrors(
    'invalid_project_id',
    'invalid_user_id',
    'invalid_avatar_id',
    ['invalid_answer', MAX_UNASKED],
    ['invalid_name', MAX_NAME],
    'invalid_chat_type',
    'invalid_language_code',
    'invalid_idempotency_key',
    'invalid_json',
    'unknown_project',
    'avatar_not_found',
    'user_erased',
    'payload_too_large',
    'unsupported_media_type',
    'idempotency_key_reused',
  )
  async addMessage(
    @Body() { owner, avatar_id, answer, name, language_code, chat_type }: UnaskedRequest,
    @Headers('idempotency-key') idempotency_key?: string,
  ): Promise<Message> {
    assertIdempotencyKey(idempotency_key);
    await this.admin.assertProjectExists(owner.project_id);
    return this.chat.say(owner, { avatar_id, answer, name, language_code, chat_type, idempotency_key });
  }
}
