import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { holdTraces, passConnection, receiveConnections, routeUpgrades, upgradeOf } from 'avatar-chat-runtime';
import { Body, Controller, Get, HttpCode, Inject, type OnModuleInit, Post, Req, Res } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { RouteConfig } from '@nestjs/platform-fastify';
import { ApiBody, ApiCreatedResponse, ApiExcludeEndpoint, ApiOkResponse, ApiQuery } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { WebSocketServer } from 'ws';
import { AcceptsClientSecrets, CurrentUser, type Owner } from '../auth/index.js';
import { failure } from '../platform/errors/index.js';
import { BODY_LIMIT, endSpan, ServiceAdapter } from '../platform/http/index.js';
import { LOGGER, type Logger } from '../platform/logging/index.js';
import { ApiBodies, ApiErrors } from '../platform/openapi/index.js';
import { OFFER_BODIES, readOffer, SDP } from './call.offer.js';
import { LiveAdmission } from './live.admission.js';
import { LiveCalls } from './live.calls.js';
import { MESSAGE_LIMIT } from 'avatar-chat-realtime';
import { ClientSecret, ClientSecretRequest } from './live.dto.js';
import { LiveSecrets } from './live.secrets.js';
import { LiveSessions } from './live.sessions.js';
import { isHandshake, offeredProtocol, withOfferedToken } from './live.token.js';

const PATH = '/v1/realtime';
const ANSWER = { schema: { type: 'string' }, example: OFFER_BODIES[SDP].example } as const;
const CALLS = `${PATH}/calls`;

/** Live mode: a spoken conversation in real time, with OpenAI Realtime events over a WebSocket or by WebRTC. */
@Controller('v1/realtime')
export class LiveController implements OnModuleInit {
  private readonly server = new WebSocketServer({
    noServer: true,
    maxPayload: MESSAGE_LIMIT,
    perMessageDeflate: false,
    // Other work of the process goes on between two messages of a client.
    allowSynchronousEvents: false,
    handleProtocols: offeredProtocol,
  });

  constructor(
    private readonly host: HttpAdapterHost,
    private readonly admission: LiveAdmission,
    private readonly secrets: LiveSecrets,
    private readonly sessions: LiveSessions,
    private readonly calls: LiveCalls,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** @internal */
  onModuleInit(): void {
    const adapter = this.host.httpAdapter as unknown as ServiceAdapter | undefined;
    if (!(adapter instanceof ServiceAdapter)) return;
    const fastify = adapter.getInstance();
    routeUpgrades(fastify, PATH, withOfferedToken);
    receiveConnections(fastify.server);
    adapter.onDrain((time_left_ms) => this.sessions.goingAway(time_left_ms));
    fastify.addContentTypeParser(SDP, { parseAs: 'string', bodyLimit: BODY_LIMIT }, ({ routeOptions }, body, done) =>
      routeOptions.url === CALLS ? done(null, body) : done(failure('unsupported_media_type')),
    );
    // Before the token is verified: only WebSocket requests belong here.
    fastify.addHook('onRequest', (request, _reply, done) => {
      const isPlain =
        request.url.startsWith(PATH) &&
        request.routeOptions.url === PATH &&
        request.method !== 'POST' &&
        !upgradeOf(request);
      done(isPlain ? failure('upgrade_required') : undefined);
    });
  }

  /** Open a live conversation with an avatar (WebSocket). */
  @Get()
  @AcceptsClientSecrets()
  @ApiExcludeEndpoint()
  async open(@CurrentUser() owner: Owner, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    if (!isHandshake(request.raw)) throw failure('malformed_handshake');
    const admission = await this.admission.admit(owner, request);
    const { resume: requested } = request.query as { resume?: unknown };
    const resume = typeof requested === 'string' ? requested : undefined;
    const worker = await this.sessions.findWorker(resume, admission);
    const slot = worker === undefined ? this.sessions.reserveSlot(admission, resume) : undefined;
    const { socket, head } = upgradeOf(request)!;
    reply.hijack();
    reply.raw.detachSocket(socket as never);
    reply.raw.emit('close');
    endSpan(request, 101);
    // There it is a new request.
    if (!slot) return passConnection(worker!, socket as Socket, Buffer.concat([bytesOf(request.raw), head]));
    const ms = Math.round(reply.elapsedTime * 10) / 10;
    this.logger.info({ method: 'GET', route: PATH, status: 101, ms, request_id: request.id });
    this.server.handleUpgrade(request.raw, socket, head, (webSocket) => {
      socket.off('close', slot.release);
      this.sessions.open(webSocket, { admission, slot, resume });
    });
    // A connection that has closed during admission must not be closed again.
    if (socket.destroyed) slot.release();
    else socket.once('close', slot.release).once('close', holdTraces());
  }

  /** Obtain a token for a client in a browser, for one kind of session. */
  @Post('client_secrets')
  @HttpCode(200)
  @ApiBody({ type: ClientSecretRequest, required: false })
  @ApiOkResponse({ type: ClientSecret })
  @ApiErrors(
    'invalid_model',
    'live_mode_unavailable',
    'invalid_expiry',
    ['invalid_live_session', 'session.audio must be an object.'],
    'avatar_not_found',
    'invalid_json',
    'payload_too_large',
    'unsupported_media_type',
  )
  createSecret(
    @CurrentUser() owner: Owner,
    @Req() request: FastifyRequest,
    @Body() body: ClientSecretRequest,
  ): Promise<ClientSecret> {
    return this.secrets.issue(owner, request, body);
  }

  /** Open a live conversation from a browser by WebRTC. */
  @Post('calls')
  @AcceptsClientSecrets()
  @RouteConfig({ multipart: true })
  @ApiQuery({ name: 'model', required: false, description: "The avatar's `_id`, if no `session` names it." })
  @ApiQuery({ name: 'language_code', required: false, description: "Default: the project's first." })
  @ApiQuery({ name: 'session', required: false, description: 'A session of `GET /connection`.' })
  @ApiBodies(OFFER_BODIES)
  @ApiCreatedResponse({
    description: 'The SDP answer.',
    // Generated clients read the second type only.
    content: { [SDP]: ANSWER, 'application/octet-stream': ANSWER },
    headers: { Location: { description: `\`${CALLS}/\` and the call's id.`, schema: { type: 'string' } } },
  })
  @ApiErrors(
    ['invalid_offer', 'The SDP must offer audio.'],
    'invalid_model',
    'live_mode_unavailable',
    'invalid_language_code',
    'invalid_session',
    'malformed_form',
    'avatar_not_found',
    'payload_too_large',
    'unsupported_media_type',
    'webrtc_unavailable',
  )
  async openCall(@CurrentUser() owner: Owner, @Req() request: FastifyRequest, @Res() reply: FastifyReply) {
    const { sdp, session } = await readOffer(request);
    const { id, answer } = await this.calls.open(owner, request, sdp, session);
    await reply.status(201).header('Location', `${CALLS}/${id}`).type(SDP).send(answer);
  }
}

/** A request without a body, as it came. */
function bytesOf({ method, url, httpVersion, rawHeaders }: IncomingMessage): Buffer {
  const lines = rawHeaders.flatMap((name, n) => (n % 2 ? [] : [`${name}: ${rawHeaders[n + 1]}\r\n`]));
  return Buffer.from(`${method} ${url} HTTP/${httpVersion}\r\n${lines.join('')}\r\n`, 'latin1');
}
