import { Body, Controller, Get, Header, Post, Query, Req, Res, StreamableFile, UseInterceptors } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import {
  ApiAcceptedResponse,
  ApiCreatedResponse,
  ApiExtraModels,
  ApiOkResponse,
  ApiTags,
  getSchemaPath,
} from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import Negotiator from 'negotiator';
import { CurrentUser, type Owner } from '../auth/index.js';
import { MAX_REQUEST } from 'avatar-chat-models';
import { Message, MessageSources } from '../messages/index.js';
import { ErrorBody, ErrorFilter, failure } from '../platform/errors/index.js';
import { BRIEF } from '../platform/http/index.js';
import { ResponseMemory } from '../platform/limits/index.js';
import { ApiBodies, ApiErrors } from '../platform/openapi/index.js';
import { RateLimit, TurnCounts } from '../rate-limits/index.js';
import { HistoryPage, HistoryQuery, MAX_PAGE, MAX_PER_PAGE } from './chat.dto.js';
import { ChatService } from './chat.service.js';
import { STREAMED_PAGE_BYTES } from './history/history.pages.js';
import { ApiIdempotencyKey, takeUpload, TurnFormInterceptor } from './turns/turn-form.interceptor.js';
import { HandedOverTurn, SpokenSentence, TurnForm, TurnRequest, TurnResponse } from './turns/turn.dto.js';
import { streamTurn } from './turns/turn.stream.js';

/** Pages up to this size are no larger than other responses, whose bytes are not accounted for either. */
const SMALL_PAGE_BYTES = 16 * 1024;

const EVENTS =
  'With `Accept: text/event-stream`: the events `outgoing`, `transcript` (`{"language"}`) if the transcriber detected the language, `delta` (`{"text"}`), in voice and video `audio` (SpokenSentence), `sources` (MessageSources) if the answer is from documents, `interrupted` (`{"message_id"}`) if the answer is not whole, and `incoming`; or `conversation` (ConversationState) if a person answers, later, or `error` (the error body). An answer is not whole if a person took the conversation over or, for a repeated `Idempotency-Key`, the connection broke; `delta` and `incoming` have its text so far.';

/** The types of data with several fields. */
const TYPES = {
  outgoing: Message,
  audio: SpokenSentence,
  sources: MessageSources,
  incoming: Message,
  error: ErrorBody,
};
const SCHEMAS = Object.entries(TYPES).map(([event, type]) => [event, { $ref: getSchemaPath(type) }]);
const STREAM = { type: 'string', 'x-events': Object.fromEntries(SCHEMAS) } as const;

/** Without a recording, the request must have text. */
const BODIES = {
  'application/json': { schema: { allOf: [{ $ref: getSchemaPath(TurnRequest) }, { required: ['request'] }] } },
  'multipart/form-data': { schema: { $ref: getSchemaPath(TurnForm) } },
};

@ApiTags('Chat')
@Controller('chat')
export class ChatController {
  constructor(
    private readonly chat: ChatService,
    private readonly held: ResponseMemory,
    private readonly counts: TurnCounts,
    private readonly errors: ErrorFilter,
  ) {}

  /** Read a page of the user's history, newest first. */
  @ApiErrors(
    'invalid_user_id',
    ['invalid_page', MAX_PAGE],
    ['invalid_per_page', MAX_PER_PAGE],
    'invalid_before',
    'user_not_found',
  )
  @ApiOkResponse({ type: HistoryPage })
  @Header('Content-Type', 'application/json; charset=utf-8')
  @RouteConfig(BRIEF)
  @Get()
  async page(
    @CurrentUser() owner: Owner,
    @Query() query: HistoryQuery,
    @Req() { ip }: FastifyRequest,
    @Res({ passthrough: true }) { raw }: FastifyReply,
  ): Promise<Buffer | StreamableFile> {
    const holders = this.counts.holdersOf(owner, ip);
    const page = await this.chat.openPage(owner, query.rangeFor(owner), holders);
    const isWhole = Buffer.isBuffer(page);
    const bytes = isWhole ? page.length : STREAMED_PAGE_BYTES;
    if (bytes > SMALL_PAGE_BYTES) this.held.hold(holders, bytes, raw);
    return isWhole ? page : new StreamableFile(page);
  }

  /** Send a message to an avatar. Stores the message, then the avatar's answer. */
  @Post()
  @UseInterceptors(TurnFormInterceptor)
  @RateLimit('turns')
  @RouteConfig({ multipart: true })
  @ApiExtraModels(SpokenSentence, TurnForm, TurnRequest, TurnResponse)
  @ApiBodies(BODIES)
  @ApiIdempotencyKey()
  @ApiCreatedResponse({ type: TurnResponse })
  @ApiAcceptedResponse({ type: HandedOverTurn, description: 'A person answers, later.' })
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
  async createTurn(
    @CurrentUser() owner: Owner,
    @Body() turn: TurnRequest,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const upload = takeUpload(request, turn);
    if (!upload && turn.request === undefined) throw failure('invalid_request', MAX_REQUEST);
    const idempotency_key = request.headers['idempotency-key'] as string | undefined;
    const holders = this.counts.holdersOf(owner, request.ip);
    const input = { owner, holders, ...turn, ...upload, idempotency_key };
    if (!new Negotiator(request).mediaTypes().some((type) => type.toLowerCase() === 'text/event-stream')) {
      const created = await this.chat.createTurn(input);
      return void (await reply.status('incoming' in created ? 201 : 202).send(created));
    }
    const leaving = new AbortController();
    await streamTurn(
      this.chat.streamTurn(input, { left: leaving.signal, sentences: true }),
      reply,
      () => leaving.abort(),
      (error) => this.errors.describe(error, request.id),
    );
  }
}
