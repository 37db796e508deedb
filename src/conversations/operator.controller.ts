import { Body, Controller, Get, Headers, HttpCode, Param, Post, Put, Query, Req, Res } from '@nestjs/common';
import { ApiCreatedResponse, ApiHeader, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AdminService, AllowOperators, CurrentOperator, ForOperators, Operator, ProjectName } from '../admin/index.js';
import { Owner } from '../auth/index.js';
import { CatalogueService } from '../catalogue/index.js';
import { ApiIdempotencyKey, assertIdempotencyKey, ChatService, MAX_NAME, MAX_UNASKED } from '../chat/index.js';
import { Signals } from '../events/index.js';
import { CONVERSATION_STATES, HandoverService } from '../handover/index.js';
import { Message, MessageRepository } from '../messages/index.js';
import { ApiErrors } from '../platform/openapi/index.js';
import {
  ConversationDetails,
  ConversationList,
  ConversationsQuery,
  inWords,
  LISTED_STATES,
  MAX_LISTED,
  OperatorWish,
} from './conversation.dto.js';
import { ConversationListing } from './conversation.list.js';
import { EventsQuery, ProjectEventsQuery, UnaskedRequest, UserParameter } from './operator.dto.js';
import { sendStream, StreamOpening } from './stream.opening.js';

const EVENTS =
  'The events `message` (Message; its `id` is its `_id`), `conversation` (`{"user_id", "state", "name"?}`), `reset`, and last `going_away`, `replaced` or `messages_removed`. After a reconnect a message of the last minute may come again.';

@ApiTags('Administration')
@Controller('admin')
@ForOperators()
export class OperatorController {
  constructor(
    private readonly admin: AdminService,
    private readonly chat: ChatService,
    private readonly handover: HandoverService,
    private readonly signals: Signals,
    private readonly catalogue: CatalogueService,
    private readonly messages: MessageRepository,
    private readonly listing: ConversationListing,
    private readonly opening: StreamOpening,
  ) {}

  /** Send a user a message that nobody asked for. */
  @Post('messages')
  @AllowOperators({ roles: ['agent'], project: 'body', action: 'message.send', details: ['avatar_id', 'name'] })
  @ApiCreatedResponse({ type: Message })
  @ApiIdempotencyKey()
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

  /** Follow what happens in all conversations of a project: an event stream. */
  @Get('events')
  @AllowOperators({ roles: ['agent'], project: 'query' })
  @ApiHeader({ name: 'Last-Event-ID', required: false, schema: { type: 'string' } })
  @ApiOkResponse({ description: EVENTS, content: { 'text/event-stream': { schema: { type: 'string' } } } })
  @ApiErrors('invalid_project_id', ['invalid_name', MAX_NAME], 'unknown_project')
  async follow(
    @Query() { project_id, name = '' }: ProjectEventsQuery,
    @Query() query: EventsQuery,
    @CurrentOperator() operator: Operator,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    await this.admin.assertProjectExists(project_id);
    const key = `operator ${operator.name}`;
    const holders = [`${key} ${project_id} ${name}`, key];
    await sendStream(request, reply, query, holders, (client) => this.opening.ofProject(project_id, client));
  }

  /** List the conversations that wait for a person, or that people have. */
  @Get('conversations')
  @AllowOperators({ roles: ['agent'], project: 'query' })
  @ApiErrors(
    'invalid_project_id',
    ['invalid_state', inWords(LISTED_STATES)],
    ['invalid_limit', MAX_LISTED],
    'invalid_cursor',
    'unknown_project',
  )
  async list(@Query() { project_id, state, number, cursor }: ConversationsQuery): Promise<ConversationList> {
    await this.admin.assertProjectExists(project_id);
    return this.listing.list(project_id, state, number, cursor);
  }

  /** Take a conversation over, put it into the queue, or hand it back to the avatar. */
  @Put('conversations/:user_id')
  @AllowOperators({
    roles: ['agent'],
    project: 'query',
    action: 'conversation.change',
    details: ['state', 'name'],
    isChange: (result: ConversationDetails, since) => result.since >= since,
  })
  @ApiErrors(
    'invalid_project_id',
    'invalid_user_id',
    ['invalid_state', inWords(CONVERSATION_STATES)],
    ['invalid_name', MAX_NAME],
    'invalid_force',
    'invalid_json',
    'unknown_project',
    'handover_disabled',
    'conversation_taken',
    'user_erased',
    'payload_too_large',
    'unsupported_media_type',
  )
  async change(
    @Param() { user_id }: UserParameter,
    @Query() { project_id }: ProjectName,
    @Body() { state, name, force }: OperatorWish,
  ): Promise<ConversationDetails> {
    await this.admin.assertProjectExists(project_id);
    return this.handover.change(new Owner(project_id, user_id), { state, name, force, by: 'operator' });
  }

  /** Show the user that a person is typing. */
  @Post('conversations/:user_id/typing')
  @AllowOperators({ roles: ['agent'], project: 'query' })
  @HttpCode(204)
  @ApiErrors('invalid_project_id', 'invalid_user_id', 'unknown_project')
  async showTyping(@Param() { user_id }: UserParameter, @Query() { project_id }: ProjectName): Promise<void> {
    await this.admin.assertProjectExists(project_id);
    const owner = new Owner(project_id, user_id);
    const { project, avatars } = await this.catalogue.resolvedProject(project_id);
    const [newest, { name }] = await Promise.all([
      this.messages.newestRequest(owner),
      this.handover.current(owner, project),
    ]);
    const avatar = avatars.find(({ _id }) => _id === newest?.avatar_id) ?? avatars[0];
    if (avatar) await this.signals.send(owner, 'typing', { avatar_id: avatar._id, name: name ?? avatar.name });
  }
}
