import { Controller, Get, HttpCode, Inject, type OnModuleInit, Post, Req, Res } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { ApiExcludeEndpoint, ApiOkResponse } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { WebSocketServer } from 'ws';
import { bearerToken, CurrentUser, type Owner, requestExpiry } from '../auth/index.js';
import { failure } from '../platform/errors/index.js';
import { routeUpgrades, ServiceAdapter, upgradeOf } from '../platform/http/index.js';
import { LOGGER, type Logger } from '../platform/logging/index.js';
import { ApiErrors } from '../platform/openapi/index.js';
import { LiveAdmission } from './live.admission.js';
import { MESSAGE_LIMIT } from './live.connection.js';
import { ClientSecret } from './live.dto.js';
import { LiveSessions } from './live.sessions.js';
import { offeredProtocol, withOfferedToken } from './live.token.js';

const PATH = '/v1/realtime';

/** Live mode: a spoken conversation in real time, with OpenAI Realtime events over a WebSocket. */
@Controller('v1/realtime')
export class LiveController implements OnModuleInit {
  private readonly server = new WebSocketServer({
    noServer: true,
    maxPayload: MESSAGE_LIMIT,
    perMessageDeflate: false,
    handleProtocols: offeredProtocol,
  });

  constructor(
    private readonly host: HttpAdapterHost,
    private readonly admission: LiveAdmission,
    private readonly sessions: LiveSessions,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** @internal */
  onModuleInit(): void {
    const adapter = this.host.httpAdapter as unknown as ServiceAdapter | undefined;
    if (!(adapter instanceof ServiceAdapter)) return;
    const fastify = adapter.getInstance();
    routeUpgrades(fastify as never, PATH, withOfferedToken);
    adapter.onDrain((time_left_ms) => this.sessions.goingAway(time_left_ms));
    // Before the token is verified: only WebSocket requests belong here.
    fastify.addHook('onRequest', (request, _reply, done) => {
      const isPlain = request.routeOptions.url === PATH && request.method !== 'POST' && !upgradeOf(request);
      done(isPlain ? failure('upgrade_required') : undefined);
    });
  }

  /** Open a live conversation with an avatar (WebSocket). */
  @Get()
  @ApiExcludeEndpoint()
  async open(@CurrentUser() owner: Owner, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const admission = await this.admission.admit(owner, request);
    const { resume: requested } = request.query as { resume?: unknown };
    const resume = typeof requested === 'string' ? requested : undefined;
    const leave = this.sessions.reserve(admission, resume);
    const { socket, head } = upgradeOf(request)!;
    reply.hijack();
    reply.raw.detachSocket(socket as never);
    reply.raw.emit('close');
    const ms = Math.round(reply.elapsedTime * 10) / 10;
    this.logger.info({ method: 'GET', route: PATH, status: 101, ms, request_id: request.id });
    this.server.handleUpgrade(request.raw, socket, head, (webSocket) => {
      leave();
      this.sessions.begin(webSocket, admission, resume);
    });
    // A connection that has closed during admission must not be closed again.
    if (socket.destroyed) leave();
    else socket.once('close', leave);
  }

  /** Obtain a token for a client that cannot set headers. */
  @Post('client_secrets')
  @HttpCode(200)
  @ApiOkResponse({ type: ClientSecret })
  @ApiErrors('invalid_json', 'payload_too_large', 'unsupported_media_type')
  secret(@Req() request: FastifyRequest): ClientSecret {
    const token = bearerToken(request.headers.authorization)!;
    return { value: `ek_${token}`, expires_at: Math.floor(requestExpiry(request)) };
  }
}
