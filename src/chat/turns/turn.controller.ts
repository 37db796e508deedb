import { Controller, Post, Req, Res } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import {
  ApiCreatedResponse,
  ApiExtraModels,
  ApiHeader,
  ApiOkResponse,
  ApiOperation,
  ApiTags,
  getSchemaPath,
} from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { CurrentUser, type Owner } from '../../auth/index.js';
import { MAX_REQUEST, Message } from '../../messages/index.js';
import { ApiErrors } from '../../platform/openapi/index.js';
import { ErrorBody, ErrorFilter } from '../../platform/errors/index.js';
import { RateLimit } from '../../rate-limits/index.js';
import { SpokenSentence, TurnForm, TurnRequest, TurnResponse } from './turn.dto.js';
import { IDEMPOTENCY_KEY, TurnRequests } from './turn.requests.js';
import { TurnService } from './turn.service.js';
import { streamTurn } from './turn.stream.js';

const EVENTS =
  'With `Accept: text/event-stream`: the events `outgoing`, `delta` (`{"text"}`), in voice and video `audio` (SpokenSentence), `incoming`, and `error` (the error body).';

/** The schema of an event's data, for events whose data is more than a text. */
const STREAM = {
  type: 'string',
  'x-events': {
    outgoing: { $ref: getSchemaPath(Message) },
    audio: { $ref: getSchemaPath(SpokenSentence) },
    incoming: { $ref: getSchemaPath(Message) },
    error: { $ref: getSchemaPath(ErrorBody) },
  },
} as const;

/** Without a recording, the request must have text. */
const BODY = {
  required: true,
  content: {
    'application/json': { schema: { allOf: [{ $ref: getSchemaPath(TurnRequest) }, { required: ['request'] }] } },
    'multipart/form-data': { schema: { $ref: getSchemaPath(TurnForm) } },
  },
};

@ApiTags('Chat')
@Controller('chat')
export class TurnController {
  constructor(
    private readonly turns: TurnService,
    private readonly requests: TurnRequests,
    private readonly errors: ErrorFilter,
  ) {}

  /** Send a message to an avatar. Stores the message, then the avatar's answer. */
  @Post()
  @RateLimit('turns')
  @RouteConfig({ multipart: true })
  @ApiExtraModels(SpokenSentence, TurnForm, TurnRequest, TurnResponse)
  @ApiOperation({ requestBody: BODY })
  @ApiHeader({
    name: 'Idempotency-Key',
    description: 'A request with the same key and body returns the first result, and is stored only once.',
    required: false,
    schema: { type: 'string', pattern: IDEMPOTENCY_KEY.source },
  })
  @ApiCreatedResponse({ type: TurnResponse })
  @ApiOkResponse({ description: EVENTS, content: { 'text/event-stream': { schema: STREAM } } })
  @ApiErrors(
    'invalid_avatar_id',
    ['invalid_request', MAX_REQUEST],
    'invalid_chat_type',
    'invalid_language_code',
    'invalid_session',
    'invalid_file',
    'invalid_idempotency_key',
    'invalid_json',
    'malformed_form',
    'avatar_not_found',
    'user_erased',
    'payload_too_large',
    'unsupported_media_type',
    'no_transcript',
    'idempotency_key_reused',
    'engine_failed',
    'answer_timeout',
  )
  async take(@CurrentUser() owner: Owner, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const input = await this.requests.read(owner, request);
    if (/\btext\/event-stream\b/i.test(request.headers.accept ?? '')) {
      const leaving = new AbortController();
      const events = this.turns.take(input, { left: leaving.signal, sentences: true });
      await streamTurn(
        events,
        reply,
        () => leaving.abort(),
        (error) => this.errors.describe(error, request.id),
      );
      return;
    }
    const turn: Record<string, unknown> = {};
    for await (const { event, data } of this.turns.take(input))
      if (event === 'outgoing' || event === 'incoming') turn[event] = data;
    await reply.status(201).send(turn);
  }
}
