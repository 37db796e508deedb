import { Controller, Get, Inject, type OnModuleInit, Query, Req, Res } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { ApiExtraModels, ApiHeader, ApiOkResponse, ApiTags, getSchemaPath } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { CurrentUser, type Owner, requestValidity } from '../auth/index.js';
import { Message } from '../messages/index.js';
import { ServiceAdapter } from '../platform/http/index.js';
import { TurnCounts } from '../rate-limits/index.js';
import { EventStreams } from './event.streams.js';
import { EventsQuery } from './operator.dto.js';
import { sendStream, StreamOpening } from './stream.opening.js';

const EVENTS =
  'The events `message` (Message; its `id` is its `_id`), `typing` (`{"avatar_id", "name", "typing": true}`), `conversation` (`{"state", "name"?}`), `messages_removed` (`{"ids"?}`; without `ids`, all), `reset` (read `GET /chat`), and last `token_expired`, `going_away` or `replaced`.';
const STREAM: object = { type: 'string', 'x-events': { message: { $ref: getSchemaPath(Message) } } };

@ApiTags('Chat')
@Controller('chat/events')
export class EventsController implements OnModuleInit {
  constructor(
    private readonly opening: StreamOpening,
    private readonly streams: EventStreams,
    private readonly counts: TurnCounts,
    @Inject(HttpAdapterHost) private readonly host: HttpAdapterHost,
  ) {}

  /** @internal */
  onModuleInit(): void {
    const adapter: unknown = this.host.httpAdapter;
    if (adapter instanceof ServiceAdapter) adapter.onDrain(() => this.streams.drain());
  }

  /** Follow what happens in the user's conversation, whoever causes it: an event stream. */
  @Get()
  @ApiExtraModels(Message)
  @ApiHeader({
    name: 'Last-Event-ID',
    description:
      'The `_id` of the last known message: later ones come first, up to 1,000. By default, only new events.',
    required: false,
    schema: { type: 'string' },
  })
  @ApiOkResponse({ description: EVENTS, content: { 'text/event-stream': { schema: STREAM } } })
  async follow(
    @CurrentUser() owner: Owner,
    @Query() query: EventsQuery,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const holders = this.counts.holdersOf(owner, request.ip);
    const validity = requestValidity(request);
    await sendStream(request, reply, query, holders, (client) => this.opening.ofUser(owner, validity, client));
  }
}
